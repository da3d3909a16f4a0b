//! What changed between two dreams (dream.md, "Between dreams").

use std::collections::HashMap;

use serde::Serialize;
use strum::{AsRefStr, Display};

use super::file::{Dream, Insight};

/// How an insight stands to an earlier dream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, AsRefStr, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Change {
    /// Not there before.
    New,
    /// There before too.
    Persisting,
    /// There before, pointing the other way.
    Turned,
    /// No longer there.
    Gone,
}

/// One insight and how it stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// How it stands.
    pub change: Change,
    /// As the later dream has it; the earlier one's if it is gone.
    pub insight: Insight,
    /// As the earlier dream has it, if it is there and not gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Insight>,
}

/// Compares two dreams: the later one's insights in their order, then what is gone.
pub fn compare(earlier: Option<&Dream>, later: &Dream) -> Vec<Compared> {
    let old = earlier.map_or(&[][..], |dream| dream.insights.as_slice());
    let same: HashMap<String, &Insight> = old.iter().map(|i| (i.identity(), i)).collect();
    let mut used: Vec<&Insight> = Vec::new();
    let mut all: Vec<Compared> = Vec::new();
    for insight in &later.insights {
        let about = |i: &&Insight| i.core().is_some() && i.core() == insight.core();
        let (change, before) = match same.get(&insight.identity()) {
            Some(before) => (Change::Persisting, Some(*before)),
            None => match old.iter().find(about) {
                Some(before) if before.is_foreign() => (Change::Persisting, Some(before)),
                Some(before) if !insight.direction.is_empty() && insight.kind != "pattern" => {
                    (Change::Turned, Some(before))
                }
                _ => (Change::New, None),
            },
        };
        used.extend(before);
        all.push(Compared { change, insight: insight.clone(), before: before.cloned() });
    }
    let gone = old.iter().filter(|i| !used.iter().any(|u| std::ptr::eq(*u, *i)));
    all.extend(gone.map(|insight| Compared {
        change: Change::Gone,
        insight: insight.clone(),
        before: None,
    }));
    all
}
