//! Which candidates are new: an import that is repeated adds nothing twice.

use std::collections::{HashMap, HashSet};

use super::{Candidate, Collected};
use crate::core::memory::MemoryItem;
use crate::core::text::{has_visible, sha256_hex};
use crate::core::time::Timestamp;
use crate::store::memory::format::{content_hash, plain_text};
use crate::store::memory::{Import, Snapshot, Stored, id_of_content};

/// What an import is going to write, and what it leaves out.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// What is written.
    pub imports: Vec<Import>,
    /// What is not: the place and the reason.
    pub left_out: Vec<(String, String)>,
    /// How many things were looked at.
    pub total: usize,
}

/// Weighs candidates against the items that are there.
///
/// The same content is never taken in twice. A candidate from the same place as
/// an item that was not touched since it was imported is its newer text; an item
/// that was changed here stays as it is.
pub fn plan(collected: Collected, there: &Snapshot, now: Timestamp) -> Plan {
    let total = collected.candidates.len() + collected.left_out.len();
    let mut planner = Planner {
        there,
        by_content: there.by_content(),
        by_source: there
            .items()
            .filter_map(|stored| Some((stored.item.source.as_deref()?, stored)))
            .filter(|(_, stored)| stored.content_hash.is_some())
            .collect(),
        now,
        taken: HashSet::new(),
        seen: HashMap::new(),
    };
    let mut plan = Plan { imports: Vec::new(), left_out: collected.left_out, total };
    for candidate in collected.candidates {
        let place = candidate.place.clone();
        match planner.weigh(candidate) {
            Ok(import) => plan.imports.push(import),
            Err(reason) => plan.left_out.push((place, reason)),
        }
    }
    plan
}

struct Planner<'a> {
    there: &'a Snapshot,
    by_content: HashMap<String, &'a Stored>,
    by_source: HashMap<&'a str, &'a Stored>,
    now: Timestamp,
    /// Ids that this import gives out.
    taken: HashSet<String>,
    /// Where each content of this import came from.
    seen: HashMap<String, String>,
}

impl Planner<'_> {
    fn weigh(&mut self, candidate: Candidate) -> Result<Import, String> {
        let text = plain_text(&candidate.text);
        if !has_visible(&text) || !has_visible(&candidate.title) {
            return Err("it says nothing".into());
        }
        let hash = content_hash(candidate.category, &candidate.title, &text);
        if let Some(stored) = self.by_content.get(&hash) {
            return Err(format!("already there as {}", stored.item.id));
        }
        if let Some(other) = self.seen.insert(hash.clone(), candidate.place.clone()) {
            return Err(format!("says the same as {other}"));
        }
        let former = match &candidate.id {
            Some(id) => self.there.get(id),
            None => self.by_source.get(candidate.source.as_str()).copied(),
        };
        if let Some(stored) = former {
            return self.newer_text(stored, candidate, text, hash);
        }
        let id = candidate.id.clone().filter(|id| !self.taken.contains(id));
        let id = id.unwrap_or_else(|| self.free_id(&candidate, &hash));
        self.taken.insert(id.clone());
        let item = MemoryItem {
            id: id.into(),
            category: candidate.category,
            title: candidate.title,
            text,
            tags: candidate.tags,
            paths: candidate.paths,
            source: Some(candidate.source),
            created_at: candidate.created_at.unwrap_or(self.now),
        };
        Ok(Import { item, content_hash: hash, replaces: None })
    }

    fn newer_text(
        &mut self,
        stored: &Stored,
        candidate: Candidate,
        text: String,
        hash: String,
    ) -> Result<Import, String> {
        let id = &stored.item.id;
        if stored.content_hash.as_deref() != Some(&stored.current_hash()) {
            return Err(match stored.content_hash {
                Some(_) => {
                    format!("{id} came from it and was changed here since; it is left as it is")
                }
                None => format!("{id} is there with another text; it is left as it is"),
            });
        }
        if candidate.created_at.is_some_and(|at| at < stored.item.created_at) {
            return Err(format!("{id} holds a text of a later date; it is left as it is"));
        }
        if !self.taken.insert(id.to_string()) {
            return Err(format!("{id} has taken another text of this import"));
        }
        let item = MemoryItem {
            title: candidate.title,
            text,
            tags: candidate.tags,
            created_at: candidate.created_at.unwrap_or(stored.item.created_at),
            category: candidate.category,
            ..(*stored.item).clone()
        };
        Ok(Import { item, content_hash: hash, replaces: Some(stored.clone()) })
    }

    /// An id that follows from the content; another one where that is taken.
    fn free_id(&self, candidate: &Candidate, hash: &str) -> String {
        let mut hash = hash.to_owned();
        loop {
            let id = id_of_content(candidate.category, &hash);
            if self.there.get(&id).is_none() && !self.taken.contains(&id) {
                return id;
            }
            hash = sha256_hex(hash.as_bytes());
        }
    }
}
