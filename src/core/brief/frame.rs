//! Parts 1 and 6: who is asked, and for what.

use super::Input;
use super::words::{clip, condition_in_words, flat, name};
use crate::core::loops::coverage::{CoverState, coverage};
use crate::core::loops::model::Slot;
use crate::core::loops::protocol::{Phase, Work};

/// Characters that a gate in words takes at most.
const GATE_CHARS: usize = 300;
/// Types, or ids of open critiques, that one line lists at most.
const LISTED: usize = 4;

/// Part 1; the goal to `free` characters.
pub(super) fn header(input: &Input<'_>, free: usize) -> String {
    let state = input.state;
    let mut out = format!("# {}_loop brief\n", state.kind);
    let mut line = |key: &str, value: String| {
        out.push_str(&format!("{key}: {value}\n"));
    };
    line("loop", format!("{} · {}", state.id, name(&state.slug)));
    line("phase", name(&state.current_phase));
    let cap = state.protocol.max_rounds().map_or(String::new(), |max| format!(" of {max}"));
    line("iteration", format!("{} (round {}{cap})", state.iteration_count, state.round()));
    line("slot", input.slot.map_or("none".into(), |slot| described(input, slot)));
    line("title", clip(&flat(&state.title), 200));
    if let Some(goal) = &state.goal {
        line("goal", clip(&flat(goal), free));
    }
    out
}

fn described(input: &Input<'_>, slot: &Slot) -> String {
    let mut out = format!("{} {}", name(&slot.role), slot.slot_id);
    if let Some(agent) = &slot.agent {
        out.push_str(&format!(" · agent {}", name(agent)));
    }
    if let Some(profile) = input.profile {
        out.push_str(&format!(" · profile {}", name(&profile.name)));
    }
    out
}

/// Part 6; the instruction to `free` characters, what the turn was told to `told_chars`.
pub(super) fn produce(input: &Input<'_>, free: usize, told_chars: usize) -> String {
    let mut out = String::from("\n## what to produce\n");
    let mut line = |text: String| {
        out.push_str("- ");
        out.push_str(&text);
        out.push('\n');
    };
    let phase = input.phase();
    line(asked(input, phase));
    if let Some(gate) = phase.and_then(|phase| phase.advance_gate.as_ref()) {
        line(format!("The phase is left when {}.", clip(&condition_in_words(gate), GATE_CHARS)));
    }
    match phase.map(|phase| phase.work) {
        Some(Work::Read) => line("Read the workspace; change no file of it.".into()),
        Some(Work::Write) if !input.slot.is_some_and(|slot| slot.read_only) => {
            line("You may change files of the workspace.".into());
        }
        Some(Work::Write) => line("Read the workspace; this slot changes no file of it.".into()),
        _ => {}
    }
    if let Some(profile) = input.profile {
        let instruction = clip(&flat(&profile.instruction), free);
        line(format!("As {}: {instruction}", name(&profile.name)));
    }
    let told = input.slot.and_then(Slot::live_turn).and_then(|turn| turn.input.as_ref());
    if let Some(told) = told {
        line(format!("Told with this turn: {}", clip(&flat(told), told_chars)));
    }
    submit(input, phase).into_iter().for_each(&mut line);
    line("Cite the memory ids you relied on (--cites): so it can be seen what was used.".into());
    out
}

fn asked(input: &Input<'_>, phase: Option<&Phase>) -> String {
    let current = name(&input.state.current_phase);
    let role = match (phase.and_then(|phase| phase.role.as_ref()), input.slot) {
        (Some(role), _) => format!(" from role {}", name(role)),
        (None, Some(slot)) => format!(" from role {}", name(&slot.role)),
        (None, None) => String::new(),
    };
    let expects = phase.map(|phase| &phase.expects[..]).unwrap_or_default();
    match expects {
        [] => format!("Phase {current} takes an artifact of any type{role}."),
        [first, others @ ..] => {
            let mut names: Vec<String> = others.iter().take(LISTED).map(|t| name(t)).collect();
            if others.len() > LISTED {
                names.push("…".into());
            }
            let others = match names.is_empty() {
                true => String::new(),
                false => format!(" (also {})", names.join(", ")),
            };
            format!("Phase {current} wants artifacts of type {}{others}{role}.", name(first))
        }
    }
}

/// The command lines that file what is asked for, with the ids filled in.
fn submit(input: &Input<'_>, phase: Option<&Phase>) -> Vec<String> {
    let id = &input.state.id;
    let Some(slot) = input.slot else { return Vec::new() };
    // Where the engine works but something is expected, a person may file it too.
    if phase.is_some_and(|phase| phase.work == Work::Engine && phase.expects.is_empty()) {
        return vec![format!("The engine works here; go on with `loopdeck loop advance {id}`.")];
    }
    let actor = match &slot.agent {
        Some(agent) => format!(" --actor agent:{}", name(agent)),
        None => String::new(),
    };
    let expects = phase.map(|phase| &phase.expects[..]).unwrap_or_default();
    let kind = expects.first().map_or("TYPE".to_owned(), |kind| name(kind));
    if input.state.live_attempt(slot).is_some() {
        // A worker replies with a file; the engine says so beside the brief.
        return Vec::new();
    }
    let mut lines = Vec::new();
    if slot.live_turn().is_none() {
        lines.push(format!(
            "Take the turn: `loopdeck loop turn {id} --slot {}{actor}`",
            slot.slot_id
        ));
    }
    lines.push(format!(
        "File each artifact: `loopdeck loop add {id} --type {kind} --body @FILE{} --cites ID,ID{actor}`",
        addresses(input, &kind)
    ));
    let nothing_new = expects.iter().any(|t| &**t == "critic_signal") && kind != "critic_signal";
    if nothing_new {
        lines.push(format!(
            "Nothing more to say: `loopdeck loop add {id} --type critic_signal{actor}`"
        ));
    }
    lines.push(format!(
        "Then end the turn: `loopdeck loop complete {id} --slot {}{actor}`",
        slot.slot_id
    ));
    lines
}

/// The flag that names the critiques that a revision or plan answers.
fn addresses(input: &Input<'_>, kind: &str) -> String {
    if !matches!(kind, "plan_draft" | "revision") {
        return String::new();
    }
    let coverage = coverage(input.state);
    let open: Vec<&str> = coverage
        .critiques
        .iter()
        .filter(|row| row.state == CoverState::Open)
        .map(|row| row.artifact_id.as_str())
        .collect();
    let shown = open.iter().rev().take(LISTED).rev().copied().collect::<Vec<_>>().join(",");
    match (open.len(), coverage.total) {
        (0, 0) => String::new(),
        (0, _) => " --addresses ID,ID".into(),
        (n, _) if n > LISTED => format!(" --addresses {shown},ID…"),
        _ => format!(" --addresses {shown}"),
    }
}
