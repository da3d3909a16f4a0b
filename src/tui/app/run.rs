//! A verify command that runs: its output as it comes, and what came of it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::core::loops::ids::LoopId;
use crate::core::session::SessionId;
use crate::core::time::Timestamp;
use crate::engine::{Cancel, Error, Verified};
use crate::tui::msg::{Effect, Request};

use super::App;
use super::overlay::{Confirm, Overlay, Viewed, Viewer};
use super::toast::Tone;

/// Lines of output that are kept for the screen.
const KEPT_LINES: usize = 2_000;
/// Characters of a line that are kept.
const LONGEST_LINE: usize = 2_000;

/// Lines on their way from the run to the screen; of more than it can take in,
/// the oldest are let go.
#[derive(Clone, Debug, Default)]
pub struct Output(Arc<Mutex<VecDeque<String>>>);

impl Output {
    /// Puts some lines in. Says whether they are the first that wait. Of very many
    /// at once only the newest are looked at: nobody could read the others.
    pub fn push_all<'a>(&self, said: impl Iterator<Item = &'a str>) -> bool {
        let mut newest: VecDeque<&str> = VecDeque::new();
        for line in said {
            if newest.len() == KEPT_LINES {
                newest.pop_front();
            }
            newest.push_back(line);
        }
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let first = lines.is_empty();
        lines.extend(
            newest
                .into_iter()
                .map(|line| crate::core::text::first_chars(line, LONGEST_LINE).to_owned()),
        );
        let over = lines.len().saturating_sub(KEPT_LINES);
        lines.drain(..over);
        first && !lines.is_empty()
    }

    fn take(&self) -> VecDeque<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl PartialEq for Output {
    /// Whether both are of one run.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// What a command is run for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunOf {
    /// It is the verify command of a loop.
    Verify(LoopId),
    /// It is an attempt of a session.
    Attempt(SessionId),
}

/// A run of a command.
#[derive(Clone, Debug)]
pub struct Run {
    /// What for.
    pub of: RunOf,
    /// The command, as people write it.
    pub command: String,
    /// When it was started, by the deck's own time.
    started: Timestamp,
    /// What came of it, once it has ended, and how that is shown.
    pub ended: Option<(String, bool)>,
    /// The newest lines.
    pub lines: VecDeque<String>,
    /// Whether the view goes along with the output.
    pub follow: bool,
    cancel: Cancel,
    output: Output,
}

impl Run {
    /// A run that begins now.
    pub(super) fn new(of: RunOf, command: String, started: Timestamp) -> Self {
        Self {
            of,
            command,
            started,
            ended: None,
            lines: VecDeque::new(),
            follow: true,
            cancel: Cancel::default(),
            output: Output::default(),
        }
    }

    /// What ends it.
    pub(super) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    /// Where its output goes.
    pub(super) fn output(&self) -> Output {
        self.output.clone()
    }

    /// How long it has been going, in seconds.
    pub fn seconds(&self, uptime: Timestamp) -> i64 {
        uptime.since(self.started) / 1_000
    }
}

impl App {
    /// The run that is under way.
    pub fn running(&self) -> Option<&Run> {
        self.run.as_ref().filter(|run| run.ended.is_none())
    }

    /// Starts the chosen loop's command; while one runs, shows that.
    pub(super) fn verify(&mut self) -> Vec<Effect> {
        if let Some(run) = self.running() {
            match &run.of {
                RunOf::Verify(_) => self.show_run(),
                RunOf::Attempt(_) => self.warn("an attempt runs: x ends it on its screen"),
            }
            return Vec::new();
        }
        let Some(data) = self.detail.data() else { return Vec::new() };
        let argv = data.state.protocol.verify.clone().unwrap_or_default();
        let loop_id = data.state.id.clone();
        let of = RunOf::Verify(loop_id.clone());
        let run = Run::new(of, shell_words::join(argv), self.clock.uptime);
        let request = Request::Verify { loop_id, cancel: run.cancel(), output: run.output() };
        self.run = Some(run);
        self.show_run();
        vec![Effect::Ask(request)]
    }

    fn show_run(&mut self) {
        let shown =
            |o: &Overlay| matches!(o, Overlay::Viewer(v) if matches!(v.viewed, Viewed::Run));
        if !self.overlays.iter().any(shown) {
            self.view("Verify", Viewed::Run);
        }
    }

