//! Random reward records, and everything that can be wrong with them.

use chrono::{DateTime, Duration, SecondsFormat, Utc};
use serde_json::{Map, Value, json};

use super::random::{Mode, Rng};

/// Rewards on and beside every limit.
const REWARDS: [f64; 26] = [
    0.0, 0.1, 0.149, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.49, 0.4994, 0.4995, 0.5, 0.55, 0.6,
    0.65, 0.7, 0.701, 0.75, 0.8, 0.85, 0.9, 0.901, 0.95, 1.0,
];

/// The few names of a scenario.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct World {
    pub domains: Vec<String>,
    pub phases: Vec<String>,
    pub skills: Vec<String>,
    pub cases: Vec<String>,
    /// a level for each (domain, phase), so that averages meet limits
    levels: Vec<f64>,
    steady: usize,
}

impl World {
    /// Picks names; a skill may be named like a domain.
    pub fn new(rng: &mut Rng, mode: Mode) -> World {
        let own = |names: &[&str]| names.iter().map(|n| n.to_string()).collect::<Vec<_>>();
        let mut domains = own(&["banking", "d10", "d2", "retail", "general"]);
        let mut phases = own(&["phase-10", "phase-2", "phase-2.10", "phase-2.5", "review"]);
        let mut skills = own(&["banking", "goap", "retail", "triz"]);
        let cases = own(&["atlas", "borealis", "case-10", "case-2", "delta"]);
        if mode == Mode::Wild {
            domains.extend(own(&["01", "1", "Banking", " banking", "a/b", "ä"]));
            phases.extend(own(&["phase-02", "2", "phase-99999999999999999999999", "phase 2"]));
            skills.extend(own(&["skill_a", "a_b", "records"]));
        }
        let domains = rng.some(&domains, 3);
        let phases = rng.some(&phases, 4);
        let levels = (0..12).map(|_| *rng.pick(&REWARDS)).collect();
        World {
            skills: rng.some(&skills, 3),
            cases: rng.some(&cases, 5),
            levels,
            steady: rng.between(30, 100),
            domains,
            phases,
        }
    }

    /// Gives one place another level.
    pub fn turn(&mut self, rng: &mut Rng) {
        let at = rng.below(self.levels.len());
        self.levels[at] = *rng.pick(&REWARDS);
    }

    fn level(&self, domain: usize, phase: usize) -> f64 {
        self.levels[(domain * 4 + phase) % self.levels.len()]
    }
}

/// Makes records; counts, so that ids and paths are unique where they should be.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Factory {
    pub world: World,
    mode: Mode,
    now: DateTime<Utc>,
    count: usize,
}

impl Factory {
    /// A factory whose records lie around `now`.
    pub fn new(world: World, mode: Mode, now: DateTime<Utc>) -> Factory {
        Factory { world, mode, now, count: 0 }
    }

    /// A valid record: path and bytes.
    pub fn record(&mut self, rng: &mut Rng) -> (String, Vec<u8>) {
        let object = self.object(rng);
        let path = self.path(rng, &object);
        (path, bytes(rng, &object))
    }

    fn object(&mut self, rng: &mut Rng) -> Map<String, Value> {
        self.count += 1;
        let (d, p) = (rng.below(self.world.domains.len()), rng.below(self.world.phases.len()));
        let reward = if rng.chance(self.world.steady) {
            self.world.level(d, p)
        } else {
            *rng.pick(&REWARDS)
        };
        let mut object = Map::new();
        object.insert("id".into(), json!(format!("r-{:05}", self.count)));
        object.insert("version".into(), json!("1.1"));
        // Few different minutes, so that equal timestamps happen.
        let minute = Duration::minutes(rng.below(600) as i64 * 15);
        let mut time = self.now - Duration::days(5) + minute;
        if time > self.now && rng.chance(95) {
            time -= Duration::days(5);
        }
        match rng.below(10) {
            // Without an id the path is the id: alone at its moment, so that its order is certain.
            0 => {
                time += Duration::milliseconds(self.count as i64);
                match rng.below(4) {
                    0 => object.insert("id".into(), Value::Null),
                    1 => object.insert("id".into(), json!(self.count)),
                    2 => object.insert("id".into(), json!(["r"])),
                    _ => object.shift_remove("id"),
                };
            }
            1 if self.mode == Mode::Wild => {
                object.insert("id".into(), json!(*rng.pick(&["", "  ", "r-2", "r-10", "R"])));
            }
            _ => {}
        }
        object.insert("timestamp".into(), json!(written(rng, time)));
        let spelling = rng.below(10);
        let case = json!(rng.pick(&self.world.cases));
        let phase = json!(self.world.phases[p]);
        match spelling {
            0 => {
                object.insert("project_slug".into(), case);
                object.insert("stage".into(), phase);
                object.insert("stage_name".into(), json!("Stage"));
            }
            1 => {
                object.insert("project_slug".into(), case.clone());
                object.insert("case_slug".into(), case);
                object.insert("phase".into(), phase);
            }
            2 if self.mode == Mode::Wild => {
                let other = [json!("else"), Value::Null, json!(" "), json!(5), phase.clone()];
                object.insert("case_slug".into(), case);
                object.insert("phase".into(), phase);
                object.insert("stage".into(), rng.pick(&other).clone());
            }
            _ => {
                object.insert("case_slug".into(), case);
                object.insert("phase".into(), phase);
                object.insert("phase_name".into(), json!("Phase"));
            }
        }
        object.insert("domain".into(), json!(self.world.domains[d]));
        object.insert("skill_used".into(), json!(rng.pick(&self.world.skills)));
        object.insert("reward".into(), json!(reward));
        if self.mode == Mode::Settled || rng.chance(70) {
            let iterations = rng.between(1, 4);
            object.insert("outcome".into(), json!({ "iterations": iterations }));
        }
        if rng.chance(15) {
            let expires = self.expiry(rng);
            object.insert("expires_at".into(), expires);
        }
        object
    }

