//! The command lines that would have done what was done in the deck, so that
//! people learn to script what they do by hand.

use crate::core::dream::marks::Mark;
use crate::core::loops::command::{
    Amend, Command, Content, LinkChange, NewArtifact, NewQuestion, NewSlot, Reply, SlotSelector,
    SupersedeWith,
};
use crate::core::loops::event::Outcome;
use crate::core::session::{GoalType, Outcome as Outcomes};
use crate::engine::{AttemptDraft, MemoryDraft, OpenRequest, SessionDraft};
use crate::tui::form::Submission;

/// A command line that is being put together.
struct Line(Vec<String>);

impl Line {
    fn new(words: &[&str]) -> Self {
        Self(std::iter::once(&"loopdeck").chain(words).map(|w| (*w).to_owned()).collect())
    }

    fn word(mut self, word: &str) -> Self {
        self.0.push(word.to_owned());
        self
    }

    /// A flag with a text argument: `@` at its beginning would mean a file.
    fn flag(mut self, name: &str, value: &str) -> Self {
        self.0.push(format!("--{name}"));
        let value = if value.starts_with('@') { format!("@{value}") } else { value.to_owned() };
        self.0.push(value);
        self
    }

    fn maybe(self, name: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.flag(name, value),
            None => self,
        }
    }

    fn each(self, name: &str, values: &[String]) -> Self {
        values.iter().fold(self, |line, value| line.flag(name, value))
    }

    fn switch(self, name: &str, on: bool) -> Self {
        if on { self.word(&format!("--{name}")) } else { self }
    }

    fn finish(self) -> String {
        shell_words::join(self.0)
    }
}

/// The command line of a submission.
pub fn of(submission: &Submission) -> String {
    match submission {
        Submission::Execute { loop_id, command, .. } => of_command(loop_id.as_str(), command),
        Submission::WithVerify { loop_id, command, argv, .. } => {
            let set = Amend { verify: Some(Some(argv.clone())), ..Amend::default() };
            let set = of_command(loop_id.as_str(), &Command::Amend(set));
            format!("{set} && {}", of_command(loop_id.as_str(), command))
        }
        Submission::Open(request) => of_open(request),
        Submission::Fork { loop_id, at } => {
            Line::new(&["loop", "fork", loop_id.as_str()]).flag("at", &at.to_string()).finish()
        }
        Submission::Import { path, category, .. } => Line::new(&["memory", "import"])
            .word(&path.to_string_lossy())
            .maybe("category", category.map(|c| c.to_string()).as_deref())
            .finish(),
        Submission::MemoryAdd(draft) => with_draft(Line::new(&["memory", "add"]), draft),
        Submission::MemoryEdit(id, draft) => with_draft(Line::new(&["memory", "edit", id]), draft),
        Submission::StartSession(draft, _) => of_start(draft),
        Submission::Record(id, draft) => of_record(id.as_str(), draft),
        Submission::Run(id, draft) => {
            let command = shell_words::join(&draft.argv);
            format!("loopdeck session run {id} -- {command}")
        }
        Submission::TakeOver { loop_id, slot_id, cause } => {
            let words = ["turn", "takeover", loop_id.as_str()];
            Line::new(&words).flag("slot", slot_id.as_str()).flag("cause", cause).finish()
        }
        Submission::Escalate(id, reason) => {
            Line::new(&["session", "escalate", id.as_str()]).flag("reason", reason).finish()
        }
    }
}

fn of_start(draft: &SessionDraft) -> String {
    Line::new(&["session", "start"])
        .flag("goal", &draft.goal)
        .maybe("goal-type", draft.goal_type.as_ref().map(GoalType::as_str))
        .maybe("max-attempts", draft.max_attempts.map(|n| n.to_string()).as_deref())
        .maybe("previous", draft.previous.as_deref())
        .finish()
}

fn of_record(id: &str, draft: &AttemptDraft) -> String {
    let told = &draft.observation;
    let raw = Some(told.raw_text.as_str()).filter(|text| !text.is_empty());
    Line::new(&["session", "record", id])
        .flag("action-type", draft.action_type.as_str())
        .flag("description", &draft.action_description)
        .maybe("outcome", draft.outcome.as_ref().map(Outcomes::as_str))
        .maybe("exit-code", told.exit_code.map(|code| code.to_string()).as_deref())
        .maybe("gap", draft.gap.as_ref().map(|gap| gap.current_value.to_string()).as_deref())
        .maybe("raw", raw)
        .switch("unrecoverable", draft.recoverable == Some(false))
        .finish()
}

