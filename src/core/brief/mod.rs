//! Briefs: the message that a slot works from (engine.md §8). A pure function
//! of a loop, the bodies of its artifacts, a slot, the memory and some options.
//!
//! - [`tokens`] — text as search terms, in any script;
//! - [`rank`] — which memory items fit a text best;
//! - [`profile`] — voices, and what they look at;
//! - [`assemble()`] — the message itself, never longer than its cap.

mod assemble;
mod cut;
mod frame;
mod history;
pub mod paths;
pub mod profile;
pub mod rank;
mod subject;
pub mod tokens;
mod words;

use serde::Serialize;

use crate::core::loops::Loop;
use crate::core::loops::ids::{ArtifactId, Name};
use crate::core::loops::model::{Artifact, Slot};
use crate::core::loops::protocol::Phase;
use crate::core::memory::Category;

pub use assemble::assemble;
pub use profile::Profile;
pub use rank::MemoryIndex;
pub use words::condition_in_words;

/// Characters that a brief has at most unless told otherwise.
pub const DEFAULT_MAX_CHARS: usize = 48_000;
/// The least cap that can be asked for.
pub const MIN_MAX_CHARS: usize = 4_000;
/// Memory items of a category that a brief shows unless told otherwise.
pub const DEFAULT_TOP_K: usize = 8;

/// One memory item as a brief ranked it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedItem {
    /// The item's id.
    pub id: Name,
    /// Its category.
    pub category: Category,
    /// Its title.
    #[serde(skip)]
    pub title: String,
    /// Its BM25 score; 0 for a recent one that didn't match.
    pub score: f64,
    /// The terms of the query that it has, the weightiest first.
    pub matched_terms: Vec<String>,
    /// Whether the brief holds it (else the cap dropped it).
    pub included: bool,
}

/// A brief and what went into it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Brief {
    /// The message.
    pub text: String,
    /// Its length in characters (Unicode scalar values).
    pub chars: usize,
    /// Whether the cap left something out.
    pub truncated: bool,
    /// How many memory items it holds.
    pub included_items: usize,
    /// How many were dropped.
    pub dropped_items: usize,
    /// The categories that it drew from.
    pub categories_used: Vec<Category>,
    /// The items, by category and rank.
    pub items: Vec<RankedItem>,
    /// What the reader should know ("no memory in …").
    #[serde(skip)]
    pub warnings: Vec<String>,
}

/// How artifacts' bodies are looked up; none if a body cannot be read.
pub type Bodies<'a> = dyn Fn(&ArtifactId) -> Option<String> + 'a;

/// How much a brief may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Characters in all, at least [`MIN_MAX_CHARS`].
    pub max_chars: usize,
    /// Memory items of a category.
    pub top_k: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_chars: DEFAULT_MAX_CHARS, top_k: DEFAULT_TOP_K }
    }
}

/// All that a brief is made from.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The loop.
    pub state: &'a Loop,
    /// The slot that will read it; a loop may have none.
    pub slot: Option<&'a Slot>,
    /// The profile that the slot speaks with.
    pub profile: Option<&'a Profile>,
    /// The artifacts' bodies.
    pub bodies: &'a Bodies<'a>,
    /// The project's memory.
    pub index: &'a MemoryIndex,
    /// How much it may hold.
    pub limits: Limits,
}

impl<'a> Input<'a> {
    fn phase(&self) -> Option<&'a Phase> {
        self.state.phase()
    }

    /// Whether this is the phase that sees nothing of the argument (engine.md §3, presets).
    fn is_reframe(&self) -> bool {
        &*self.state.current_phase == "reframe"
    }

    /// Whether the loop's critiques are settled here: they are listed with how they stand.
    fn is_settling(&self) -> bool {
        matches!(&*self.state.current_phase, "synthesis" | "conclude")
    }

    /// What of the memory is seen, the profile's narrowing applied.
    fn categories(&self) -> Vec<Category> {
        let of_phase = match self.phase() {
            Some(phase) => phase.categories(),
            None => Category::USER.to_vec(),
        };
        self.profile.map_or(of_phase.clone(), |profile| profile.within(&of_phase))
    }

    /// The artifacts that count, newest first.
    fn newest(&self) -> impl Iterator<Item = &'a Artifact> + use<'a> {
        self.state.artifacts.iter().rev().map(|artifact| &**artifact).filter(|a| a.counts())
    }

    /// What an artifact says, in full; and whether that could be read.
    fn body(&self, artifact: &Artifact) -> (String, bool) {
        match (self.bodies)(&artifact.artifact_id) {
            Some(body) if !body.is_empty() => (body, true),
            read => words::stand_in(artifact, read.is_some()),
        }
    }
}

#[cfg(test)]
mod tests;