    fn expiry(&self, rng: &mut Rng) -> Value {
        let at = |time: DateTime<Utc>| json!(time.to_rfc3339_opts(SecondsFormat::Secs, true));
        let day = |time: DateTime<Utc>| json!(time.format("%Y-%m-%d").to_string());
        match rng.below(9) {
            0 => at(self.now),
            1 => at(self.now - Duration::seconds(1)),
            2 => at(self.now + Duration::days(2)),
            3 => day(self.now),
            4 => day(self.now - Duration::days(1)),
            5 => json!("someday"),
            6 => json!(20260301),
            7 => Value::Null,
            _ => day(self.now + Duration::days(1)),
        }
    }

    fn path(&mut self, rng: &mut Rng, object: &Map<String, Value>) -> String {
        let n = self.count;
        let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or("x").to_string();
        let case = text("case_slug");
        let phase = text("phase").replace(' ', "-");
        match rng.below(12) {
            0 => format!("r{n:05}.json"),
            1 => format!("deep/er/and/er/r{n:05}.json"),
            2 => format!("other/{case}/_r{n:05}.json"),
            3 => format!("x/{case}/{phase}_2026-03-01T12:00:00-{n:05}.json"),
            _ => format!("x/{case}/{phase}_2026-03-01T12-00-00-{n:05}.json"),
        }
    }

    /// Adds what is no record, what is broken, and what is there twice.
    pub fn spoil(&mut self, rng: &mut Rng, files: &mut Vec<(String, Vec<u8>)>) {
        for _ in 0..rng.between(0, 8) {
            let (path, _) = self.record(rng);
            let broken = self.broken(rng);
            files.push((path, broken));
        }
        for _ in 0..rng.between(0, 4) {
            let (_, bytes) = self.record(rng);
            files.push((not_a_record(rng, self.count), bytes));
        }
        for _ in 0..rng.between(0, 4) {
            self.duplicate(rng, files);
        }
        // The folder is listed in any order.
        for at in 0..files.len() {
            let other = rng.below(files.len());
            files.swap(at, other);
        }
    }

    /// Another file with the id of one that is there; its path is surely greater or smaller.
    fn duplicate(&mut self, rng: &mut Rng, files: &mut Vec<(String, Vec<u8>)>) {
        if files.is_empty() {
            return;
        }
        let (path, bytes_there) = files[rng.below(files.len())].clone();
        let there: Option<Value> = serde_json::from_slice(&bytes_there).ok();
        let Some(id) = there.as_ref().and_then(|v| v.get("id")).filter(|id| id.is_string()) else {
            return;
        };
        let mut object = self.object(rng);
        object.insert("id".into(), id.clone());
        if rng.chance(50) {
            let same = there.as_ref().and_then(|v| v.get("timestamp")).cloned();
            object.insert("timestamp".into(), same.unwrap_or(Value::Null));
        }
        if rng.chance(30) {
            let gone = json!((self.now - Duration::days(1)).to_rfc3339());
            object.insert("expires_at".into(), gone);
        }
        let before = if rng.chance(50) { "zz" } else { "aa" };
        let path = format!("{before}/{path}");
        if files.iter().all(|(other, _)| *other != path) {
            files.push((path, bytes(rng, &object)));
        }
    }