/// The command line that removes a memory item.
pub fn of_removal(id: &str) -> String {
    Line::new(&["memory", "rm", id]).finish()
}

/// The line that saves a loop as Markdown.
pub fn of_export(id: &str, path: Option<&std::path::Path>) -> String {
    let name = path.and_then(|p| p.file_name()).map(|n| n.to_string_lossy().into_owned());
    let name = name.unwrap_or_else(|| "export.md".to_owned());
    let line = Line::new(&["loop", "export", id, "--md"]).finish();
    format!("{line} > {}", shell_words::quote(&name))
}

/// The line that approves a command.
pub fn of_approval(argv: &[String], variables: &[String]) -> String {
    let line = match argv {
        [] => Line::new(&["trust", "approve"]),
        argv => Line::new(&["trust", "approve", &shell_words::join(argv)]),
    };
    line.each("pass-env", variables).finish()
}

fn with_draft(line: Line, draft: &MemoryDraft) -> String {
    line.maybe("category", draft.category.map(|c| c.to_string()).as_deref())
        .maybe("title", draft.title.as_deref())
        .maybe("text", draft.text.as_deref())
        .each("tag", draft.tags.as_deref().unwrap_or_default())
        .each("path", draft.paths.as_deref().unwrap_or_default())
        .maybe("source", draft.source.as_deref())
        .finish()
}

fn of_open(request: &OpenRequest) -> String {
    let mut line = Line::new(&["loop", "open"])
        .flag("kind", request.kind.as_ref())
        .flag("title", &request.title)
        .maybe("goal", request.goal.as_deref())
        .maybe("domain", request.domain.as_deref())
        .maybe("proposal", request.proposal.as_deref())
        .maybe("preset", request.preset.as_deref());
    for slot in &request.slots {
        line = line.flag("slot", &slot_text(slot));
    }
    if let Some(file) = &request.protocol_file {
        line = line.flag("protocol", &file.to_string_lossy());
    }
    if let Some(argv) = &request.verify {
        line = line.flag("verify", &shell_words::join(argv));
    }
    line = line.maybe("follow", request.linked.source_loop_id.as_ref().map(AsRef::as_ref));
    line.maybe("mode", request.review_mode.as_ref().map(AsRef::as_ref)).finish()
}

fn slot_text(slot: &NewSlot) -> String {
    let mut text = slot.role.clone();
    if let Some(agent) = &slot.agent {
        text.push_str(&format!("={agent}"));
    }
    if let Some(profile) = &slot.profile {
        text.push_str(&format!("@{profile}"));
    }
    if slot.read_only {
        text.push_str(":ro");
    }
    text
}

fn of_command(id: &str, command: &Command) -> String {
    let line = Line::new(&["loop", command.verb(), id]);
    match command {
        Command::Turn { slot: SlotSelector::Slot(slot), input } => {
            line.flag("slot", slot).maybe("input", input.as_deref())
        }
        Command::Turn { slot: SlotSelector::Role(role), input } => {
            line.flag("role", role).maybe("input", input.as_deref())
        }
        Command::CompleteTurn { slot, turn, outcome, reason, artifacts, .. } => {
            let line = line.flag("slot", slot).maybe("turn", turn.as_deref());
            let line = match outcome {
                Outcome::Done => line,
                other => line.flag("outcome", other.as_ref()),
            };
            artifacts.iter().fold(line.maybe("reason", reason.as_deref()), with_artifact)
        }
        Command::AddArtifact(artifact) => with_artifact(line, artifact),
        Command::Supersede { artifact, new } => with_new_version(line.word(artifact), new),
        Command::Retract { artifact, reason } | Command::Waive { artifact, reason } => {
            line.word(artifact).flag("reason", reason)
        }
        Command::Amend(amend) => with_amend(line, amend),
        Command::Advance { to, force, reason } => line
            .maybe("to", to.as_deref())
            .switch("force", *force)
            .maybe("reason", reason.as_deref()),
        Command::Bind { plans, sequence } => {
            line.each("plan", plans).maybe("sequence", sequence.as_ref().map(|s| &*s.path))
        }
        Command::Ask(new) => with_question(line, new),
        Command::Answer { question, reply } => match reply {
            Reply::Text(text) => line.word(question).flag("text", text),
            Reply::Choose(option) => line.word(question).flag("choose", option),
            Reply::Skip => line.word(question).switch("skip", true),
        },
        Command::Timeout => line,
        Command::Pause { reason } => line.maybe("reason", reason.as_deref()),
        Command::Resume => line,
        Command::Close { status, reason } => {
            line.flag("status", status.as_ref()).maybe("reason", reason.as_deref())
        }
        Command::Reopen { reason, rounds } => {
            line.flag("reason", reason).flag("rounds", &rounds.to_string())
        }
        Command::Link(change) => with_links(line, change),
        Command::Undo { to } => line.maybe("to", to.map(|seq| seq.to_string()).as_deref()),
        Command::Redo
        | Command::Archive
        | Command::Unarchive
        | Command::RecordVerify { .. }
        | Command::Attempt(_) => line,
        Command::Rate { phase, reward } => line.word(phase).word(&reward.to_string()),
        Command::Promote { artifact, category } => {
            line.word(artifact).maybe("category", category.as_ref().map(AsRef::as_ref))
        }
    }
    .finish()
}

