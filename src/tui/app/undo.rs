//! Undo with a look before, and loops that begin where another one is.

use crate::core::loops::command::Command;
use crate::core::loops::ids::LoopId;
use crate::engine::Error;
use crate::tui::form::Submission;
use crate::tui::msg::{Effect, Origin, Request, UndoLook};

use super::App;
use super::cursor::Cursor;
use super::overlay::{Confirm, Overlay, UndoPreview};

impl App {
    /// Asks what an undo would take back.
    pub(super) fn preview_undo(&mut self, to: Option<u64>) -> Vec<Effect> {
        let Some(loop_id) = self.loop_id() else { return Vec::new() };
        vec![Effect::Ask(Request::PreviewUndo { loop_id, to })]
    }

    pub(super) fn on_undo_preview(
        &mut self,
        id: LoopId,
        result: Result<Box<UndoLook>, Error>,
    ) -> Vec<Effect> {
        if !self.overlays.is_empty() || self.loop_id().as_ref() != Some(&id) {
            return Vec::new();
        }
        match result {
            Ok(look) => {
                let title = self.selected_loop().map(|s| s.title.clone()).unwrap_or_default();
                let scroll = Cursor::default();
                let preview = UndoPreview { loop_id: id, title, look: *look, scroll };
                self.open_overlay(Overlay::Undo(Box::new(preview)));
            }
            Err(error) => self.refuse(id, "undo", error),
        }
        Vec::new()
    }

    /// Takes back what the preview showed, at the version that it showed.
    pub(super) fn undo_as_shown(&mut self, preview: &UndoPreview) -> Vec<Effect> {
        self.submit(Submission::Execute {
            loop_id: preview.loop_id.clone(),
            command: Command::Undo { to: preview.look.to },
            expected_version: Some(preview.look.version),
        })
    }

    /// The loop moved between the look and the yes: it is looked at again.
    pub(super) fn look_again(&mut self, loop_id: LoopId, to: Option<u64>) -> Vec<Effect> {
        self.warn("the loop has moved since you looked: here is what undo would take back now");
        vec![
            Effect::Ask(Request::List),
            Effect::Ask(Request::Detail(loop_id.clone())),
            Effect::Ask(Request::PreviewUndo { loop_id, to }),
        ]
    }

    /// Asks whether a new loop is to begin as this one is now.
    pub(super) fn ask_to_fork(&mut self) -> Vec<Effect> {
        if let Some(asked) = self.ask_to_fork_then() {
            return asked;
        }
        let Some(data) = self.detail.data() else { return Vec::new() };
        let (id, title, at) = (&data.state.id, &data.state.title, data.state.version);
        let confirm = fork_question(id.clone(), title, at);
        self.open_overlay(Overlay::Confirm(Box::new(confirm)));
        Vec::new()
    }
}

/// The question before a fork.
pub(super) fn fork_question(loop_id: LoopId, title: &str, at: u64) -> Confirm {
    Confirm {
        question: format!("Fork \"{title}\" as it was after event {at}?"),
        consequence: "A new loop begins there; this one stays as it is.".to_owned(),
        request: Request::Submit {
            submission: Submission::Fork { loop_id, at },
            origin: Origin::Key,
        },
    }
}