    /// Bytes with one fault, or with two of which the first counts.
    fn broken(&mut self, rng: &mut Rng) -> Vec<u8> {
        let mut object = self.object(rng);
        let text = Value::Object(object.clone()).to_string();
        match rng.below(12) {
            0 => return b"{\"id\": \"r\", ".to_vec(),
            1 => return Vec::new(),
            2 => {
                return text.replace("\"reward\":", "\"reward\":NaN,\"old\":").into_bytes();
            }
            3 => return [text.as_bytes(), b"\xff\xfe"].concat(),
            4 => return format!("{text} }}").into_bytes(),
            5 => {
                return rng.pick(&["[]", "3", "\"x\"", "null", "true"]).as_bytes().to_vec();
            }
            _ => {}
        }
        self.fault(rng, &mut object);
        if rng.chance(40) {
            self.fault(rng, &mut object);
        }
        bytes(rng, &object)
    }

    fn fault(&self, rng: &mut Rng, object: &mut Map<String, Value>) {
        let mut fields = vec!["domain", "skill_used", "timestamp"];
        fields.push(if object.contains_key("phase") { "phase" } else { "stage" });
        if !(object.contains_key("case_slug") && object.contains_key("project_slug")) {
            let new = object.contains_key("project_slug");
            fields.push(if new { "project_slug" } else { "case_slug" });
        }
        let field = *rng.pick(&fields);
        match rng.below(6) {
            0 => {
                object.shift_remove(field);
            }
            1 => set(object, field, rng.pick(&[Value::Null, json!(""), json!(" \t")]).clone()),
            2 => {
                set(object, field, rng.pick(&[json!(7), json!(true), json!([]), json!({})]).clone())
            }
            3 => {
                let mut bad = vec![json!("0.5"), json!(true), json!([0.5]), json!({}), Value::Null];
                if self.mode == Mode::Wild {
                    bad.push(json!(" "));
                }
                set(object, "reward", rng.pick(&bad).clone());
            }
            4 => {
                let bad =
                    [json!(-0.1), json!(1.1), json!(1.0000001), json!(-1e-9), json!(2), json!(-1)];
                set(object, "reward", rng.pick(&bad).clone());
            }
            _ => {
                let mut bad = vec![
                    "yesterday",
                    "2026-03-01",
                    "2026-03-01T12:00:00",
                    "2026-02-30T12:00:00Z",
                    "2026-03-01T12-00-00Z",
                    "2026-03-01T25:00:00Z",
                    "1772366400",
                ];
                if self.mode == Mode::Wild {
                    bad.extend([
                        "2026-03-01 12:00:00Z",
                        "2026-03-01t12:00:00z",
                        " 2026-03-01T12:00:00Z",
                    ]);
                }
                set(object, "timestamp", json!(*rng.pick(&bad)));
            }
        }
    }
}

fn set(object: &mut Map<String, Value>, field: &str, value: Value) {
    object.insert(field.to_string(), value);
}

/// One moment in several spellings.
fn written(rng: &mut Rng, time: DateTime<Utc>) -> String {
    let whole = time.timestamp_subsec_nanos() == 0;
    match rng.below(4) {
        0 => {
            let east = chrono::FixedOffset::east_opt(5 * 3600 + 1800).expect("a real offset");
            time.with_timezone(&east).to_rfc3339()
        }
        1 if whole => time.to_rfc3339_opts(SecondsFormat::Secs, true),
        _ => time.to_rfc3339_opts(SecondsFormat::Millis, true),
    }
}

/// One content in several spellings.
fn bytes(rng: &mut Rng, object: &Map<String, Value>) -> Vec<u8> {
    let value = Value::Object(object.clone());
    match rng.below(6) {
        0 => serde_json::to_vec_pretty(&value).expect("a value can be written"),
        1 => format!("\u{feff}{value}").into_bytes(),
        2 => {
            let pretty = serde_json::to_string_pretty(&value).expect("a value can be written");
            pretty.replace('\n', "\r\n").into_bytes()
        }
        _ => value.to_string().into_bytes(),
    }
}

fn not_a_record(rng: &mut Rng, n: usize) -> String {
    let names = [
        "config.json",
        "x/index.json",
        "_stats/reward-summary.json",
        "x/reward-summary.json",
        "_patterns/domain-patterns.json",
        "x/case/domain-patterns.json",
        "imported-baselines.json",
    ];
    match rng.below(7) {
        0 => format!("x/.r{n}.json"),
        1 => format!(".hidden/r{n}.json"),
        2 => format!("x/_quarantine/deep/r{n}.json"),
        3 => format!("x/r{n}.JSON"),
        4 => format!("x/r{n}.json.tmp"),
        5 => format!("x/r{n}.md"),
        _ => format!("n{n}/{}", rng.pick(&names)),
    }
}
