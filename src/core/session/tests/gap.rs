//! Seed step 1342: the gap.

use super::super::*;
use super::fixture::*;

fn measured(current: &str, target: &str, before: Option<&str>) -> Gap {
    let amount = |text: &str| text.parse::<Amount>().expect("a number");
    let before = before.map(amount);
    let new = NewGap {
        metric_type: MetricType::TestFailureCount,
        current_value: amount(current),
        target_value: amount(target),
    };
    Gap::measured(new, before.as_ref())
}

fn trend(deltas: &[i64]) -> Option<Trend> {
    let mut before: Option<Amount> = None;
    let mut trend = None;
    for delta in deltas {
        let new = NewGap::to_zero(MetricType::Custom, *delta);
        let gap = Gap::measured(new, before.as_ref());
        trend = gap.trend;
        before = Some(gap.delta);
    }
    trend
}

#[test]
fn converged_true_when_delta_is_zero() {
    assert!(measured("3", "3", None).converged);
    assert!(measured("3.0", "3", None).converged);
    assert!(!measured("3", "2", None).converged);
    assert!(!measured("9007199254740993", "9007199254740992", None).converged);
}

#[test]
fn trend_improving_when_delta_decreasing() {
    assert_eq!(trend(&[3, 2]), Some(Trend::Improving));
    assert_eq!(trend(&[3, 0]), Some(Trend::Improving));
    assert_eq!(trend(&[-3, 2]), Some(Trend::Improving));
    assert_eq!(trend(&[-3, 0]), Some(Trend::Improving));
}

#[test]
fn trend_worsening_when_delta_increasing() {
    assert_eq!(trend(&[3, 4]), Some(Trend::Worsening));
    assert_eq!(trend(&[0, 1]), Some(Trend::Worsening));
    assert_eq!(trend(&[-1, 2]), Some(Trend::Worsening));
}

#[test]
fn stagnant_after_two_equal_values() {
    assert_eq!(trend(&[3, 3]), Some(Trend::Stagnant));
    assert_eq!(trend(&[0, 0]), Some(Trend::Stagnant));
    assert_eq!(trend(&[-2, 2]), Some(Trend::Stagnant));
    assert_eq!(trend(&[3]), None, "with one value there is nothing to compare");
    assert_eq!(trend(&[0]), None);
}

#[test]
fn json_round_trip() {
    let gap = measured("2", "0", Some("3"));
    assert_eq!(read::<Gap>(&written(&gap)), gap);
    let one = measured("2", "0", None);
    assert_eq!(read::<Gap>(&written(&one)), one);
    assert!(written(&one).contains("\"trend\": null"));
}

#[test]
fn negative_delta_flagged_as_worsening() {
    assert_eq!(trend(&[-1]), Some(Trend::Worsening), "at once");
    assert_eq!(trend(&[-3, -1]), Some(Trend::Worsening));
    assert_eq!(trend(&[5, -1]), Some(Trend::Worsening));
}

#[test]
fn custom_metric_type_passthrough() {
    let text = written(&measured("2", "0", Some("3")))
        .replace("test_failure_count", "smells")
        .replace("improving", "meandering");
    round_trips::<Gap>(&text);
    assert_eq!(read::<Gap>(&text).metric_type, MetricType::Other("smells".into()));
}

#[test]
fn deterministic_output() {
    let expected = "{\"metric_type\":\"test_failure_count\",\"current_value\":2,\"target_value\":0,\
        \"delta\":2,\"converged\":false,\"trend\":\"improving\"}";
    let gap = measured("2", "0", Some("3"));
    assert_eq!(serde_json::to_string(&gap).expect("written"), expected);
}

#[test]
fn delta_auto_computed() {
    let text = "{\"current_value\":5,\"target_value\":2,\"delta\":99,\"converged\":true}";
    let gap: Gap = read(text);
    assert_eq!((gap.delta, gap.converged), (Amount::from(3), false));
    assert_eq!(measured("0.5", "0.25", None).delta, "0.25".parse().expect("a number"));
    let far = measured("1e308", "-1e308", None);
    assert!(far.delta.value().is_finite(), "also where it is too large for a float");
}

#[test]
fn schema_constructable() {
    let gap = measured("1", "0", None);
    assert_eq!(gap.metric_type, MetricType::TestFailureCount);
    assert_eq!(MetricType::KNOWN.len(), 4);
    for wrong in ["NaN", "inf", "-inf", "1e999", "", "three", "0x3"] {
        assert!(wrong.parse::<Amount>().is_err(), "{wrong}");
    }
}

#[test]
fn integers_stay_integers() {
    for (text, kept) in [
        ("3", "3"),
        ("-0", "-0.0"),
        ("3.0", "3.0"),
        ("18446744073709551615", "18446744073709551615"),
    ] {
        assert_eq!(text.parse::<Amount>().expect("a number").to_string(), kept);
    }
    let exact = measured("18446744073709551615", "18446744073709551614", None);
    assert_eq!(exact.delta, Amount::from(1));
}

#[test]
fn a_trend_compares_values_of_the_same_metric_only() {
    let mut session = session(9);
    with_gap(&mut session, 1, 3);
    let mut other = attempt(&session, 2);
    other.gap = Some(NewGap::to_zero(MetricType::ErrorCount, 9_u64));
    record(&mut session, other, at(2)).expect("recorded");
    assert_eq!(session.gap.as_ref().and_then(|gap| gap.trend.clone()), None);
    with_gap(&mut session, 3, 2);
    assert_eq!(session.gap.as_ref().and_then(|gap| gap.trend.clone()), Some(Trend::Improving));
}
