//! dream.md, Run 4 and the identity of Run 5.

use chrono::DateTime;

use super::arithmetic::{show_limit, show2, thousandths};
use super::pattern::Pattern;
use super::types::{Association, Identity, Insight, Limits, NearMiss, Support};

/// "confidence min(1, evidence/10)".
pub fn confidence(evidence: usize) -> f64 {
    (evidence as f64 / 10.0).min(1.0)
}

/// "(weights 3, 2, 1)".
pub fn weight(impact: &str) -> f64 {
    match impact {
        "high" => 3.0,
        "medium" => 2.0,
        _ => 1.0,
    }
}

/// "impact high > 0.3, medium ≥ 0.15, else low".
fn impact(gap: f64, limits: &Limits) -> &'static str {
    let gap = thousandths(gap);
    if gap > thousandths(limits.high) {
        "high"
    } else if gap >= thousandths(limits.medium) {
        "medium"
    } else {
        "low"
    }
}

/// "type map as in the seed".
fn type_of(kind: &str) -> &'static str {
    match kind {
        "skill_mismatch" => "effectiveness",
        "phase_correlation" => "anti_pattern",
        _ => "performance",
    }
}

/// "description = `{text}. {advice}.`, `advice` also alone".
fn describe(text: &str, advice: &str) -> String {
    if advice.is_empty() { format!("{text}.") } else { format!("{text}. {advice}.") }
}

/// An insight of this dream's own evidence; `earlier::merge` adds the rest.
fn new(
    identity: Identity,
    text: &str,
    advice: &str,
    impact: &'static str,
    evidence: usize,
    support: Support,
    foreign: bool,
) -> Insight {
    Insight {
        insight_id: String::new(),
        identity: identity.hash(),
        identity_parts: identity,
        title: text.to_string(),
        description: describe(text, advice),
        advice: advice.to_string(),
        confidence: confidence(evidence),
        impact,
        rank_score: confidence(evidence) * weight(impact),
        evidence_count: evidence,
        own_evidence: evidence,
        support,
        first_seen: DateTime::UNIX_EPOCH,
        seen_in: Vec::new(),
        turned_from: None,
        foreign,
    }
}

/// One insight for each association.
pub fn from_association(a: &Association, limits: &Limits) -> Insight {
    let identity = Identity {
        r#type: type_of(a.kind).to_string(),
        kind: a.kind.to_string(),
        direction: a.direction.clone(),
        domains: a.domains.clone(),
        phases: a.phases.clone(),
        skills: a.skills.clone(),
    };
    let impact = impact(a.gap, limits);
    new(identity, &a.text, &a.advice, impact, a.evidence_count, a.support.clone(), false)
}

/// "Promoted patterns: … impact medium, type = category, their own text"; "patterns: category,
/// domain, phase, skill, or a foreign pattern's id".
fn from_pattern(p: &Pattern) -> Insight {
    let list = |name: &Option<String>| name.clone().into_iter().collect::<Vec<_>>();
    let identity = Identity {
        r#type: p.category.clone(),
        kind: "pattern".to_string(),
        direction: p.id.clone().unwrap_or_default(),
        domains: list(&p.domain),
        phases: list(&p.phase),
        skills: list(&p.skill),
    };
    let support = Support::Records(p.records.clone());
    new(identity, &p.text, &p.advice, "medium", p.evidence_count, support, p.foreign)
}

/// "not where an association insight has the same domain and (the same phase or the same skill)".
fn said_already(p: &Pattern, associations: &[Association]) -> bool {
    let in_list = |name: &Option<String>, list: &[String]| match name {
        Some(name) => list.contains(name),
        None => false,
    };
    associations.iter().any(|a| {
        in_list(&p.domain, &a.domains)
            && (in_list(&p.phase, &a.phases) || in_list(&p.skill, &a.skills))
    })
}

/// "Promoted patterns: confidence ≥ 0.5 …; of one identity in a file the most confident stays."
/// Also gives the near misses: "a pattern below 0.5 that no association says already counts too".
pub fn promote(
    own: &[Pattern],
    foreign: &[Pattern],
    associations: &[Association],
    limits: &Limits,
) -> (Vec<Insight>, Vec<NearMiss>) {
    let mut stays: Vec<(Insight, &Pattern)> = Vec::new();
    for pattern in own.iter().chain(foreign) {
        let insight = from_pattern(pattern);
        let same = stays.iter_mut().find(|(s, _)| s.identity_parts == insight.identity_parts);
        match same {
            Some(known) => {
                if thousandths(insight.confidence) > thousandths(known.0.confidence) {
                    *known = (insight, pattern);
                }
            }
            None => stays.push((insight, pattern)),
        }
    }

    let mut promoted = Vec::new();
    let mut unsure = Vec::new();
    let limit = thousandths(limits.confidence);
    for (insight, pattern) in stays {
        if said_already(pattern, associations) {
            continue;
        }
        let sure = thousandths(insight.confidence);
        if sure >= limit {
            promoted.push(insight);
        } else {
            unsure.push(NearMiss {
                kind: "pattern",
                category: pattern.category.clone(),
                domains: insight.identity_parts.domains.clone(),
                phases: insight.identity_parts.phases.clone(),
                skills: insight.identity_parts.skills.clone(),
                reason: format!(
                    "confidence {} < {}",
                    show2(insight.confidence),
                    show_limit(limits.confidence)
                ),
                missing: (limit - sure, limit),
            });
        }
    }
    (promoted, unsure)
}
