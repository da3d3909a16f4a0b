//! The project's memory as values: categories and items.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumIter, EnumString, IntoStaticStr};

use super::time::Timestamp;

/// What a piece of project memory is about, or which part of a loop's own
/// history it comes from. A closed set (engine.md §3).
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    AsRefStr,
    Display,
    EnumIter,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Category {
    /// Known ways in which things went wrong here.
    Traps,
    /// What people said about earlier work.
    Feedback,
    /// Observations from running the system.
    RuntimeNotes,
    /// Decisions that stand.
    Decisions,
    /// Limits that must be kept.
    Constraints,
    /// Where earlier work was handed over.
    Handoffs,
    /// Plans made.
    Plans,
    /// Things under consideration.
    Candidates,
    /// What the project is for.
    ProjectVision,
    /// Critiques of earlier rounds of the same loop.
    CritiqueHistory,
    /// Revisions of earlier rounds of the same loop.
    RevisionHistory,
    /// The latest synthesis of the same loop.
    SynthesisArtifact,
}

impl Category {
    /// The nine categories that people file memory under, which `*` expands to.
    pub const USER: [Category; 9] = [
        Category::Traps,
        Category::Feedback,
        Category::RuntimeNotes,
        Category::Decisions,
        Category::Constraints,
        Category::Handoffs,
        Category::Plans,
        Category::Candidates,
        Category::ProjectVision,
    ];

    /// Whether people may file memory under it (else it is a loop's own history).
    pub fn is_user(self) -> bool {
        Self::USER.contains(&self)
    }

    /// The prefix of this category's item ids, `trp_` for traps; empty for the
    /// loop-internal ones (store.md, "Memory items").
    pub fn id_prefix(self) -> &'static str {
        match self {
            Category::Traps => "trp_",
            Category::Feedback => "fb_",
            Category::RuntimeNotes => "not_",
            Category::Decisions => "dec_",
            Category::Constraints => "con_",
            Category::Handoffs => "hnd_",
            Category::Plans => "pln_",
            Category::Candidates => "can_",
            Category::ProjectVision => "vis_",
            Category::CritiqueHistory | Category::RevisionHistory | Category::SynthesisArtifact => {
                ""
            }
        }
    }

    /// The category whose ids begin like this one; `fbk_` is read as feedback too.
    pub fn of_id(id: &str) -> Option<Category> {
        if id.starts_with("fbk_") {
            return Some(Category::Feedback);
        }
        Self::USER.into_iter().find(|c| id.starts_with(c.id_prefix()))
    }
}

/// One remembered thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryItem {
    /// Its id, `trp_` + 8 hex digits and the like.
    pub id: Arc<str>,
    /// What it is about.
    pub category: Category,
    /// One line.
    pub title: String,
    /// The whole text, Markdown.
    pub text: String,
    /// Free labels.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Paths or globs of the workspace that it speaks of; empty = all of it.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Where it came from (`loop:<id>/<artifact>@seq`, a file, a person).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// When it was recorded.
    pub created_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_tell_their_category() {
        assert_eq!(Category::of_id("trp_0011aabb"), Some(Category::Traps));
        assert_eq!(Category::of_id("fbk_0011aabb"), Some(Category::Feedback));
        assert_eq!(Category::of_id("fb_0011aabb"), Some(Category::Feedback));
        assert_eq!(Category::of_id("xyz_1"), None);
        assert_eq!("runtime_notes".parse(), Ok(Category::RuntimeNotes));
    }
}
