//! When a dream is due (dream.md, "Trigger").

use serde_json::{Map, Value, json};

use super::file::{Met, TriggerDetail};
use super::past::DreamId;
use crate::core::time::Timestamp;

/// Events that are kept.
pub const EVENTS_KEPT: usize = 100;
/// Milliseconds in a minute.
const MINUTE_MS: i64 = 60_000;

/// Something that happened since the last dream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// `quality_gate_failure`, `case_completion`, or what another tool wrote.
    pub event_type: String,
    /// When.
    pub timestamp: Timestamp,
    /// What, in words.
    pub details: String,
}

/// The event of a gate that was found shut.
pub const GATE_FAILURE: &str = "quality_gate_failure";
/// The event of a loop that was completed.
pub const COMPLETION: &str = "case_completion";

/// The thresholds of the triggers.
#[derive(Clone, Debug, PartialEq)]
pub struct Thresholds {
    /// Minutes since the last dream.
    pub time_minutes: f64,
    /// Records since the last dream.
    pub volume: u64,
    /// Whether events count.
    pub events: bool,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { time_minutes: 60.0, volume: 20, events: true }
    }
}

/// The trigger's state, `.keysarium/insights/trigger-state.json`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// When the last dream ended.
    pub last_completed: Option<Timestamp>,
    /// Which it was.
    pub last_id: Option<String>,
    /// Records stored since.
    pub records_since: u64,
    /// What happened since.
    pub events: Vec<Event>,
    /// The thresholds.
    pub thresholds: Thresholds,
    /// Fields of other versions and tools: kept.
    pub other: Map<String, Value>,
    /// Fields of `config` that are not known here: kept.
    pub other_config: Map<String, Value>,
}

/// What a state file may say that it is; written back.
const VERSION: &str = "1.0";

impl State {
    /// Reads the file. A field that is missing has its default.
    ///
    /// # Errors
    /// The field with a wrong type or an unreadable time: the whole file is
    /// malformed then.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let value: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let Value::Object(mut map) = value else { return Err("it is no object".to_owned()) };
        let mut state = State {
            last_completed: match map.shift_remove("last_dream_completed_at") {
                None | Some(Value::Null) => None,
                Some(value) => Some(time("last_dream_completed_at", &value)?),
            },
            last_id: match map.shift_remove("last_dream_id") {
                None | Some(Value::Null) => None,
                Some(Value::String(id)) => Some(id),
                Some(_) => return Err("last_dream_id is no text".to_owned()),
            },
            records_since: match map.shift_remove("records_since_last_dream") {
                None => 0,
                Some(value) => whole("records_since_last_dream", &value)?,
            },
            events: match map.shift_remove("pending_events") {
                None => Vec::new(),
                Some(Value::Array(list)) => list.iter().map(event).collect::<Result<_, _>>()?,
                Some(_) => return Err("pending_events is no list".to_owned()),
            },
            ..State::default()
        };
        match map.shift_remove("config") {
            None => {}
            Some(Value::Object(config)) => state.read_config(config)?,
            Some(_) => return Err("config is no object".to_owned()),
        }
        map.shift_remove("version");
        state.other = map;
        Ok(state)
    }

    fn read_config(&mut self, mut config: Map<String, Value>) -> Result<(), String> {
        if let Some(value) = config.shift_remove("time_threshold_minutes") {
            let minutes = value.as_f64().filter(|n| *n >= 0.0);
            self.thresholds.time_minutes =
                minutes.ok_or("config.time_threshold_minutes is no number of minutes")?;
        }
        if let Some(value) = config.shift_remove("volume_threshold") {
            self.thresholds.volume = whole("config.volume_threshold", &value)?;
        }
        if let Some(value) = config.shift_remove("event_triggers_enabled") {
            self.thresholds.events =
                value.as_bool().ok_or("config.event_triggers_enabled is neither true nor false")?;
        }
        self.other_config = config;
        Ok(())
    }

    /// The bytes of the file: known fields first, in the published order.
    pub fn to_bytes(&self) -> Vec<u8> {
        let events: Vec<Value> = self
            .events
            .iter()
            .map(|e| {
                json!({ "event_type": e.event_type, "timestamp": e.timestamp, "details": e.details })
            })
            .collect();
        let minutes = self.thresholds.time_minutes;
        let minutes = if minutes.fract() == 0.0 { json!(minutes as u64) } else { json!(minutes) };
        let mut config = json!({
            "time_threshold_minutes": minutes,
            "volume_threshold": self.thresholds.volume,
            "event_triggers_enabled": self.thresholds.events,
        });
        let mut value = json!({
            "version": VERSION,
            "last_dream_completed_at": self.last_completed,
            "last_dream_id": self.last_id,
            "records_since_last_dream": self.records_since,
            "pending_events": events,
        });
        if let (Value::Object(config), Value::Object(map)) = (&mut config, &mut value) {
            config.extend(self.other_config.clone());
            map.insert("config".to_owned(), Value::Object(std::mem::take(config)));
            map.extend(self.other.clone());
        }
        let mut bytes = serde_json::to_vec_pretty(&value).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// The state where none can be read: defaults, the last dream taken from the
    /// newest dream file, if there is one.
    pub fn after(latest: Option<&DreamId>) -> Self {
        Self {
            last_completed: latest.and_then(DreamId::moment),
            last_id: latest.map(ToString::to_string),
            ..Self::default()
        }
    }

    /// A record was stored.
    pub fn count_record(&mut self) {
        self.records_since = self.records_since.saturating_add(1);
    }

    /// A record that was stored at a moment is there no more: it was taken back or
    /// another takes its place. Only what no dream has seen was counted.
    pub fn uncount_record(&mut self, stored: Timestamp) {
        if self.last_completed.is_none_or(|last| stored > last) {
            self.records_since = self.records_since.saturating_sub(1);
        }
    }

    /// Something happened; the newest [`EVENTS_KEPT`] are kept.
    pub fn add_event(&mut self, event: Event) {
        self.events.push(event);
        let over = self.events.len().saturating_sub(EVENTS_KEPT);
        self.events.drain(..over);
    }

    /// A dream was dreamt.
    pub fn reset(&mut self, id: &str, now: Timestamp) {
        self.last_completed = Some(now);
        self.last_id = Some(id.to_owned());
        self.records_since = 0;
        self.events.clear();
    }

    /// Which triggers are met.
    pub fn evaluate(&self, now: Timestamp) -> Evaluation {
        let elapsed = self.last_completed.map(|last| now.since(last));
        let limit = self.thresholds.time_minutes * MINUTE_MS as f64;
        Evaluation {
            met: Met {
                time: elapsed.is_none_or(|ms| ms as f64 > limit),
                volume: self.records_since >= self.thresholds.volume,
                event: self.thresholds.events && !self.events.is_empty(),
            },
            elapsed_ms: elapsed,
            in_the_future: elapsed.is_some_and(|ms| ms < 0),
        }
    }

    /// What goes into a dream's file.
    pub fn detail(&self, now: Timestamp) -> TriggerDetail {
        TriggerDetail {
            records_since: self.records_since,
            events: self.events.len(),
            met: self.evaluate(now).met,
        }
    }
}

