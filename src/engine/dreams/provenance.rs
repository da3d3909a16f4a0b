//! What an insight rests on, down to the files; and what would be without some
//! of it (dream.md, "Looking").

use std::collections::HashMap;
use std::sync::Arc;

use super::limits;
use super::look::has_sides;
use crate::core::dream::identity::Kind;
use crate::core::dream::memory::{Memory, Row};
use crate::core::dream::number::Sum;
use crate::core::dream::what_if::{WhatIf, what_if};
use crate::core::dream::{DreamId, Insight, Request, Thousandths};
use crate::core::loops::refusal::Refusal;
use crate::engine::api::{Error, Provenance, Result, Side, Supposition};
use crate::engine::inner::{Engine, Inner};
use crate::engine::rewards::{by_id, everything};

impl Engine {
    /// Opens an insight to its sides, their records and files.
    ///
    /// # Errors
    /// As [`Engine::insight`].
    pub fn dream_provenance(&self, id: &str) -> Result<Provenance> {
        let (view, seen) = self.insight(id)?;
        let memory = self.inner.rewards_memory()?;
        let sides = self.inner.sides(&memory, &seen.insight);
        let own = seen.insight.own_evidence.unwrap_or(seen.insight.evidence_count);
        let from_earlier = seen.insight.evidence_count.saturating_sub(own);
        let dream_id = DreamId::parse(&view.dream.dream_id)
            .ok_or_else(|| Error::new("damaged", "the dream has no proper id"))?;
        Ok(Provenance { seen, dream_id, sides, from_earlier })
    }

    /// What changes if something is left out or a limit is moved: the same
    /// records twice, without merging.
    ///
    /// # Errors
    /// `item_not_found` if a record, case or domain is to be left out that is not
    /// there; if the folder of records cannot be listed; `no_data`, `insufficient_data`
    /// where there is nothing to begin with.
    pub fn dream_what_if(&self, suppose: &Supposition) -> Result<WhatIf> {
        let inner = &self.inner;
        let mut warnings = Vec::new();
        let foreign = inner.foreign_patterns(&mut warnings);
        let request = Request {
            settings: inner.settings.now().config.dream.run,
            limits: limits(),
            foreign: &foreign,
            marks: inner.marks(&mut warnings),
            ..Request::at(inner.time.now())
        };
        let memory = inner.rewards_memory()?;
        if let Some(what) = suppose.without.names_nothing(&memory) {
            let refusal = Refusal::new("item_not_found", format!("no reward record is of {what}"))
                .detail("given", what)
                .step("see the records", "loopdeck rewards list");
            return Err(refusal.into());
        }
        Ok(what_if(&memory, &request, &suppose.without, &suppose.limits))
    }
}

impl Inner {
    /// The sides of an insight, by the ids that it rests on.
    fn sides(&self, memory: &Memory, insight: &Insight) -> Vec<Side> {
        let kept = everything(memory, self.time.now());
        let Some(support) = &insight.support else {
            return vec![self.foreign_side(memory, insight, &kept.rows)];
        };
        let rows = by_id(&kept);
        let mut sides = Vec::new();
        for (name, ids) in support {
            if insight.kind() == Kind::PhaseCorrelation {
                let mut cases = by_case(memory, insight, &kept.rows);
                sides.extend(ids.iter().map(|case| {
                    let found = cases.remove(&**case).unwrap_or_default();
                    let missing =
                        if found.is_empty() { vec![Arc::clone(case)] } else { Vec::new() };
                    self.side(memory, case, found, missing)
                }));
                continue;
            }
            let found: Vec<&Row> = ids.iter().filter_map(|id| rows.get(&**id).copied()).collect();
            let is_missing = |id: &&Arc<str>| !rows.contains_key(&***id);
            let missing = ids.iter().filter(is_missing).cloned().collect();
            sides.push(self.side(memory, name, found, missing));
        }
        // Domains in the order in which the insight names them.
        if has_sides(insight.kind()) {
            sides.sort_by_key(|side| insight.domains.iter().position(|d| *d == side.name));
        }
        sides
    }

    /// Records that bear all the names of an insight whose ids are not known.
    fn foreign_side(&self, memory: &Memory, insight: &Insight, rows: &[&Row]) -> Side {
        let named = |names: &[String], number: u32| {
            names.is_empty() || names.iter().any(|name| **name == **memory.names.text(number))
        };
        let found = rows.iter().copied().filter(|row| {
            named(&insight.domains, row.domain)
                && named(&insight.phases, row.phase)
                && named(&insight.skills, row.skill)
        });
        self.side(memory, "records of these names", found.collect(), Vec::new())
    }

    fn side(
        &self,
        memory: &Memory,
        name: &str,
        mut rows: Vec<&Row>,
        missing: Vec<Arc<str>>,
    ) -> Side {
        rows.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.id.cmp(&b.id)));
        let mut sum = Sum::default();
        rows.iter().for_each(|row| sum.add(row.reward));
        Side {
            name: name.to_owned(),
            average: Thousandths::of(sum.mean()),
            records: rows.into_iter().map(|row| self.reward_record(memory, row)).collect(),
            missing,
        }
    }
}

/// The records in the phases of a correlation, by `domain/case_slug`.
fn by_case<'m>(
    memory: &Memory,
    insight: &Insight,
    rows: &[&'m Row],
) -> HashMap<String, Vec<&'m Row>> {
    let name = |number: u32| &**memory.names.text(number);
    let mut cases: HashMap<String, Vec<&'m Row>> = HashMap::new();
    for row in rows {
        if insight.phases.iter().any(|phase| phase == name(row.phase)) {
            let case = format!("{}/{}", name(row.domain), name(row.case));
            cases.entry(case).or_default().push(row);
        }
    }
    cases
}
