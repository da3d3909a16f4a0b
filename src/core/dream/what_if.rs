//! Counterfactuals: the same records with something left out or a limit moved,
//! without merging, and what changes (dream.md, "Looking").

use std::collections::HashMap;

use serde::Serialize;

use super::file::{Dream, Insight};
use super::limits::Limits;
use super::memory::Memory;
use super::near::Miss;
use super::run::{Request, dream};
use super::select::{Without, select};

/// How one insight fares.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fate {
    /// As it is with what is left out, or as it was if it falls.
    pub insight: Insight,
    /// Its place before, from 1; absent if it is new.
    pub before: Option<usize>,
    /// Its place after, from 1; absent if it falls.
    pub after: Option<usize>,
}

/// What changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WhatIf {
    /// Records before.
    pub records_before: usize,
    /// Records after.
    pub records_after: usize,
    /// The status after: completed, or insufficient_data.
    pub status: String,
    /// Those that stay or are new, in their order after; then those that fall.
    pub fates: Vec<Fate>,
    /// What comes near after.
    pub near_misses: Vec<Miss>,
}

impl WhatIf {
    /// Whether no insight falls, comes or changes its place.
    pub fn changes_nothing(&self) -> bool {
        self.fates.iter().all(|fate| fate.before == fate.after)
    }
}

/// Dreams twice, once as it is and once with the change, and compares.
pub fn what_if(
    memory: &Memory,
    request: &Request<'_>,
    without: &Without,
    limits: &Limits,
) -> WhatIf {
    let alone = Request { earlier: &[], ..request.clone() };
    let before = dream(memory, &alone).dream;
    let changed = Request { without: without.clone(), limits: limits.clone(), ..alone.clone() };
    let after = dream(memory, &changed).dream;
    let places: HashMap<&str, usize> = before
        .insights
        .iter()
        .enumerate()
        .map(|(place, insight)| (insight.identity.as_str(), place + 1))
        .collect();
    let mut fates: Vec<Fate> = after
        .insights
        .iter()
        .enumerate()
        .map(|(place, insight)| Fate {
            insight: insight.clone(),
            before: places.get(insight.identity.as_str()).copied(),
            after: Some(place + 1),
        })
        .collect();
    let stays = |insight: &Insight| after.insights.iter().any(|i| i.identity == insight.identity);
    fates.extend(before.insights.iter().enumerate().filter(|(_, i)| !stays(i)).map(
        |(place, insight)| Fate { insight: insight.clone(), before: Some(place + 1), after: None },
    ));
    WhatIf {
        records_before: records(memory, &alone, &before),
        records_after: records(memory, &changed, &after),
        status: after.status,
        fates,
        near_misses: after.near_misses,
    }
}

/// The records that a dream is made of, also where they are too few for one.
fn records(memory: &Memory, request: &Request<'_>, dream: &Dream) -> usize {
    if dream.status == Dream::COMPLETED || !memory.is_there {
        return dream.records_analyzed;
    }
    let now = request.now.to_utc();
    select(memory, request.settings, &request.limits, &request.without, now).rows.len()
}
