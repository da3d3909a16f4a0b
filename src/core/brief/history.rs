//! Parts 3 and 5: what was said this round, and in earlier ones.

use std::collections::HashSet;

use super::Input;
use super::cut::chars;
use super::words::{by, clip, flat, indented, kind_of, name};
use crate::core::loops::coverage::{CoverState, Coverage, coverage};
use crate::core::loops::ids::ArtifactId;
use crate::core::loops::model::{Artifact, PREVIEW_CHARS};
use crate::core::memory::Category;

/// One list entry about an artifact, kept or dropped whole.
pub(super) struct Entry {
    /// Which artifact.
    pub id: ArtifactId,
    /// The entry, ending in a line feed.
    pub text: String,
    /// Its length in characters.
    pub chars: usize,
    /// Whether all of its body could be read.
    pub complete: bool,
}

impl Entry {
    fn new(artifact: &Artifact, text: String) -> Self {
        let chars = chars(&text);
        Self { id: artifact.artifact_id.clone(), text, chars, complete: true }
    }
}

/// Entries, oldest first, and the ids of those that were left out unread since
/// the newer ones fill the brief already.
#[derive(Default)]
pub(super) struct Entries {
    /// The entries.
    pub list: Vec<Entry>,
    /// Older ones for which there is no room in any case, oldest first.
    pub without_room: Vec<ArtifactId>,
}

/// Part 3. `above` are the artifacts that part 2 shows.
pub(super) fn this_round(input: &Input<'_>, above: &HashSet<ArtifactId>) -> Entries {
    if input.is_reframe() {
        return Entries::default();
    }
    let marks = input.is_settling().then(|| coverage(input.state));
    let now = input.state.iteration_count;
    let mut latest_answer = input.is_settling();
    let mut entries = Entries::default();
    let mut room = input.limits.max_chars;
    for artifact in input.newest() {
        let is_answer = matches!(&*artifact.artifact_type, "revision" | "synthesis");
        let in_full = artifact.iteration == now || (latest_answer && is_answer);
        latest_answer &= !is_answer;
        let listed = input.is_settling() && is_critical(artifact);
        if !in_full && !listed {
            continue;
        }
        if room == 0 {
            entries.without_room.push(artifact.artifact_id.clone());
            continue;
        }
        let mark = marks.as_ref().and_then(|marks| standing(marks, artifact)).unwrap_or_default();
        let head = head(input, artifact, &mark);
        let entry = if above.contains(&artifact.artifact_id) {
            Entry::new(artifact, format!("{head} (above)\n"))
        } else if in_full {
            full(input, artifact, &head)
        } else {
            Entry::new(artifact, format!("{head}: {}\n", preview(artifact)))
        };
        room = room.saturating_sub(entry.chars);
        entries.list.push(entry);
    }
    entries.list.reverse();
    entries.without_room.reverse();
    entries
}

fn is_critical(artifact: &Artifact) -> bool {
    matches!(&*artifact.artifact_type, "critique" | "finding")
}

/// `- [id] phase · type/subtype · by`, with the round if it is another one.
fn head(input: &Input<'_>, artifact: &Artifact, mark: &str) -> String {
    let round = match artifact.iteration {
        iteration if iteration == input.state.iteration_count => String::new(),
        iteration => format!("round {} · ", u64::from(iteration) + 1),
    };
    let phase = name(&artifact.phase);
    let (kind, by) = (kind_of(artifact), by(artifact));
    format!("- [{}] {round}{phase} · {kind} · {by}{mark}", artifact.artifact_id)
}

fn full(input: &Input<'_>, artifact: &Artifact, head: &str) -> Entry {
    let (body, complete) = input.body(artifact);
    let text = match body.trim_end() {
        "" => format!("{head}\n"),
        body => format!("{head}\n  {}\n", indented(body)),
    };
    Entry { complete, ..Entry::new(artifact, text) }
}

/// How a critique stands, as a mark: ` · addressed by art_…`, ` · waived: why`, ` · open`.
fn standing(marks: &Coverage, artifact: &Artifact) -> Option<String> {
    let row = marks.critiques.iter().find(|row| row.artifact_id == artifact.artifact_id)?;
    Some(match row.state {
        CoverState::Open => " · open".into(),
        CoverState::Waived => match &row.reason {
            Some(reason) => format!(" · waived: {}", clip(&flat(reason), 100)),
            None => " · waived".into(),
        },
        CoverState::Addressed => match row.by.last() {
            Some(by) => format!(" · addressed by {by}"),
            None => " · addressed".into(),
        },
    })
}

/// Part 5. `above` are the artifacts that the parts before show.
pub(super) fn earlier_rounds(input: &Input<'_>, above: &HashSet<ArtifactId>) -> Entries {
    let now = input.state.iteration_count;
    if now == 0 || input.is_reframe() {
        return Entries::default();
    }
    let wanted = wanted_types(&input.categories());
    let mut entries = Entries::default();
    let mut room = input.limits.max_chars;
    for artifact in input.newest() {
        if artifact.iteration >= now
            || !wanted.contains(&&*artifact.artifact_type)
            || above.contains(&artifact.artifact_id)
        {
            continue;
        }
        if room == 0 {
            entries.without_room.push(artifact.artifact_id.clone());
            continue;
        }
        let text = format!("{}: {}\n", head(input, artifact, ""), preview(artifact));
        let entry = Entry::new(artifact, text);
        room = room.saturating_sub(entry.chars);
        entries.list.push(entry);
    }
    entries.list.reverse();
    entries.without_room.reverse();
    entries
}

/// The artifact types that stand for the parts of the loop's own history that
/// a filter names; all of them if it names none.
fn wanted_types(categories: &[Category]) -> Vec<&'static str> {
    let mut wanted = Vec::new();
    for category in categories {
        wanted.extend_from_slice(match category {
            Category::CritiqueHistory => &["critique", "finding", "verdict", "verify_report"][..],
            Category::RevisionHistory => &["revision"],
            Category::SynthesisArtifact => &["synthesis"],
            _ => &[],
        });
    }
    if wanted.is_empty() {
        wanted = vec!["critique", "revision", "finding", "verdict", "verify_report"];
    }
    wanted
}

fn preview(artifact: &Artifact) -> String {
    let cut = (artifact.preview.len() as u64) < artifact.byte_count;
    let text = clip(&artifact.preview, PREVIEW_CHARS);
    let text = flat(&text);
    if cut && !text.ends_with('…') { format!("{text}…") } else { text }
}
