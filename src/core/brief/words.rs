//! Small turns of phrase that the parts of a brief share.

use crate::core::loops::condition::{Condition, Scope};
use crate::core::loops::model::Artifact;
use crate::core::text::first_chars;

/// Characters of a name (a role, a type, an agent) that a brief shows.
const NAME_CHARS: usize = 64;

/// A condition in words: `at least 3 artifacts of type critique in this phase and round`.
pub fn condition_in_words(condition: &Condition) -> String {
    match condition {
        Condition::PhaseReached { phase } => format!("the loop is in phase {phase}"),
        Condition::ReviewerGreen => "the reviewers accepted this round".into(),
        Condition::MaxIterations { n } => format!("{n} rounds are finished"),
        Condition::MinIterations { n } => format!("at least {n} rounds are finished"),
        Condition::ArtifactProduced { phase, artifact_type } => {
            format!("phase {phase} holds an artifact of type {artifact_type}")
        }
        Condition::MinArtifactsByType { artifact_type, n, scope } => {
            let place = match scope {
                Scope::Phase => "this phase and round",
                Scope::Loop => "the whole loop",
            };
            format!("at least {n} different usable artifacts of type {artifact_type} in {place}")
        }
        Condition::NoOpenQuestions => "no question is open".into(),
        Condition::Manual => "it is closed by hand".into(),
        Condition::Any { conditions } => joined(conditions, " or "),
        Condition::All { conditions } => joined(conditions, " and "),
    }
}

fn joined(conditions: &[Condition], word: &str) -> String {
    let parts: Vec<String> = conditions
        .iter()
        .map(|part| match (part.children().len(), condition_in_words(part)) {
            (0, words) => words,
            (_, words) => format!("({words})"),
        })
        .collect();
    parts.join(word)
}

/// A text to a number of characters, with `…` in place of what is left out.
pub(super) fn clip(text: &str, max: usize) -> String {
    let kept = first_chars(text, max);
    if kept.len() == text.len() { text.to_owned() } else { format!("{kept}…") }
}

/// A name as a brief shows it.
pub(super) fn name(text: &str) -> String {
    clip(&flat(text), NAME_CHARS)
}

/// A text on one line, with single spaces.
pub(super) fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text as the rest of a list entry: its further lines indented, so that no
/// heading in it reads as one of the brief's.
pub(super) fn indented(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for (i, line) in text.trim_end().lines().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        if !line.trim().is_empty() {
            if i > 0 {
                out.push_str("  ");
            }
            out.push_str(line);
        }
    }
    out
}

/// An artifact's type, with its label if it has one: `critique/scope_creep`.
pub(super) fn kind_of(artifact: &Artifact) -> String {
    let kind = name(&artifact.artifact_type);
    match &artifact.subtype {
        Some(subtype) => format!("{kind}/{}", name(subtype)),
        None => kind,
    }
}

/// Who made an artifact.
pub(super) fn by(artifact: &Artifact) -> String {
    name(&artifact.produced_by.to_string())
}

/// What stands for an artifact whose body is empty or could not be read, and
/// whether that is all there is.
pub(super) fn stand_in(artifact: &Artifact, was_read: bool) -> (String, bool) {
    if let Some(file) = &artifact.file {
        return (format!("(file {}, {} bytes)", file.reference, file.byte_count), true);
    }
    if let Some(object) = &artifact.object {
        return (format!("({} {})", object.kind, object.id), true);
    }
    if was_read || artifact.byte_count == 0 {
        return (String::new(), true);
    }
    (format!("{} (the rest could not be read)", artifact.preview), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_read_as_sentences() {
        let gate: Condition = serde_json::from_str(
            r#"{"kind":"all","conditions":[
                {"kind":"min_artifacts_by_type","type":"critique","n":3},
                {"kind":"any","conditions":[{"kind":"manual"},{"kind":"max_iterations","n":2}]}]}"#,
        )
        .expect("valid");
        assert_eq!(
            condition_in_words(&gate),
            "at least 3 different usable artifacts of type critique in this phase and round \
             and (it is closed by hand or 2 rounds are finished)"
        );
    }

    #[test]
    fn further_lines_are_indented_and_blank_ones_stay_blank() {
        assert_eq!(indented("a\r\n## b\n\n c\n"), "a\n  ## b\n\n   c");
        assert_eq!(clip("日本語", 2), "日本…");
        assert_eq!(clip("日本", 2), "日本");
    }
}