    /// Ends the run that is under way, with its children.
    pub(super) fn cancel_run(&mut self) -> Vec<Effect> {
        if let Some(run) = self.running() {
            run.cancel.cancel();
            self.tell("the command is being ended");
        }
        Vec::new()
    }

    /// Takes in what the run has said since.
    pub(super) fn on_run_output(&mut self) {
        let Some(run) = &mut self.run else { return };
        run.lines.extend(run.output.take());
        let over = run.lines.len().saturating_sub(KEPT_LINES);
        run.lines.drain(..over);
    }

    /// Takes in how the run ended.
    pub(super) fn on_verified(
        &mut self,
        loop_id: LoopId,
        result: Result<Verified, Error>,
    ) -> Vec<Effect> {
        self.on_run_output();
        self.push_log(format!("loopdeck loop verify {loop_id}"), result.as_ref().err());
        let verified = match result {
            Ok(verified) => verified,
            Err(error) => return self.on_not_verified(loop_id, error),
        };
        let (text, passed) = match &verified.run {
            Some(run) => (run.outcome(), run.passed),
            None => ("answered before".to_owned(), true),
        };
        let said = format!("verify of {}: {text}", verified.done.state.title);
        let tone = if passed { Tone::Done } else { Tone::Failure };
        self.toasts.say(tone, &text, self.clock.uptime);
        for warning in &verified.done.warnings {
            self.warn(warning.clone());
        }
        if let Some(run) = &mut self.run {
            run.ended = Some((text, passed));
        }
        self.detail.refused = None;
        self.events.stale = true;
        let mut effects = self.call(said);
        effects.extend([Effect::Ask(Request::List), Effect::Ask(Request::Detail(loop_id))]);
        effects
    }

    fn on_not_verified(&mut self, loop_id: LoopId, error: Error) -> Vec<Effect> {
        let argv = self.detail.data().and_then(|data| data.state.protocol.verify.clone());
        if error.code() == "interrupted" {
            self.warn(error.message());
            if let Some(run) = &mut self.run {
                run.ended = Some((error.message().to_owned(), false));
            }
            return Vec::new();
        }
        self.run = None;
        self.overlays.retain(|o| !matches!(o, Overlay::Viewer(Viewer { viewed: Viewed::Run, .. })));
        if self.ask_for_variables(&error, Some(loop_id.clone())) {
            return Vec::new();
        }
        match argv.filter(|_| error.code() == "command_not_trusted") {
            Some(argv) if self.loop_id().as_ref() == Some(&loop_id) => {
                let confirm = Confirm {
                    question: format!("Run {} on this machine?", shell_words::join(&argv)),
                    consequence: "You did not type this command here: an agent or a file brought \
                                  it. A yes approves exactly it, from now on."
                        .to_owned(),
                    request: Request::Approve {
                        loop_id: Some(loop_id),
                        argv,
                        variables: Vec::new(),
                    },
                };
                self.open_overlay(Overlay::Confirm(Box::new(confirm)));
            }
            _ => self.refuse(loop_id, "verify", error),
        }
        Vec::new()
    }

    /// Asks whether a run may have the variables that it was refused for; whether that
    /// was why.
    pub(super) fn ask_for_variables(&mut self, error: &Error, loop_id: Option<LoopId>) -> bool {
        let named = error.0.details.get("variables").and_then(|names| names.as_array());
        let variables: Vec<String> =
            named.into_iter().flatten().filter_map(|n| n.as_str().map(str::to_owned)).collect();
        if error.code() != "variable_not_trusted" || variables.is_empty() {
            return false;
        }
        let confirm = Confirm {
            question: format!("Hand {} on to what runs here?", variables.join(", ")),
            consequence: "This workspace's settings name it, and settings come with a repository. \
                          A yes approves that for this workspace, from now on."
                .to_owned(),
            request: Request::Approve { loop_id, argv: Vec::new(), variables },
        };
        self.open_overlay(Overlay::Confirm(Box::new(confirm)));
        true
    }

    /// What was approved is run.
    pub(super) fn on_approved(&mut self, loop_id: Option<&LoopId>) -> Vec<Effect> {
        match loop_id {
            Some(id) if self.loop_id().as_ref() == Some(id) => self.verify(),
            Some(_) => Vec::new(),
            None => {
                self.tell("approved: run it again".to_owned());
                Vec::new()
            }
        }
    }
}
