//! Zones, changes of clocks, leap days, a clock that jumps back, locales.

use serde_json::Value;

use crate::support::{Place, text};

/// Zones as rules, so that no machine needs a table of them: half hours, the date
/// line, both hemispheres, a change by half an hour.
const ZONES: [&str; 7] = [
    "UTC0",
    "CET-1CEST,M3.5.0,M10.5.0/3",
    "EST5EDT,M3.2.0,M11.1.0",
    "IST-5:30",
    "LHST-10:30LHDT-11,M10.1.0,M4.1.0",
    "<+14>-14",
    "<-12>12",
];

/// Moments at which calendars and clocks do odd things.
const MOMENTS: [&str; 12] = [
    "2026-03-29T00:59:59.999Z", // the last millisecond of winter in Berlin
    "2026-03-29T01:00:00Z",
    "2026-10-25T00:30:00Z", // half past two, for the first time
    "2026-10-25T01:30:00Z", // and for the second
    "2026-03-08T07:00:00Z",
    "2026-11-01T06:30:00Z",
    "2026-04-04T15:00:00Z",
    "2028-02-29T23:59:59.999Z",
    "2027-12-31T23:59:59.999Z",
    "2000-02-29T12:00:00Z",
    "1970-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999Z",
];

/// What a person and an agent would do, at moments of their own.
fn story(place: &Place, zone: &str, locale: &str) -> Vec<String> {
    let mut said = Vec::new();
    let mut run = |now: &str, args: &[&str]| {
        let variables = [
            ("TZ", zone),
            ("LC_ALL", locale),
            ("LANG", locale),
            ("LOOPDECK_NOW", now),
            ("LOOPDECK_SEED", "7"),
        ];
        let done = place.json_with(&variables, args);
        assert!(done.status < 2, "{zone} {locale} {now} {args:?}: {done:?}");
        said.push(done.stdout.clone());
        done.result()
    };
    let noon = "2026-03-01T12:00:00Z";
    let title = "Ein Titel, ıİ, 字";
    let open = ["loop", "open", "--kind", "ideation", "--title", title, "--proposal", "p"];
    let id = text(&run(noon, &open)["id"]);
    run(noon, &["loop", "advance", &id]);
    run(noon, &["session", "start", "--goal", "g"]);
    run(noon, &["memory", "add", "--category", "traps", "--title", "I", "--text", "x"]);
    for moment in MOMENTS {
        let reward = ["rewards", "add", "--case", "c", "--phase", "I", "--reward", "0.5"];
        run(moment, &reward);
    }
    for moment in [MOMENTS[0], MOMENTS[7], MOMENTS[11]] {
        run(moment, &["loop", "list", "--all"]);
        run(moment, &["dream", "status"]);
    }
    run(noon, &["dream", "run"]);
    run(noon, &["status"]);
    said
}

/// All files below a folder, but for the notes that name processes.
fn files(place: &Place) -> Vec<(String, Vec<u8>)> {
    let (mut todo, mut found) = (vec![place.root()], Vec::new());
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(folder).expect("listed").flatten() {
            let path = entry.path();
            if path.is_dir() {
                todo.push(path);
                continue;
            }
            let name =
                path.strip_prefix(place.root()).expect("below").to_string_lossy().into_owned();
            if !name.ends_with(".lock.info") {
                found.push((name, std::fs::read(&path).expect("readable")));
            }
        }
    }
    found.sort();
    found
}

/// Field note: local time labelled Z (beads 4298).
#[test]
fn what_is_written_and_answered_depends_on_no_zone_and_no_locale() {
    let usual = Place::with_workspace();
    let root = usual.root().to_string_lossy().into_owned();
    let wanted = story(&usual, "UTC0", "C");
    for (nth, zone) in ZONES.iter().enumerate().skip(1) {
        let locale = ["tr_TR.UTF-8", "de_DE.UTF-8", "ja_JP.UTF-8", "ar_EG.UTF-8"][nth % 4];
        let place = Place::with_workspace();
        let own = place.root().to_string_lossy().into_owned();
        let said = story(&place, zone, locale);
        for (one, other) in wanted.iter().zip(&said) {
            assert_eq!(one.replace(&root, "/"), other.replace(&own, "/"), "{zone} {locale}");
        }
        let (one, other) = (files(&usual), files(&place));
        let names = |files: &[(String, Vec<u8>)]| {
            files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&one), names(&other), "{zone} {locale}");
        for ((name, one), (_, other)) in one.iter().zip(&other) {
            assert!(one == other, "{name} differs in {zone} {locale}");
        }
    }
}

/// Field note: panic at a daylight-saving change (taskwarrior-tui 703).
#[test]
fn pages_for_people_show_their_own_clock_and_no_change_of_clocks_stops_them() {
    let place = Place::with_workspace();
    let id = place.ideation();
    for moment in MOMENTS {
        place.at(moment, &["loop", "add", &id, "--type", "note", "--body", moment]);
    }
    place.json(&["session", "start", "--goal", "g"]).result();
    for zone in ZONES {
        for (nth, now) in MOMENTS.into_iter().enumerate() {
            let args: &[&str] = if nth % 4 == 0 { &["status"] } else { &["loop", "log", &id] };
            let run = place.run_with(&[("TZ", zone), ("LOOPDECK_NOW", now)], args);
            assert_eq!(run.status, 0, "{zone} {now} {args:?}: {run:?}");
        }
    }
    // On the day that the clocks of Berlin went forward: each moment by the clock
    // that held then.
    let place = Place::with_workspace();
    let opened = ["loop", "open", "--kind", "ideation", "--title", "t", "--proposal", "p"];
    let id = text(&place.at("2026-03-29T00:59:00Z", &opened).result()["id"]);
    place.at("2026-03-29T01:01:00Z", &["loop", "pause", &id]).result();
    let variables = [("TZ", ZONES[1]), ("LOOPDECK_NOW", "2026-03-29T10:00:00Z")];
    let log = place.run_with(&variables, &["loop", "log", &id]).stdout;
    assert!(log.contains("01:59") && log.contains("03:01"), "{log}");
}

