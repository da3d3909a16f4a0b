//! Whether an action can act now, and why not. What the hint line dims, the
//! palette explains and a key that does nothing says.
//!
//! These are courtesies from what is on the screen; whether a verb is allowed
//! is the engine's to say.

use crate::core::loops::Loop;
use crate::core::loops::model::Status;
use crate::core::loops::protocol::Work;
use crate::tui::action::{Action, Context};

use super::dreams::Look;
use super::overlay::{Overlay, Viewed};
use super::{App, Screen, Start};

type Able = Result<(), String>;

fn no(reason: &str) -> Able {
    Err(reason.to_owned())
}

impl App {
    /// Whether an action can act now; the reason if not.
    pub fn available(&self, action: Action) -> Able {
        use Action as A;
        match action {
            A::MakeWorkspace => match self.start {
                Start::NoWorkspace(_) => Ok(()),
                _ => no("there is a workspace already"),
            },
            A::OpenDemo if self.has_demo => Ok(()),
            A::OpenDemo => no("the demo is not part of this build"),
            A::NewLoop | A::ImportMemory | A::AddMemory => self.writable(),
            A::RemoveMemory => {
                self.writable()?;
                self.an_item()
            }
            A::DreamNow => self.writable(),
            A::AcceptInsight | A::SnoozeInsight | A::DismissInsight => {
                self.writable()?;
                match self.dreams.selected() {
                    Some(seen) if !seen.insight.insight_id.is_empty() => Ok(()),
                    _ => no("no insight is chosen"),
                }
            }
            A::LeaveOutRecord | A::LeaveOutCase | A::LeaveOutDomain => match self.dreams.record() {
                Some(_) => Ok(()),
                None => no("no record is chosen: Enter on an insight shows its records"),
            },
            A::LimitUp | A::LimitDown | A::NextLimit if self.dreams.view().is_none() => {
                no("there is no dream yet")
            }
            A::LimitUp | A::LimitDown | A::NextLimit if !self.dreams.has_limits() => {
                no("limits are of insights and of what came near")
            }
            A::PutBack if !self.dreams.supposes() => no("nothing is supposed"),
            A::NextTab | A::PrevTab if self.screen == Screen::Dreams => self.ready(),
            A::RateExcellent | A::RateGood | A::RateWeak | A::RateFailed => {
                self.writable()?;
                self.a_loop().map(|_| ())?;
                self.loop_writable()
            }
            A::NewSession => self.writable(),
            A::RecordAttempt | A::RunAttempt | A::Escalate => self.session_verb(action),
            A::ToSession => match self.linked_session() {
                Some(_) => Ok(()),
                None => no("the loop links no session"),
            },
            A::ShowLoops
            | A::ShowDreams
            | A::ShowSessions
            | A::ShowMemory
            | A::ShowJournal
            | A::CommandLog => self.ready(),
            A::AddArtifact
            | A::Turn
            | A::Complete
            | A::Advance
            | A::AdvanceTo
            | A::Force
            | A::Answer
            | A::Ask
            | A::Pause
            | A::Close
            | A::Supersede
            | A::Retract
            | A::Waive
            | A::Amend
            | A::Reopen
            | A::Link
            | A::Bind
            | A::Undo
            | A::Redo
            | A::Fork
            | A::Promote
            | A::Archive
            | A::Unarchive => self.verb(action),
            A::SearchArtifacts => self.ready(),
            A::Export => self.a_loop().map(|_| ()),
            A::FollowUp => {
                self.writable()?;
                match crate::core::loops::followups::follow_up(self.a_loop()?) {
                    Some(_) => Ok(()),
                    None => no("nothing follows from the loop as it stands"),
                }
            }
            A::CompareRounds => {
                let state = self.a_loop()?;
                if state.iteration_count > 0 { Ok(()) } else { no("there is one round only") }
            }
            A::SaveExport if self.exported().is_none() => no("E shows an export first"),
            A::SaveExport => self.writable(),
            A::ToSource => match self.source() {
                Some(_) => Ok(()),
                None => no("the loop follows none that is listed"),
            },
            A::ToFollower => match self.followers().first() {
                Some(_) => Ok(()),
                None => no("no loop follows this one"),
            },
            A::Why | A::Brief | A::NextTab | A::PrevTab | A::TimeTravel | A::ShowCoverage => {
                self.a_loop().map(|_| ())
            }
            A::MomentBefore | A::RoundBefore => {
                self.moment(|time| time.at() > 1, "this is the beginning")
            }
            A::MomentAfter | A::RoundAfter => self.moment(|time| !time.is_now(), "this is now"),
            A::MarkMoment => self.moment(|_| true, ""),
            A::Verify if self.running().is_some() => Ok(()),
            A::Verify => {
                self.verb(action)?;
                match &self.a_loop()?.protocol.verify {
                    Some(_) => Ok(()),
                    None => no("the loop has no verify command: amend sets one"),
                }
            }
            A::Dispatch => {
                self.verb(action)?;
                match self.offer() {
                    Some(_) => Ok(()),
                    None => no("no free slot has an agent with a command"),
                }
            }
            A::Harvest | A::Integrate | A::TakeOver | A::EndWorker
                if self.chose_an_ended_worker() =>
            {
                no("it has ended: Enter reads what it left")
            }
            A::Harvest | A::Integrate => {
                self.writable()?;
                match self.harvested_loop() {
                    Some(_) => Ok(()),
                    None => no("no turn of the loop is handed out"),
                }
            }
            A::TakeOver | A::EndWorker => {
                self.writable()?;
                match self.chosen_worker() {
                    Some(_) => Ok(()),
                    None => no("no turn is handed out"),
                }
            }
            A::Sweep => self.writable(),
            A::ShowWorkers => self.ready(),
            A::CancelRun if self.running().is_some() => Ok(()),
            A::CancelRun => no("no command runs"),
            A::NextRound | A::PrevRound => self.other_round(action == A::NextRound),
            A::Edit => {
                self.something_to_edit()?;
                self.may_be_changed()
            }
            A::Page => self.something_to_read(),
            A::Copy => match self.copied() {
                Some(_) => Ok(()),
                None => no("nothing is chosen"),
            },
            A::Warnings if self.problems().is_empty() => no("there are none"),
            A::NextMatch | A::PrevMatch if !self.has_filter() => {
                no("nothing is filtered: / filters")
            }
            A::Filter if self.context() == Some(Context::Help) => Ok(()),
            A::Tour | A::Doctor => self.ready(),
            A::Filter | A::Sort | A::Facets if self.list_is_empty() => no("the list is empty"),
            A::Filter | A::Sort | A::Facets => self.ready(),
            A::Enter if self.nothing_to_open() => no("there is nothing to open"),
            _ => Ok(()),
        }
    }

