//! Part 2: what the loop is about, and what the round before left to answer.

use super::Input;
use super::cut::{chars, cut_at_line, shares};
use super::words::{by, kind_of, name};
use crate::core::loops::ids::ArtifactId;
use crate::core::loops::model::{Artifact, Verdict};

/// Room that a line about a cut takes in the text itself.
const CUT_MARK: &str = "\n[cut here]\n";

/// One text of part 2.
pub(super) struct Block {
    /// The section that it begins, if it does.
    heading: Option<&'static str>,
    /// Which artifact says it; none for title and goal.
    pub id: Option<ArtifactId>,
    /// What it is, for the line above it and for the tail.
    label: String,
    /// What it says.
    pub body: String,
    /// Whether all of that could be read.
    pub complete: bool,
}

/// Part 2 as it fits.
pub(super) struct Subject {
    /// The text, each section after a blank line.
    pub text: String,
    /// What was cut, for the tail.
    pub cuts: Vec<String>,
}

/// The texts of part 2, the most important first.
pub(super) fn blocks(input: &Input<'_>) -> Vec<Block> {
    let mut blocks = subject(input);
    if input.state.iteration_count > 0 && !input.is_reframe() {
        let mut heading = Some("to answer");
        for artifact in to_answer(input) {
            blocks.push(block(input, heading.take(), artifact));
        }
    }
    blocks
}

fn subject(input: &Input<'_>) -> Vec<Block> {
    let newest = |kind: &str| input.newest().find(|a| &*a.artifact_type == kind);
    if input.is_reframe() {
        return match newest("plan_draft").or_else(|| newest("revision")) {
            Some(plan) => vec![block(input, Some("to reframe"), plan)],
            None => vec![title_and_goal(input)],
        };
    }
    if let Some(proposal) = newest("proposal") {
        return vec![block(input, Some("proposal"), proposal)];
    }
    let (summary, diff) = (newest("change_summary"), newest("file_diff"));
    if summary.is_some() || diff.is_some() {
        let mut heading = Some("change under review");
        return [summary, diff]
            .into_iter()
            .flatten()
            .map(|artifact| block(input, heading.take(), artifact))
            .collect();
    }
    if let Some(repro) = newest("repro") {
        return vec![block(input, Some("repro"), repro)];
    }
    vec![title_and_goal(input)]
}

fn title_and_goal(input: &Input<'_>) -> Block {
    let mut body = input.state.title.clone();
    if let Some(goal) = &input.state.goal {
        body = format!("{body}\n\n{goal}");
    }
    let label = "title and goal".into();
    Block { heading: Some("question"), id: None, label, body, complete: true }
}

/// What the round before left: its last revision or synthesis, its last verify
/// report, its request_changes verdicts with the findings of who gave them.
fn to_answer<'a>(input: &Input<'a>) -> Vec<&'a Artifact> {
    let before = input.state.iteration_count - 1;
    let round: Vec<&Artifact> = input.newest().filter(|a| a.iteration == before).collect();
    let last = |kinds: &[&str]| round.iter().copied().find(|a| kinds.contains(&&*a.artifact_type));
    let mut left: Vec<&Artifact> = Vec::new();
    left.extend(last(&["revision", "synthesis"]));
    left.extend(last(&["verify_report"]));
    let verdicts = round.iter().rev().filter(|a| a.verdict == Some(Verdict::RequestChanges));
    for verdict in verdicts.clone() {
        left.push(verdict);
    }
    let is_answered_to = |finding: &Artifact| {
        verdicts.clone().any(|verdict| {
            verdict.produced_by == finding.produced_by
                || (verdict.slot_id.is_some() && verdict.slot_id == finding.slot_id)
        })
    };
    let findings = round.iter().rev().filter(|a| &*a.artifact_type == "finding");
    left.extend(findings.copied().filter(|finding| is_answered_to(finding)));
    left
}

fn block(input: &Input<'_>, heading: Option<&'static str>, artifact: &Artifact) -> Block {
    let (body, complete) = input.body(artifact);
    let place = name(&artifact.phase);
    Block {
        heading,
        id: Some(artifact.artifact_id.clone()),
        label: format!(
            "[{}] {place} · {} · {}",
            artifact.artifact_id,
            kind_of(artifact),
            by(artifact)
        ),
        body: body.trim_end().to_owned(),
        complete,
    }
}

impl Block {
    /// The lines above the body.
    fn lead(&self) -> String {
        let label = if self.id.is_some() { format!("{}\n", self.label) } else { String::new() };
        match self.heading {
            Some(heading) => format!("\n## {heading}\n{label}"),
            None => format!("\n{label}"),
        }
    }

    /// How the tail calls it.
    fn called(&self) -> String {
        self.id.as_ref().map_or(self.label.clone(), ToString::to_string)
    }
}

/// Part 2 within a number of characters: what is too long is cut at a line, the
/// longest texts first; if even their lines don't fit, the last ones go whole.
pub(super) fn render(blocks: &[Block], budget: usize) -> Subject {
    let leads: Vec<String> = blocks.iter().map(Block::lead).collect();
    let lead_chars: Vec<usize> = leads.iter().map(|lead| chars(lead)).collect();
    let lengths: Vec<usize> = blocks.iter().map(|block| chars(&block.body) + 1).collect();
    let whole = lead_chars.iter().sum::<usize>() + lengths.iter().sum::<usize>();
    let mut kept = blocks.len();
    let mut allowed = lengths.clone();
    if whole > budget {
        let mark = chars(CUT_MARK);
        let overhead = |kept: usize| lead_chars[..kept].iter().sum::<usize>() + kept * mark;
        // Half of the room at least is for what is said, not for the lines above it.
        while kept > 1 && overhead(kept) > budget / 2 {
            kept -= 1;
        }
        allowed = shares(&lengths[..kept], budget.saturating_sub(overhead(kept)));
    }
    let mut subject = Subject { text: String::new(), cuts: Vec::new() };
    for (i, block) in blocks.iter().enumerate() {
        if i >= kept {
            subject.cuts.push(format!("{} not shown", block.called()));
            continue;
        }
        subject.text.push_str(&leads[i]);
        if allowed[i] >= lengths[i] {
            subject.text.push_str(&block.body);
            subject.text.push('\n');
        } else {
            let shown = cut_at_line(&block.body, allowed[i]);
            let left_out = chars(&block.body) - chars(shown);
            subject.text.push_str(shown);
            subject.text.push_str(CUT_MARK);
            subject.cuts.push(format!("{} cut, {left_out} characters left out", block.called()));
        }
    }
    subject
}
