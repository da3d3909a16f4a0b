//! Enter: what is chosen is opened, run or confirmed.

use std::rc::Rc;

use crate::core::loops::refusal::NextStep;
use crate::tui::action::{Action, Context};
use crate::tui::form::FormKind;
use crate::tui::msg::{Effect, Request};

use super::cursor::{Cursor, Wrapped};
use super::detail::Tab;
use super::overlay::{Confirm, Overlay, Viewed, Viewer};
use super::{App, Screen, Start};

impl App {
    /// Enter: opens what is chosen, wherever the keyboard is.
    pub(super) fn enter(&mut self) -> Vec<Effect> {
        match self.context() {
            Some(Context::Start) => self.enter_start(),
            Some(Context::Filter) => {
                self.settle_filter();
                self.follow_choice_on_loops()
            }
            Some(Context::Help | Context::HelpSearch | Context::Palette) => self.run_searched(),
            Some(Context::Preview | Context::UndoPreview) => self.yes(),
            Some(Context::Found) => self.open_found(),
            Some(Context::Facets) => {
                if let Some(Overlay::Facets(cursor)) = self.overlays.last() {
                    self.toggle_facet(cursor.index);
                }
                if self.screen == Screen::Sessions {
                    return self.follow_session();
                }
                self.follow_choice_on_loops()
            }
            Some(Context::Workers) => {
                if let Some(Overlay::Workers(cursor)) = self.overlays.last() {
                    self.read_worker(cursor.index);
                }
                Vec::new()
            }
            Some(Context::Themes) => self.keep_theme(),
            Some(Context::Loops) => {
                if self.selected_loop().is_some() {
                    self.in_detail = true;
                    return self.read_chosen_body();
                }
                Vec::new()
            }
            Some(Context::Gate | Context::Slots) => self.act(Action::Why),
            Some(Context::Next) => self.run_next_step(),
            Some(Context::Artifacts | Context::AllArtifacts | Context::Coverage) => {
                self.open_artifact()
            }
            Some(Context::Time) => self.open_moment(),
            Some(Context::Journal) => self.open_event(),
            Some(Context::Dreams) => self.enter_dreams(),
            Some(Context::DreamDetail) => self.enter_dream_detail(),
            Some(Context::Insights) => {
                let chosen = self.detail.data().and_then(|data| {
                    let seen = data.insights.get(self.detail.insights.index)?;
                    Some(seen.insight.insight_id.clone())
                });
                chosen.map(|id| self.open_insight(&id)).unwrap_or_default()
            }
            Some(Context::Memory) => {
                self.memory.in_text = self.memory.selected().is_some();
                Vec::new()
            }
            Some(Context::Sessions) => {
                if self.sessions.selected().is_some() {
                    self.sessions.pane = super::sessions::Pane::Attempts;
                }
                Vec::new()
            }
            Some(Context::Attempts) => {
                self.sessions.pane = super::sessions::Pane::Output;
                Vec::new()
            }
            Some(Context::Events) => self.go_to_event(),
            _ => Vec::new(),
        }
    }

    fn follow_choice_on_loops(&mut self) -> Vec<Effect> {
        if self.screen == Screen::Loops { self.follow_choice() } else { Vec::new() }
    }

    fn enter_start(&mut self) -> Vec<Effect> {
        match self.start {
            Start::NoWorkspace(_) => self.begin(Request::Init),
            Start::Failed(_) => self.begin(Request::Open),
            _ => Vec::new(),
        }
    }

