//! dream.md, Run 3; the advice is worded as in the seed, step 4.4.

use std::collections::{BTreeMap, BTreeSet};

use super::arithmetic::{
    drift, gap_thousandths, halves, mean, mean_of, names, natural, pairs, show_limit, show2, show3,
    thousandths,
};
use super::types::{Association, Limits, NearMiss, Record, Support};

type Found = (Vec<Association>, Vec<NearMiss>);

/// All four kinds over the kept records.
pub fn all(kept: &[&Record], limits: &Limits) -> Found {
    let mut found = (Vec::new(), Vec::new());
    cross_domain(kept, limits, &mut found);
    skill_mismatch(kept, limits, &mut found);
    phase_correlation(kept, limits, &mut found);
    temporal(kept, limits, &mut found);
    found
}

/// Run 5: the ids of some records.
pub fn ids(records: &[&Record]) -> BTreeSet<String> {
    records.iter().map(|r| r.id.clone()).collect()
}

fn of_domain<'a>(records: &[&'a Record], domain: &str) -> Vec<&'a Record> {
    records.iter().copied().filter(|r| r.domain == domain).collect()
}

/// "cross_domain: per phase, every two domains with records there".
fn cross_domain(kept: &[&Record], limits: &Limits, found: &mut Found) {
    for phase in names(kept.iter().map(|r| r.phase.as_str())) {
        let there: Vec<&Record> = kept.iter().copied().filter(|r| r.phase == phase).collect();
        two_domains("cross_domain", &there, &phase, limits, found);
    }
}

/// "skill_mismatch: per skill likewise".
fn skill_mismatch(kept: &[&Record], limits: &Limits, found: &mut Found) {
    for skill in names(kept.iter().map(|r| r.skill.as_str())) {
        let there: Vec<&Record> = kept.iter().copied().filter(|r| r.skill == skill).collect();
        two_domains("skill_mismatch", &there, &skill, limits, found);
    }
}

fn two_domains(
    kind: &'static str,
    there: &[&Record],
    name: &str,
    limits: &Limits,
    found: &mut Found,
) {
    // "names domains A, B and phase P"; "names A, B and the skill".
    let by_phase = kind == "cross_domain";
    let named = |yes: bool| {
        if yes { vec![name.to_string()] } else { Vec::new() }
    };
    let miss = |domains: Vec<String>, reason: String, missing| NearMiss {
        kind,
        category: String::new(),
        domains,
        phases: named(by_phase),
        skills: named(!by_phase),
        reason,
        missing,
    };

    let domains = names(there.iter().map(|r| r.domain.as_str()));
    if domains.len() == 1 {
        // Near misses: "only one domain": one of two is there.
        found.1.push(miss(domains.clone(), "only one domain".into(), (1, 2)));
    }
    for (a, b) in pairs(&domains) {
        let (in_a, in_b) = (of_domain(there, &a), of_domain(there, &b));
        let (avg_a, avg_b) = (mean(&in_a), mean(&in_b));
        let gap = gap_thousandths(avg_a, avg_b);
        let limit = thousandths(limits.gap);
        // "gap > 0.15".
        if gap <= limit {
            let reason = format!("gap {} ≤ {}", show3(gap), show_limit(limits.gap));
            found.1.push(miss(vec![a, b], reason, (limit - gap, limit)));
            continue;
        }
        // Run 4: "the weaker domain is the one with the lower average".
        let weaker = if avg_a < avg_b { a.clone() } else { b.clone() };
        let (text, advice) = if by_phase {
            (
                format!(
                    "Phase {name} performs differently in {a} (avg {}) vs {b} (avg {})",
                    show2(avg_a),
                    show2(avg_b)
                ),
                format!("Consider adjusting time budget for {name} in {weaker}"),
            )
        } else {
            (
                format!("{name} performs differently in {a} vs {b}"),
                format!("Consider using alternative skill/approach for {name} in {weaker}"),
            )
        };
        found.0.push(Association {
            kind,
            direction: weaker,
            phases: named(by_phase),
            skills: named(!by_phase),
            gap: (avg_a - avg_b).abs(),
            // "evidence = the smaller side".
            evidence_count: in_a.len().min(in_b.len()),
            text,
            advice,
            support: Support::Sides(BTreeMap::from([
                (a.clone(), ids(&in_a)),
                (b.clone(), ids(&in_b)),
            ])),
            domains: vec![a, b],
        });
    }
}