fn time(key: &str, value: &Value) -> Result<Timestamp, String> {
    let text = value.as_str().ok_or_else(|| format!("{key} is no text"))?;
    text.parse().map_err(|_| format!("{key} {text:?} is no RFC 3339 time"))
}

fn whole(key: &str, value: &Value) -> Result<u64, String> {
    value.as_u64().ok_or_else(|| format!("{key} is no whole number"))
}

fn event(value: &Value) -> Result<Event, String> {
    let map = value.as_object().ok_or("an event is no object")?;
    let text = |key: &str| match map.get(key) {
        None => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("an event's {key} is no text")),
    };
    let timestamp = match map.get("timestamp") {
        None => Timestamp::default(),
        Some(value) => time("an event's timestamp", value)?,
    };
    Ok(Event { event_type: text("event_type")?, timestamp, details: text("details")? })
}

/// Which triggers are met, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// Each of them.
    pub met: Met,
    /// Milliseconds since the last dream.
    pub elapsed_ms: Option<i64>,
    /// Whether the last dream is dated after now: not due by time, and reported.
    pub in_the_future: bool,
}

impl Evaluation {
    /// Whether any is met.
    pub fn should_dream(&self) -> bool {
        self.met.time || self.met.volume || self.met.event
    }

    /// The first that is met: event, volume, time, none.
    pub fn reason(&self) -> &'static str {
        match self.met {
            Met { event: true, .. } => "event",
            Met { volume: true, .. } => "volume",
            Met { time: true, .. } => "time",
            Met { .. } => "none",
        }
    }
}

/// What the badge and `dream.auto` need besides a trigger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// Valid records that have not expired.
    pub valid: usize,
    /// Whether no dream was ever dreamt.
    pub never_dreamt: bool,
    /// Records stored since, by the state.
    pub records_since: u64,
    /// Records dated after the last dream.
    pub dated_after: usize,
    /// Pending events.
    pub events: usize,
    /// Records that have expired since the last dream.
    pub expired_since: usize,
}

impl News {
    /// `3 of 5 records`, where there are too few for a dream (dream.md, Run 2).
    pub fn too_few(&self) -> Option<String> {
        let needed = super::select::Settings::MIN_RECORDS;
        (self.valid < needed).then(|| format!("{} of {needed} records", self.valid))
    }