    fn list_is_empty(&self) -> bool {
        match self.screen {
            Screen::Loops => self.loops.all.is_empty(),
            Screen::Dreams => true,
            Screen::Sessions => self.sessions.all.is_empty(),
            Screen::Memory => self.memory.all.is_empty(),
            Screen::Journal => self.events.log.entries.is_empty(),
        }
    }

    fn nothing_to_open(&self) -> bool {
        match self.context() {
            Some(Context::Loops) => self.selected_loop().is_none(),
            Some(Context::Dreams) => self.dreams.is_empty() || self.dreams.look == Look::Near,
            Some(Context::DreamDetail) => self.dreams.rows().is_empty(),
            Some(Context::Memory) => self.memory.selected().is_none(),
            Some(Context::Sessions) => self.sessions.selected().is_none(),
            Some(Context::Events) => self.events.selected().is_none(),
            _ => false,
        }
    }

    fn ready(&self) -> Able {
        match self.start {
            Start::Ready(_) => Ok(()),
            Start::Opening => no("the workspace is being opened"),
            Start::NoWorkspace(_) => no("there is no workspace here yet"),
            Start::Failed(_) => no("the workspace can't be opened"),
        }
    }

    fn writable(&self) -> Able {
        self.ready()?;
        match self.read_only() {
            Some(reason) => Err(format!("read-only: {reason}")),
            None => Ok(()),
        }
    }