fn with_question(line: Line, new: &NewQuestion) -> Line {
    let mut line = line
        .maybe("slot", new.slot.as_deref())
        .flag("question", &new.text)
        .each("evidence", &new.evidence);
    for option in &new.options {
        line = line.flag("option", &format!("{}={}", option.id, option.label));
    }
    line.maybe("default", new.default.as_deref())
        .flag("scope", new.scope.as_ref())
        .flag("on-timeout", new.on_timeout.as_ref())
        .maybe("deadline", new.deadline.as_deref())
}

fn with_content(line: Line, content: &Content) -> Line {
    match content {
        Content::Body(body) => line.flag("body", &body.text),
        Content::From { artifact, .. } => line.flag("from", artifact.as_str()),
        Content::File(file) => line.flag("ref", &file.reference),
        Content::None | Content::Object(_) => line,
    }
}

fn with_artifact(line: Line, artifact: &NewArtifact) -> Line {
    let line = with_content(line.flag("type", &artifact.artifact_type), &artifact.content)
        .maybe("subtype", artifact.subtype.as_deref())
        .maybe("phase", artifact.phase.as_deref())
        .maybe("round", artifact.round.map(|r| r.to_string()).as_deref());
    with_ties(line, &artifact.addresses, &artifact.waives, &artifact.cites)
}

fn with_new_version(line: Line, new: &SupersedeWith) -> Line {
    let line = with_content(line, &new.content).maybe("subtype", new.subtype.as_deref());
    with_ties(
        line,
        new.addresses.as_deref().unwrap_or_default(),
        &new.waives.clone().unwrap_or_default(),
        new.cites.as_deref().unwrap_or_default(),
    )
}

fn with_ties(
    mut line: Line,
    addresses: &[String],
    waives: &std::collections::BTreeMap<String, String>,
    cites: &[String],
) -> Line {
    if !addresses.is_empty() {
        line = line.flag("addresses", &addresses.join(","));
    }
    for (id, reason) in waives {
        line = line.flag("waive", &format!("{id}={reason}"));
    }
    if !cites.is_empty() {
        line = line.flag("cites", &cites.join(","));
    }
    line
}

fn with_amend(line: Line, amend: &Amend) -> Line {
    let verify = amend.verify.as_ref().map(|verify| match verify {
        Some(argv) => shell_words::join(argv),
        None => "none".to_owned(),
    });
    let mut line = line
        .maybe("title", amend.title.as_deref())
        .maybe("goal", amend.goal.as_deref())
        .maybe("domain", amend.domain.as_deref())
        .maybe("verify", verify.as_deref())
        .maybe("max-rounds", amend.max_rounds.map(|n| n.to_string()).as_deref());
    for slot in &amend.add_slots {
        line = line.flag("add-slot", &slot_text(slot));
    }
    for (slot, agent) in &amend.assign {
        line = line.flag("assign", &format!("{slot}={}", agent.as_deref().unwrap_or("none")));
    }
    line.each("remove-slot", &amend.remove_slots)
}

fn with_links(line: Line, change: &LinkChange) -> Line {
    line.each("plan", &change.plans)
        .each("sequence", &change.sequences)
        .maybe("source", change.source.as_ref().map(AsRef::as_ref))
        .maybe("session", change.session.as_deref())
        .switch("remove", change.remove)
}

/// The command line that marks an insight, or takes its mark away.
pub(super) fn of_mark(id: &str, mark: Option<Mark>) -> String {
    match mark {
        Some(Mark::Accepted) => format!("loopdeck dream accept {id}"),
        Some(Mark::Snoozed) => format!("loopdeck dream snooze {id}"),
        Some(Mark::Dismissed) => format!("loopdeck dream dismiss {id}"),
        None => format!("loopdeck dream accept {id} --undo"),
    }
}