    /// Whether there is enough, and something new.
    pub fn is_worth_a_dream(&self) -> bool {
        self.too_few().is_none()
            && (self.never_dreamt
                || self.records_since > 0
                || self.dated_after > 0
                || self.events > 0
                || self.expired_since > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("valid")
    }

    const NOW: &str = "2026-03-01T13:00:00Z";

    fn state(last: Option<&str>, records: u64, events: usize) -> State {
        let event =
            Event { event_type: COMPLETION.to_owned(), timestamp: at(NOW), details: String::new() };
        State {
            last_completed: last.map(at),
            records_since: records,
            events: vec![event; events],
            ..State::default()
        }
    }

    #[test]
    fn all_trigger_combinations_give_event_over_volume_over_time() {
        let (long_ago, just_now) = ("2026-03-01T11:00:00Z", "2026-03-01T12:59:00Z");
        for (time, volume, event, reason) in [
            (false, false, false, "none"),
            (true, false, false, "time"),
            (false, true, false, "volume"),
            (true, true, false, "volume"),
            (false, false, true, "event"),
            (true, false, true, "event"),
            (false, true, true, "event"),
            (true, true, true, "event"),
        ] {
            let last = if time { long_ago } else { just_now };
            let state = state(Some(last), if volume { 20 } else { 19 }, usize::from(event));
            let found = state.evaluate(at(NOW));
            assert_eq!(found.met, Met { time, volume, event });
            assert_eq!(found.reason(), reason);
            assert_eq!(found.should_dream(), time || volume || event);
        }
        let mut off = state(Some(just_now), 0, 1);
        off.thresholds.events = false;
        assert_eq!(off.evaluate(at(NOW)).reason(), "none");
        assert_eq!(state(None, 0, 0).evaluate(at(NOW)).reason(), "time", "never dreamt");
    }

    #[test]
    fn exactly_60_minutes_is_not_yet_due() {
        let due = |last| state(Some(last), 0, 0).evaluate(at(NOW)).met.time;
        assert!(!due("2026-03-01T12:00:00Z"));
        assert!(due("2026-03-01T11:59:59.999Z"));
    }

    #[test]
    fn a_clock_in_the_future_is_not_due_and_said() {
        let found = state(Some("2026-03-02T00:00:00Z"), 0, 0).evaluate(at(NOW));
        assert!(!found.met.time && found.in_the_future);
    }

    #[test]
    fn a_missing_field_has_its_default_and_a_wrong_one_spoils_the_file() {
        let state = State::parse(b"\xef\xbb\xbf{\"config\":{\"volume_threshold\":3,\"x\":1}}");
        let state = state.expect("readable");
        assert_eq!((state.thresholds.volume, state.thresholds.time_minutes), (3, 60.0));
        for malformed in [
            "",
            "[]",
            "{\"last_dream_completed_at\":\"yesterday\"}",
            "{\"last_dream_completed_at\":5}",
            "{\"records_since_last_dream\":\"7\"}",
            "{\"records_since_last_dream\":-1}",
            "{\"pending_events\":{}}",
            "{\"pending_events\":[3]}",
            "{\"pending_events\":[{\"timestamp\":\"x\"}]}",
            "{\"config\":[]}",
            "{\"config\":{\"event_triggers_enabled\":\"yes\"}}",
            "{\"config\":{\"time_threshold_minutes\":null}}",
        ] {
            assert!(State::parse(malformed.as_bytes()).is_err(), "{malformed}");
        }
    }

    #[test]
    fn what_is_not_known_here_is_written_back() {
        let text = r#"{"zeta":[1],"config":{"theirs":true},"records_since_last_dream":4}"#;
        let state = State::parse(text.as_bytes()).expect("readable");
        let again = State::parse(&state.to_bytes()).expect("readable");
        assert_eq!(again, state);
        assert_eq!(again.other["zeta"], json!([1]));
        assert_eq!(again.other_config["theirs"], json!(true));
    }

    #[test]
    fn the_newest_hundred_events_are_kept() {
        let mut state = State::default();
        for n in 0..130 {
            let details = n.to_string();
            state.add_event(Event { event_type: "x".into(), timestamp: at(NOW), details });
        }
        assert_eq!(state.events.len(), EVENTS_KEPT);
        assert_eq!(state.events[0].details, "30");
    }

    #[test]
    fn due_needs_enough_records_and_something_new() {
        let quiet = News { valid: 5, ..News::default() };
        assert!(!quiet.is_worth_a_dream());
        for news in [
            News { never_dreamt: true, ..quiet },
            News { records_since: 1, ..quiet },
            News { dated_after: 1, ..quiet },
            News { events: 1, ..quiet },
            News { expired_since: 1, ..quiet },
        ] {
            assert!(news.is_worth_a_dream(), "{news:?}");
            assert!(!News { valid: 4, ..news }.is_worth_a_dream());
        }
    }
}