/// "phase_correlation: within one case (case_slug and domain), a phase's reward is the mean of its
/// records there; both phases < 0.5 counts one; evidence = cases, ≥ 3. gap = 0.5 − mean of those
/// low values."
fn phase_correlation(kept: &[&Record], limits: &Limits, found: &mut Found) {
    let mut cases: Vec<(&str, &str)> =
        kept.iter().map(|r| (r.domain.as_str(), r.case.as_str())).collect();
    cases.sort();
    cases.dedup();
    let within = |(domain, case): (&str, &str), phase: &str| -> Vec<&Record> {
        let same = |r: &&Record| r.domain == domain && r.case == case && r.phase == phase;
        kept.iter().copied().filter(same).collect()
    };
    let low = thousandths(limits.low);

    for (a, b) in pairs(&names(kept.iter().map(|r| r.phase.as_str()))) {
        let mut support = BTreeSet::new();
        let mut low_values = Vec::new();
        let (mut times_a, mut times_b) = (Fraction::ZERO, Fraction::ZERO);
        for case in &cases {
            let (in_a, in_b) = (within(*case, &a), within(*case, &b));
            if in_a.is_empty() || in_b.is_empty() {
                continue;
            }
            let (avg_a, avg_b) = (mean(&in_a), mean(&in_b));
            if thousandths(avg_a) < low && thousandths(avg_b) < low {
                support.insert(format!("{}/{}", case.0, case.1));
                low_values.extend([avg_a, avg_b]);
                times_a = times_a.plus(mean_time(&in_a));
                times_b = times_b.plus(mean_time(&in_b));
            }
        }
        let count = support.len();
        if count < limits.cases {
            if count > 0 {
                found.1.push(NearMiss {
                    kind: "phase_correlation",
                    category: String::new(),
                    domains: Vec::new(),
                    phases: vec![a, b],
                    skills: Vec::new(),
                    reason: format!("{count} of {} cases", limits.cases),
                    missing: ((limits.cases - count) as i64, limits.cases as i64),
                });
            }
            continue;
        }
        if count == 0 {
            continue;
        }
        // "X is the phase with the earlier mean, over those cases, of its mean timestamp in the case
        // (tie: natural order)". Both sums are over the same cases, so the sums decide.
        let order = times_a.compare(times_b).then(natural(&a, &b));
        let (x, y) = if order.is_le() { (a.clone(), b.clone()) } else { (b.clone(), a.clone()) };
        found.0.push(Association {
            kind: "phase_correlation",
            direction: x.clone(),
            domains: Vec::new(),
            // In name order, so that a turned direction leaves the other parts as they are.
            phases: vec![a, b],
            skills: Vec::new(),
            gap: limits.low - mean_of(&low_values),
            evidence_count: count,
            text: format!("Low performance in {x} correlates with low performance in {y}"),
            advice: format!("Improving {x} may improve {y} outcomes"),
            support: Support::Cases(support),
        });
    }
}

/// "temporal: all records in halves; difference > 0.15; gap = the difference; evidence = the smaller
/// half"; "names nothing".
fn temporal(kept: &[&Record], limits: &Limits, found: &mut Found) {
    let difference = drift(kept);
    let (gap, limit) = (thousandths(difference.abs()), thousandths(limits.gap));
    if gap <= limit {
        found.1.push(NearMiss {
            kind: "temporal",
            category: String::new(),
            domains: Vec::new(),
            phases: Vec::new(),
            skills: Vec::new(),
            reason: format!("gap {} ≤ {}", show3(gap), show_limit(limits.gap)),
            missing: (limit - gap, limit),
        });
        return;
    }
    let (direction, text, advice) = if difference > 0.0 {
        ("improving", "Overall system performance is improving", "Current approach is working well")
    } else {
        (
            "degrading",
            "Overall system performance is degrading -- investigate",
            "Review recent changes to pipeline configuration",
        )
    };
    found.0.push(Association {
        kind: "temporal",
        direction: direction.into(),
        domains: Vec::new(),
        phases: Vec::new(),
        skills: Vec::new(),
        gap: difference.abs(),
        evidence_count: halves(kept).0.len(),
        text: text.into(),
        advice: advice.into(),
        support: Support::Records(ids(kept)),
    });
}

/// An exact mean timestamp, so that a tie is a tie.
#[derive(Clone, Copy)]
struct Fraction {
    top: i128,
    bottom: i128,
}

impl Fraction {
    const ZERO: Fraction = Fraction { top: 0, bottom: 1 };

    fn plus(self, other: Fraction) -> Fraction {
        let top = self.top * other.bottom + other.top * self.bottom;
        let bottom = self.bottom * other.bottom;
        let shared = gcd(top.abs(), bottom);
        Fraction { top: top / shared, bottom: bottom / shared }
    }

    fn compare(self, other: Fraction) -> std::cmp::Ordering {
        (self.top * other.bottom).cmp(&(other.top * self.bottom))
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

fn mean_time(records: &[&Record]) -> Fraction {
    // Microseconds are fine enough for any record and stay far from overflow.
    let sum: i128 = records.iter().map(|r| i128::from(r.timestamp.timestamp_micros())).sum();
    Fraction { top: sum, bottom: records.len() as i128 }
}
