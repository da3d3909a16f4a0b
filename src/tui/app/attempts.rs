//! Attempts from the deck: which session is meant, running a command, and what
//! came of it.

use crate::core::loops::protocol::Kind;
use crate::core::session::{Session, SessionId};
use crate::engine::{AttemptDone, Error, RunDraft, SessionDone};
use crate::tui::action::{Action, Context};
use crate::tui::form::FormKind;
use crate::tui::msg::{Effect, FormOrder, Request};

use super::run::{Run, RunOf};
use super::sessions::Pane;
use super::toast::Tone;
use super::{App, Screen};

impl App {
    /// The session that a key means: the chosen one, or the one that the loop in
    /// view links.
    pub fn meant_session(&self) -> Option<SessionId> {
        match self.screen {
            Screen::Sessions => self.sessions.id().cloned(),
            Screen::Loops => self.linked_session().map(|session| session.session_id.clone()),
            _ => None,
        }
    }

    /// The session that the loop in view links, if it can be read.
    pub fn linked_session(&self) -> Option<&Session> {
        self.detail.data().and_then(|data| data.session.as_deref())
    }

    /// Whether a run of the chosen session is under way.
    pub fn runs_here(&self) -> bool {
        let id = self.sessions.id();
        self.running().is_some_and(|run| matches!(&run.of, RunOf::Attempt(of) if Some(of) == id))
    }

    /// Whether an attempt of any session runs.
    pub(super) fn attempt_runs(&self) -> bool {
        self.running().is_some_and(|run| matches!(run.of, RunOf::Attempt(_)))
    }

    /// Opens one of the forms of sessions.
    pub(super) fn order_session_form(&mut self, action: Action) -> Vec<Effect> {
        let on_loop = self.screen == Screen::Loops;
        let session = self.meant_session();
        let kind = match action {
            Action::NewSession => FormKind::NewSession,
            Action::Escalate => FormKind::Escalate,
            // A loop without a session is offered one first.
            _ if on_loop && session.is_none() => FormKind::NewSession,
            Action::RecordAttempt => FormKind::RecordAttempt,
            _ => FormKind::RunAttempt,
        };
        let order = FormOrder {
            kind,
            loop_id: self.loop_id().filter(|_| on_loop),
            artifact: None,
            slot: None,
            item: None,
            session: session.filter(|_| kind != FormKind::NewSession || on_loop),
            text: None,
        };
        vec![Effect::Ask(Request::Form(order))]
    }

    /// Runs a command as an attempt; its output is shown where the session is.
    pub(super) fn run_attempt(&mut self, session_id: SessionId, draft: RunDraft) -> Vec<Effect> {
        if self.running().is_some() {
            self.warn("a command runs already: x ends it");
            return Vec::new();
        }
        let command = shell_words::join(&draft.argv);
        let run = Run::new(RunOf::Attempt(session_id.clone()), command, self.clock.uptime);
        let request = Request::RunAttempt {
            session_id: session_id.clone(),
            draft,
            cancel: run.cancel(),
            output: run.output(),
        };
        self.run = Some(run);
        let mut effects = self.show_session(&session_id);
        self.sessions.pane = Pane::Output;
        self.sessions.to_newest();
        effects.push(Effect::Ask(request));
        effects
    }

    /// Goes to a session on its screen.
    pub(super) fn show_session(&mut self, id: &SessionId) -> Vec<Effect> {
        self.sessions.choose(id);
        self.go_to(Screen::Sessions)
    }

    /// Goes from a loop to the session that it links.
    pub(super) fn show_linked_session(&mut self) -> Vec<Effect> {
        match self.meant_session() {
            Some(id) => {
                self.sessions.pane = Pane::Attempts;
                self.show_session(&id)
            }
            None => Vec::new(),
        }
    }

    /// Takes in how an attempt's run ended.
    pub(super) fn on_ran(
        &mut self,
        id: &SessionId,
        result: Result<Box<AttemptDone>, Error>,
    ) -> Vec<Effect> {
        self.on_run_output();
        let run = self.run.take();
        let command = run.map(|run| run.command).unwrap_or_default();
        let line = format!("loopdeck session run {id} -- {command}");
        self.push_log(line, result.as_ref().err());
        match result {
            Ok(done) => {
                let said = format!("attempt of {}: {}", done.session.goal, told(&done));
                let mut effects = self.call(said);
                effects.extend(self.on_attempt(&done));
                effects
            }
            Err(error) if self.ask_for_variables(&error, None) => self.read_sessions(),
            Err(error) => {
                let mut effects = self.fail(&error);
                effects.extend(self.read_sessions());
                effects
            }
        }
    }