/// Field note: bare dates read as local midnight (beads 5823).
#[test]
fn bare_dates_mean_utc_and_leap_days_are_days() {
    let place = Place::with_workspace();
    let item = "+++\ntitle = \"t\"\ncreated_at = 2028-02-29\n+++\nx\n";
    place.file(".loopdeck/memory/traps/trp_00000001.md", item);
    let reward = ["rewards", "add", "--case", "c", "--phase", "p", "--reward", "0.5"];
    for zone in ZONES {
        let variables = [("TZ", zone), ("LOOPDECK_NOW", "2028-02-29T23:30:00Z")];
        let shown = place.json_with(&variables, &["memory", "show", "trp_00000001"]).result();
        assert_eq!(shown["created_at"], "2028-02-29T00:00:00.000Z", "{zone}");
        let expires = ["--expires-at", "2028-02-29"];
        let run = place.json_with(&variables, &[&reward[..], &expires[..]].concat());
        assert_eq!(run.result()["record"]["expired"], false, "{zone}: it counts to its day's end");
    }
    let later = place.at("2028-03-01T00:00:00.001Z", &["rewards", "list"]).result();
    let records = later["records"].as_array().expect("a list");
    assert!(records.iter().all(|record| record["expired"] == true), "{later:#}");
    for no_day in ["2027-02-29", "2100-02-29", "2026-13-01", "2026-04-31"] {
        let expires = ["--expires-at", no_day];
        place.json(&[&reward[..], &expires[..]].concat()).error("invalid_expires_at", 2);
        let id = place.ideation();
        let at = format!("{no_day}T00:00:00Z");
        let ask = ["loop", "ask", &id, "--scope", "loop", "--question", "q", "--evidence", "e"];
        place.json(&[&ask[..], &["--deadline", &at]].concat()).error("invalid_deadline", 2);
    }
    // A span over a leap day and over a change of clocks is so many hours.
    for (now, then) in [
        ("2028-02-28T12:00:00Z", "2028-03-01T12:00:00.000Z"),
        ("2026-03-28T12:00:00Z", "2026-03-30T12:00:00.000Z"),
    ] {
        let open = ["loop", "open", "--kind", "ideation", "--title", "t", "--proposal", "p"];
        let id = text(&place.at(now, &open).result()["id"]);
        let ask = ["loop", "ask", &id, "--scope", "loop", "--question", "q", "--evidence", "e"];
        let asked = place.at(now, &[&ask[..], &["--deadline", "2d"]].concat()).result();
        assert_eq!(asked["loop"]["open_questions"][0]["deadline"], then);
    }
}

/// Field note: updated before created (beads PR 1123).
#[test]
fn a_clock_that_jumps_back_is_said_and_nothing_is_dated_before_what_came_before() {
    let (later, earlier) = ("2026-03-01T12:00:00Z", "2019-06-01T00:00:00Z");
    let place = Place::with_workspace();
    let open = ["loop", "open", "--kind", "ideation", "--title", "t", "--proposal", "p"];
    let id = text(&place.at(later, &open).result()["id"]);
    let start = ["session", "start", "--goal", "g"];
    let session = text(&place.at(later, &start).result()["session_id"]);
    let run = place.at(earlier, &["loop", "pause", &id]);
    assert!(run.object()["warnings"].to_string().contains("clock"), "{run:?}");
    let state = run.result();
    let order = |value: &Value, names: [&str; 2]| {
        let [one, other] = names.map(|name| text(&value[name]));
        assert!(one <= other, "{names:?}: {one}, {other}");
    };
    order(&state, ["created_at", "updated_at"]);
    let record = ["session", "record", &session, "--action", "test", "--gap", "3"];
    place.at(earlier, &record).result();
    let shown = place.at(earlier, &["session", "show", &session]).result();
    order(&shown, ["created_at", "updated_at"]);
    for reward in ["0.2", "0.3", "0.4", "0.5", "0.6"] {
        let add = ["rewards", "add", "--case", "c", "--phase", "p", "--reward", reward];
        place.at(later, &add).result();
    }
    place.at(later, &["dream", "run"]).result();
    let status = place.at(earlier, &["dream", "status"]);
    assert!(status.object()["warnings"].to_string().contains("clock"), "{status:?}");
    let doctor = place.at(earlier, &["doctor"]).object();
    let findings = doctor["result"]["findings"].as_array().expect("findings");
    let state = |finding: &&serde_json::Value| {
        finding["path"].as_str().is_some_and(|path| path.ends_with("trigger-state.json"))
    };
    let of_dreams = findings.iter().find(state).expect("a dream of tomorrow is told");
    assert_eq!(of_dreams["code"], "clock", "{doctor:#}");
    for args in [
        &["status"][..],
        &["loop", "list"],
        &["loop", "why", &id],
        &["loop", "log", &id],
        &["loop", "resume", &id],
        &["dream", "run", "--force"],
        &["dream", "insights"],
        &["turn", "sweep"],
    ] {
        let run = place.at(earlier, args);
        assert!(run.status < 2, "{args:?}: {run:?}");
    }
    let doctor = place.at(earlier, &["doctor"]).object();
    assert_eq!(doctor["status"], "ok", "{doctor:#}");
}