    /// Says yes to the preview or the question on top.
    pub(super) fn yes(&mut self) -> Vec<Effect> {
        match self.overlays.pop() {
            Some(Overlay::Preview(preview)) => {
                self.submit(crate::tui::msg::advance(preview.loop_id, preview.version))
            }
            Some(Overlay::Undo(preview)) => self.undo_as_shown(&preview),
            Some(Overlay::Confirm(confirm)) if confirm.request == Request::Leave => self.leave(),
            Some(Overlay::Confirm(confirm)) if confirm.request == Request::Demo => {
                self.begin(confirm.request)
            }
            Some(Overlay::Confirm(confirm)) => {
                self.pending += 1;
                vec![Effect::Ask(confirm.request)]
            }
            Some(other) => {
                self.overlays.push(other);
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    pub(super) fn ask_to_remove(&mut self) -> Vec<Effect> {
        let Some(item) = self.memory.selected() else { return Vec::new() };
        let confirm = Confirm {
            question: format!("Remove \"{}\" from memory?", item.title),
            consequence: "It moves to quarantine; briefs hold it no more.".to_owned(),
            request: Request::RemoveMemory(item.id.clone()),
        };
        self.open_overlay(Overlay::Confirm(Box::new(confirm)));
        Vec::new()
    }

    /// The next steps of the loop in view.
    pub fn next_steps(&self) -> &[NextStep] {
        self.detail.data().map_or(&[], |data| &data.why.next_steps)
    }

    fn run_next_step(&mut self) -> Vec<Effect> {
        self.take_step(self.detail.next.index)
    }

    /// Takes a step of Next.
    pub(super) fn take_step(&mut self, at: usize) -> Vec<Effect> {
        let step = self.next_steps().get(at);
        let reason = step.and_then(given_reason);
        match step.and_then(step_action) {
            // The step names the reason that the rules want to the letter.
            Some(Action::Force) if reason.is_some() && self.available(Action::Force).is_ok() => {
                self.order_form(FormKind::Force, reason)
            }
            Some(action) => self.perform(action),
            None => Vec::new(),
        }
    }

    pub(super) fn open_artifact(&mut self) -> Vec<Effect> {
        let Some(artifact) = self.detail.chosen_in(self.pane()).cloned() else { return Vec::new() };
        let Some(loop_id) = self.detail.id.clone() else { return Vec::new() };
        let id = artifact.artifact_id.clone();
        self.view(&artifact.artifact_type, Viewed::Artifact(loop_id.clone(), id.clone()));
        match self.detail.body(&id) {
            Some(_) => Vec::new(),
            None => vec![Effect::Ask(Request::Body(loop_id, id))],
        }
    }

    fn open_event(&mut self) -> Vec<Effect> {
        let Some(data) = self.detail.data().cloned() else { return Vec::new() };
        let entries = &data.log.entries;
        let at = entries.len().checked_sub(self.detail.journal.index + 1);
        let Some(entry) = at.and_then(|at| entries.get(at)) else { return Vec::new() };
        let title = format!("#{} {}", entry.event.seq, entry.event.body.kind());
        let text = super::told::event_in_full(&entry.event);
        self.view(&title, Viewed::Text(Rc::new(Wrapped::new(text))));
        Vec::new()
    }

    fn open_moment(&mut self) -> Vec<Effect> {
        let time = self.detail.time.as_ref();
        let Some(event) = time.and_then(|t| t.past.event(t.at())) else { return Vec::new() };
        let title = format!("#{} {}", event.seq, event.body.kind());
        let text = super::told::event_in_full(event);
        self.view(&title, Viewed::Text(Rc::new(Wrapped::new(text))));
        Vec::new()
    }

    fn go_to_event(&mut self) -> Vec<Effect> {
        let Some(id) = self.events.selected().map(|entry| entry.loop_id.clone()) else {
            return Vec::new();
        };
        self.loops.choose(&id, self.clock.now);
        self.in_detail = true;
        self.detail.pane = Context::Journal;
        self.detail.tab = Tab::Overview;
        self.go_to(Screen::Loops)
    }

    pub(super) fn view(&mut self, title: &str, viewed: Viewed) {
        let scroll = Cursor::default();
        let viewer = Viewer { title: title.to_owned(), viewed, scroll, exports: None };
        self.open_overlay(Overlay::Viewer(viewer));
    }
}

/// The reason that the command line of a step gives, unless it is only a place
/// for one (`'WHY'`).
fn given_reason(step: &NextStep) -> Option<String> {
    let words = shell_words::split(&step.command).ok()?;
    let at = words.iter().position(|word| word == "--reason")?;
    let reason = words.get(at + 1)?;
    let placeholder = reason.chars().any(char::is_uppercase);
    (!placeholder).then(|| reason.clone())
}

/// The action that takes a next step, by the verb of its command line.
pub fn step_action(step: &NextStep) -> Option<Action> {
    let words = shell_words::split(&step.command).ok()?;
    let mut words = words.iter().map(String::as_str).skip_while(|w| *w == "loopdeck");
    match (words.next()?, words.next()?) {
        ("loop", verb) => Some(match verb {
            "open" if words.any(|w| w == "--follow") => Action::FollowUp,
            "open" => Action::NewLoop,
            "add" => Action::AddArtifact,
            "turn" => Action::Turn,
            "complete" => Action::Complete,
            "advance" if words.any(|w| w == "--force") => Action::Force,
            "advance" if step.command.contains("--to") => Action::AdvanceTo,
            "advance" => Action::Advance,
            "ask" => Action::Ask,
            "answer" => Action::Answer,
            "pause" | "resume" => Action::Pause,
            "close" => Action::Close,
            "supersede" => Action::Supersede,
            "retract" => Action::Retract,
            "waive" => Action::Waive,
            "amend" => Action::Amend,
            "reopen" => Action::Reopen,
            "link" => Action::Link,
            "bind" => Action::Bind,
            "undo" => Action::Undo,
            "redo" => Action::Redo,
            "promote" => Action::Promote,
            "archive" => Action::Archive,
            "unarchive" => Action::Unarchive,
            "verify" => Action::Verify,
            "why" | "show" => Action::Why,
            "brief" => Action::Brief,
            _ => return None,
        }),
        ("turn", verb) => Some(match verb {
            "dispatch" => Action::Dispatch,
            "harvest" if words.any(|w| w == "--integrate") => Action::Integrate,
            "harvest" => Action::Harvest,
            "takeover" => Action::TakeOver,
            _ => return None,
        }),
        ("session", "start") => Some(Action::NewSession),
        ("session", "run") => Some(Action::RunAttempt),
        ("session", "record") => Some(Action::RecordAttempt),
        ("session", _) => Some(Action::ShowSessions),
        ("memory", "import") => Some(Action::ImportMemory),
        ("memory", _) => Some(Action::ShowMemory),
        _ => None,
    }
}
