//! Seed step 1341: observations.

use super::super::*;
use super::fixture::*;

fn made(text: &str) -> Observation {
    Observation::new(ObservationId::random([1; 16]), Source::TestOutput, text)
}

#[test]
fn constructable() {
    let observation = made("x");
    assert_eq!((observation.truncated, observation.original_bytes), (false, 1));
    assert!(observation.structured_data.is_null());
}

#[test]
fn source_enum_round_trips() {
    assert_eq!(Source::KNOWN.len(), 6);
    for known in Source::KNOWN {
        assert_eq!(read::<Source>(&written(known)), *known);
        assert_eq!(known.as_str().parse().as_ref(), Ok(known));
    }
}

#[test]
fn exit_code_defaults_to_minus_1() {
    assert_eq!(made("").exit_code, -1);
    let text = written(&made("")).replace("\"exit_code\": -1,", "");
    assert_eq!(read::<Observation>(&text).exit_code, -1);
    assert_eq!(outcome_of_exit(-1), Outcome::Error);
    assert_eq!(outcome_of_exit(0), Outcome::Success);
    assert_eq!(outcome_of_exit(101), Outcome::Failure);
}

#[test]
fn truncated_flag_set_when_raw_text_exceeds_limit() {
    assert!(!made(&"x".repeat(16_384)).truncated);
    let text = format!("{}{}", "a".repeat(10_000), "z".repeat(10_000));
    let cut = made(&text);
    assert!(cut.truncated);
    assert_eq!((cut.raw_text.len(), cut.original_bytes), (16_384, 20_000));
    let (head, rest) = cut.raw_text.split_once("\n[… ").expect("a line that says so");
    assert_eq!(head, "a".repeat(4_096));
    let (missing, tail) = rest.split_once(" bytes are left out here …]\n").expect("the same line");
    assert!(tail.ends_with(&"z".repeat(10_000)));
    assert_eq!(missing.parse::<usize>(), Ok(20_000 - head.len() - tail.len()));
}

#[test]
fn structured_data_round_trips() {
    let mut observation = made("");
    observation.structured_data = Json::of(
        &serde_json::json!({"parser": "cargo-test", "failed": 3, "deep": [1, {"a": null}]}),
    );
    assert_eq!(read::<Observation>(&written(&observation)), observation);
    let text = written(&observation).replace(
        observation.structured_data.text(),
        "{\"n\": 123456789012345678901234567890, \"f\": 1.10}",
    );
    round_trips::<Observation>(&text);
}

#[test]
fn json_serialization() {
    let value: serde_json::Value = read(&written(&made("said")));
    assert_eq!(value["source"], "test_output");
    assert_eq!((&value["raw_text"], &value["original_bytes"]), (&"said".into(), &4.into()));
}

#[test]
fn deserialization() {
    let observation = made("said\r\n\u{1b}[31mred\u{1b}[0m");
    assert_eq!(read::<Observation>(&written(&observation)), observation);
    let bare: Observation = read("{\"observation_id\":\"o\",\"raw_text\":\"abc\"}");
    assert_eq!((bare.original_bytes, bare.source), (3, Source::ProcessStdout));
}

#[test]
fn unknown_source_passthrough() {
    round_trips::<Observation>(&written(&made("x")).replace("test_output", "crystal_ball"));
}

#[test]
fn observation_id_non_empty() {
    assert_eq!(made("").observation_id.as_str().len(), 36);
    assert!(serde_json::from_str::<Observation>("{\"raw_text\":\"x\"}").is_err());
}

#[test]
fn deterministic_output() {
    let text = "ä".repeat(20_000);
    assert_eq!(written(&made(&text)), written(&made(&text)));
}

#[test]
fn characters_are_never_cut() {
    for text in ["ä".repeat(20_000), "日本語\n".repeat(9_000), format!("x{}", "🦀".repeat(9_000))]
    {
        for shift in 0..4 {
            let text = format!("{}{text}", "-".repeat(shift));
            let (kept, truncated) = capped(&text);
            assert!(
                truncated && kept.len() <= RAW_CAP && kept.len() > RAW_CAP - 8,
                "{}",
                kept.len()
            );
            let (head, rest) = kept.split_once("[… ").expect("the line");
            let (_, tail) = rest.split_once("…]\n").expect("the line");
            assert!(text.starts_with(head.trim_end_matches('\n')) && text.ends_with(tail));
        }
    }
}

#[test]
fn a_head_and_a_tail_are_as_good_as_the_whole() {
    let text: String = (0..100_000).map(|n| format!("line {n}\n")).collect();
    let parts = capped_parts(&text[..5_000], &text[text.len() - 40_000..], text.len() as u64);
    assert_eq!(parts, capped(&text));
}
