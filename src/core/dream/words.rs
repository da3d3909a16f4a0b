//! The words of associations and of the advice on them (dream.md, "Run", 3 and
//! 4; the published wording).

use std::borrow::Cow;

use super::associate::{Association, Subject};
use super::file::Insight;
use super::identity::{Identity, Kind};

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

impl Insight {
    /// What was found, as people are told it: where the published wording says only that
    /// two domains differ, which of them is the worse one.
    pub fn said(&self) -> Cow<'_, str> {
        self.worse_side().map_or_else(|| self.finding().into(), Cow::from)
    }

    fn worse_side(&self) -> Option<String> {
        let [a, b] = self.domains.as_slice() else { return None };
        let average = |name: &str| averaged(self.finding(), name);
        let worse = match self.direction.as_str() {
            // Another tool's dream names no direction: its averages tell.
            "" => average(a)?.parse::<f64>().ok()? < average(b)?.parse::<f64>().ok()?,
            way if way == a => true,
            way if way == b => false,
            _ => return None,
        };
        let (weak, strong) = if worse { (a, b) } else { (b, a) };
        let side = |name: &str| match average(name) {
            Some(average) => format!("{name} (avg {average})"),
            None => name.to_owned(),
        };
        let subject = match self.kind() {
            Kind::CrossDomain => format!("Phase {}", self.phases.first()?),
            Kind::SkillMismatch => self.skills.first()?.clone(),
            Kind::PhaseCorrelation | Kind::Temporal | Kind::Pattern => return None,
        };
        let stop = if self.finding().ends_with('.') { "." } else { "" };
        Some(format!("{subject} does worse in {} than in {}{stop}", side(weak), side(strong)))
    }
}

/// The average that a finding tells of a domain.
fn averaged<'t>(finding: &'t str, domain: &str) -> Option<&'t str> {
    let told = |word: &str| finding.split_once(&format!(" {word} {domain} (avg "));
    let (_, rest) = told("in").or_else(|| told("vs"))?;
    rest.split_once(')').map(|(average, _)| average)
}