    /// A loop whose journal can't be continued is only looked at.
    fn loop_writable(&self) -> Able {
        match self.selected_loop().and_then(|summary| summary.read_only.as_ref()) {
            Some(why) => Err(format!("the loop is {why}: it may only be read")),
            None => Ok(()),
        }
    }

    fn a_loop(&self) -> Result<&Loop, String> {
        self.ready()?;
        if self.screen != Screen::Loops {
            return Err("loops are on screen 1".to_owned());
        }
        if self.selected_loop().is_none() {
            return Err("no loop is chosen: o opens one".to_owned());
        }
        let data = self.detail.data().ok_or_else(|| "the loop is being read".to_owned())?;
        Ok(&data.state)
    }

    fn verb(&self, action: Action) -> Able {
        use Action as A;
        self.writable()?;
        let state = self.a_loop()?;
        if action != A::Fork {
            self.loop_writable()?;
        }
        let closed = state.status.is_closed();
        match action {
            A::Reopen if !closed => return no("the loop is not closed"),
            A::Reopen => return Ok(()),
            A::Archive if state.ledger.archived => return no("the loop is put away already"),
            A::Unarchive if !state.ledger.archived => return no("the loop is not put away"),
            A::Undo if state.version <= 1 => return no("nothing was changed yet"),
            A::Promote if state.artifacts.is_empty() => return no("the loop has no artifact yet"),
            A::Undo | A::Redo | A::Fork | A::Promote | A::Archive | A::Unarchive => return Ok(()),
            A::Complete if closed => return no("the loop is over: no turn of it is open"),
            A::Complete if state.slots.iter().all(|s| s.turns.is_empty()) => {
                return no("no turn was given yet: t gives one");
            }
            A::Complete => return Ok(()),
            _ if closed => {
                return Err(format!("the loop is {}: reopen it from the palette", state.status));
            }
            A::Bind if state.phase().is_none_or(|p| p.work != Work::Engine) => {
                return no("plans are bound in the phase bind of an implementation");
            }
            A::Answer if state.open_questions.is_empty() => return no("no question waits"),
            A::Turn
            | A::Ask
            | A::Verify
            | A::Advance
            | A::AdvanceTo
            | A::Force
            | A::Pause
            | A::Dispatch
                if state.holding_question().is_some() =>
            {
                let key = self.keys().any_key_in_words(A::Answer);
                return Err(format!("answer the question first: {key}"));
            }
            A::Turn | A::Ask | A::Verify | A::Advance | A::AdvanceTo | A::Force
                if state.status == Status::Paused =>
            {
                return no("the loop is paused: p resumes it");
            }
            A::Supersede | A::Retract if state.artifacts.is_empty() => {
                return no("the loop has no artifact yet");
            }
            A::Waive => {
                let critique = state.artifacts.iter().any(|a| &*a.artifact_type == "critique");
                if !critique {
                    return no("the loop has no critique yet");
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn other_round(&self, forward: bool) -> Able {
        let state = self.a_loop()?;
        let shown = self.detail.round_shown();
        match forward {
            true if shown >= state.last_round() && state.status.is_closed() => {
                no("this is the last round")
            }
            true if shown >= state.last_round() => no("this is the present round"),
            false if shown == 0 => no("this is the first round"),
            _ => Ok(()),
        }
    }

    /// Whether the past is in view and something holds of where the look is.
    fn moment(&self, holds: impl Fn(&super::time::TimeView) -> bool, else_no: &str) -> Able {
        self.a_loop()?;
        match &self.detail.time {
            Some(time) if self.detail.tab == super::detail::Tab::Time => {
                if holds(time) {
                    Ok(())
                } else {
                    no(else_no)
                }
            }
            _ => no("z shows the past first"),
        }
    }

    /// Whether something may be done with the session that is meant.
    fn session_verb(&self, action: Action) -> Able {
        self.writable()?;
        if self.running().is_some() && action != Action::RecordAttempt {
            return no("a command runs: x ends it");
        }
        let status = match self.screen {
            Screen::Sessions => match self.sessions.selected() {
                // What was read of it may be newer than its line in the list.
                Some(line) => match &self.sessions.session {
                    Some(read) if read.session_id == line.session_id => read.status.clone(),
                    _ => line.status.clone(),
                },
                None => return no("no session is chosen: a starts one"),
            },
            Screen::Loops => {
                self.a_loop()?;
                match self.linked_session() {
                    Some(session) => session.status.clone(),
                    None if action != Action::Escalate && self.offers_session() => return Ok(()),
                    None => return no("the loop links no session: link ties one"),
                }
            }
            _ => return no("sessions are on screen 3"),
        };
        match status {
            status if status.is_final() => {
                Err(format!("the session is {status}: it takes no more; a starts one that goes on"))
            }
            status if !status.is_known() => {
                Err(format!("the session's status {status:?} is not known here"))
            }
            _ => Ok(()),
        }
    }

    fn an_item(&self) -> Able {
        if self.screen != Screen::Memory {
            return no("memory is on screen 4");
        }
        self.memory.selected().map(|_| ()).ok_or_else(|| "no memory item is chosen".to_owned())
    }

    fn something_to_edit(&self) -> Able {
        match self.overlays.last() {
            Some(Overlay::Viewer(_)) => return Ok(()),
            Some(_) => return no("close this first"),
            None => {}
        }
        match self.pane() {
            Context::Memory | Context::MemoryText => self.an_item(),
            pane @ (Context::Artifacts | Context::AllArtifacts | Context::Coverage) => {
                match self.detail.chosen_in(pane) {
                    Some(_) => Ok(()),
                    None => no("no artifact is chosen"),
                }
            }
            Context::Brief => match &self.detail.brief {
                Some(brief) if brief.result.is_ok() => Ok(()),
                _ => no("there is no brief in view"),
            },
            _ => no("choose an artifact, a memory item or the brief first"),
        }
    }

    /// An artifact of a loop that is over takes no new version: that is said before
    /// the editor is opened, not after.
    fn may_be_changed(&self) -> Able {
        let artifact = match self.overlays.last() {
            Some(Overlay::Viewer(viewer)) => matches!(viewer.viewed, Viewed::Artifact(..)),
            Some(_) => false,
            None => matches!(
                self.pane(),
                Context::Artifacts | Context::AllArtifacts | Context::Coverage
            ),
        };
        let over = self.detail.data().filter(|data| artifact && data.state.status.is_closed());
        match over {
            Some(data) if self.read_only().is_none() => Err(format!(
                "the loop is {}: its artifacts stay as they are, Enter reads them",
                data.state.status
            )),
            _ => Ok(()),
        }
    }

    fn something_to_read(&self) -> Able {
        match self.pane() {
            Context::Output if self.overlays.is_empty() => match self.output_lines().is_empty() {
                true => no("nothing was said"),
                false => Ok(()),
            },
            _ => self.something_to_edit(),
        }
    }

    /// Whether the list in view is filtered.
    pub fn has_filter(&self) -> bool {
        match self.screen {
            Screen::Loops => !self.loops.finder.is_empty(),
            Screen::Dreams => false,
            Screen::Sessions if self.pane() == Context::Output => !self.sessions.search.is_empty(),
            Screen::Sessions => !self.sessions.finder.is_empty(),
            Screen::Memory => !self.memory.finder.is_empty(),
            Screen::Journal => !self.events.finder.is_empty(),
        }
    }
}
