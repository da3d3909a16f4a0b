//! The words of associations and of the advice on them (dream.md, "Run", 3 and
//! 4; the published wording).

use super::associate::{Association, Subject};
use super::identity::Identity;

/// What an association says.
pub fn text(found: &Association, identity: &Identity<'_>) -> String {
    let core = &identity.core;
    let (a, b) = (core.domains.0.unwrap_or_default(), core.domains.1.unwrap_or_default());
    match found.subject {
        Subject::CrossDomain { .. } => format!(
            "Phase {} performs differently in {a} (avg {}) vs {b} (avg {})",
            core.phases.0.unwrap_or_default(),
            found.averages.0.two_places(),
            found.averages.1.two_places()
        ),
        Subject::SkillMismatch { .. } => {
            format!("{} performs differently in {a} vs {b}", core.skills.0.unwrap_or_default())
        }
        Subject::PhaseCorrelation { .. } => {
            let (earlier, later) = in_time(identity);
            format!("Low performance in {earlier} correlates with low performance in {later}")
        }
        Subject::Temporal { improving: true } => {
            "Overall system performance is improving".to_owned()
        }
        Subject::Temporal { improving: false } => {
            "Overall system performance is degrading -- investigate".to_owned()
        }
    }
}

/// What to do about it.
pub fn advice(found: &Association, identity: &Identity<'_>) -> String {
    let core = &identity.core;
    let weaker = identity.direction;
    match found.subject {
        Subject::CrossDomain { .. } => format!(
            "Consider adjusting time budget for {} in {weaker}",
            core.phases.0.unwrap_or_default()
        ),
        Subject::SkillMismatch { .. } => format!(
            "Consider using alternative skill/approach for {} in {weaker}",
            core.skills.0.unwrap_or_default()
        ),
        Subject::PhaseCorrelation { .. } => {
            let (earlier, later) = in_time(identity);
            format!("Improving {earlier} may improve {later} outcomes")
        }
        Subject::Temporal { improving: true } => "Current approach is working well".to_owned(),
        Subject::Temporal { improving: false } => {
            "Review recent changes to pipeline configuration".to_owned()
        }
    }
}

/// The two phases, the earlier one first.
fn in_time<'a>(identity: &Identity<'a>) -> (&'a str, &'a str) {
    let (a, b) =
        (identity.core.phases.0.unwrap_or_default(), identity.core.phases.1.unwrap_or_default());
    if identity.direction == a { (a, b) } else { (b, a) }
}