    /// Says what recording an attempt brought, and reads what changed.
    pub(super) fn on_attempt(&mut self, done: &AttemptDone) -> Vec<Effect> {
        let outcome = done.session.attempt(&done.attempt_id).map(|a| a.outcome.as_str());
        let tone = match (outcome, done.session.gap.as_ref().is_some_and(|gap| gap.converged)) {
            (Some("success"), _) | (_, true) => Tone::Done,
            (Some("partial"), _) => Tone::Done,
            _ => Tone::Warning,
        };
        self.toasts.say(tone, told(done), self.clock.uptime);
        for warning in &done.warnings {
            self.warn(warning.clone());
        }
        self.sessions.set_session(&done.session.session_id, Ok(done.session.clone()));
        self.sessions.to_newest();
        if self.sessions.pane == Pane::List {
            self.sessions.pane = Pane::Attempts;
        }
        let mut effects = self.read_sessions();
        effects.extend(self.loop_id().map(|id| Effect::Ask(Request::Detail(id))));
        effects
    }

    /// Takes in a session that was started.
    pub(super) fn on_session(&mut self, done: &SessionDone) -> Vec<Effect> {
        for warning in &done.warnings {
            self.warn(warning.clone());
        }
        let id = done.session.session_id.clone();
        if self.screen == Screen::Loops {
            // It was made for the loop in view: one goes on there.
            self.tell("session started and linked: R runs an attempt, r records one");
            let mut effects = vec![Effect::Ask(Request::Sessions)];
            effects.extend(self.loop_id().map(|id| Effect::Ask(Request::Detail(id))));
            return effects;
        }
        self.tell("session started: R runs an attempt, r records one");
        self.sessions.pane = Pane::Attempts;
        self.show_session(&id)
    }

    /// Reads the list and the chosen session anew.
    pub(super) fn read_sessions(&self) -> Vec<Effect> {
        let mut effects = vec![Effect::Ask(Request::Sessions)];
        effects.extend(self.sessions.id().map(|id| Effect::Ask(Request::Session(id.clone()))));
        effects
    }

    /// Takes in the list; the chosen session is read if it is not there.
    pub(super) fn on_sessions(&mut self, listing: crate::engine::SessionListing) -> Vec<Effect> {
        self.sessions.set(listing);
        self.follow_session()
    }

    /// Reads the chosen session where it is another one.
    pub(super) fn follow_session(&mut self) -> Vec<Effect> {
        let wanted = match (self.sessions.selected(), self.sessions.open()) {
            (Some(line), Some(open)) => line.updated_at != open.updated_at,
            (Some(_), None) => true,
            (None, _) => false,
        };
        let id = self.sessions.id().filter(|_| wanted);
        id.map(|id| Effect::Ask(Request::Session(id.clone()))).into_iter().collect()
    }

    /// Whether a loop is of a kind that closes gaps, so that it is offered a
    /// session.
    pub fn offers_session(&self) -> bool {
        let kind = self.detail.data().map(|data| data.state.kind);
        let closed = self.detail.data().is_some_and(|data| data.state.status.is_closed());
        !closed && matches!(kind, Some(Kind::Implementation | Kind::Debug))
    }

    /// Goes to the next line of the output, or the one before, that holds what is
    /// looked for; round and round.
    pub(super) fn next_in_output(&mut self, forward: bool) {
        let words = self.sessions.search.to_lowercase();
        if words.is_empty() {
            return;
        }
        let lines = self.output_lines();
        let holds = |at: &usize| lines[*at].to_lowercase().contains(&words);
        let from = self.sessions.output.index.min(lines.len().saturating_sub(1));
        let found = match forward {
            true => {
                (from + 1..lines.len()).chain(0..=from).find(|at| *at < lines.len() && holds(at))
            }
            false => (0..from).rev().chain((from..lines.len()).rev()).find(holds),
        };
        if let Some(at) = found {
            let view = self.layout.view(Context::Output).max(1);
            self.sessions.output =
                super::cursor::Cursor { index: at, offset: at.saturating_sub(view / 3) };
            if let Some(run) = &mut self.run {
                run.follow = false;
            }
        }
    }

    /// The first line of the output that holds what is looked for comes into view.
    pub(super) fn search_output(&mut self, words: &str) {
        words.clone_into(&mut self.sessions.search);
        self.sessions.output.index = self.output_lines().len();
        self.next_in_output(true);
    }

    /// The lines of the output in view, as they were wrapped last.
    pub fn output_lines(&self) -> Vec<String> {
        if self.runs_here() && self.sessions.attempts.index == 0 {
            let lines = self.run.as_ref().map(|run| run.lines.iter().cloned().collect());
            return lines.unwrap_or_default();
        }
        let wide = self.layout.area(Context::Output).map_or(80, |area| usize::from(area.width));
        self.sessions.text().map(|text| text.lines(wide.max(1)).to_vec()).unwrap_or_default()
    }
}

/// What came of an attempt, in a line: `failure: 3 failing tests, worsening`.
pub fn told(done: &AttemptDone) -> String {
    let session = &done.session;
    let outcome = session.attempt(&done.attempt_id).map(|a| a.outcome.to_string());
    let mut said = outcome.unwrap_or_default();
    if let Some(gap) = session.gap.as_ref().filter(|_| done.gap_updated) {
        said.push_str(&format!(": {}", gap.in_words()));
        if let Some(trend) = gap.trend.as_ref().filter(|_| !gap.converged) {
            said.push_str(&format!(", {trend}"));
        }
    }
    if session.status.is_final() {
        said.push_str(&format!(" · {}", session.status));
    }
    said
}
