//! Search over what artifacts say, and loops to take away.

use std::rc::Rc;

use crate::core::loops::ids::LoopId;
use crate::core::text::has_visible;
use crate::engine::{Diagnosis, Error, Findings, Found};
use crate::tui::msg::{Effect, Request};

use super::cursor::{Cursor, Wrapped};
use super::detail::Tab;
use super::finder::Line;
use super::overlay::{Overlay, Search, Viewed};
use super::{App, Screen, told};

/// A search that is being typed, and what it found.
#[derive(Debug, Default)]
pub struct Finding {
    /// What was typed, and the chosen row.
    pub search: Search,
    /// What was found for the newest words that were answered.
    pub found: Findings,
    /// Whether an answer to what was typed is still to come.
    pub waits: bool,
}

impl App {
    /// Opens the search over what artifacts say.
    pub(super) fn search_artifacts(&mut self) -> Vec<Effect> {
        self.open_overlay(Overlay::Found(Box::default()));
        Vec::new()
    }

    /// Changes the words that are looked for.
    pub(super) fn edit_search(&mut self, edit: impl FnOnce(&mut Line)) -> Vec<Effect> {
        let Some(Overlay::Found(finding)) = self.overlays.last_mut() else { return Vec::new() };
        edit(&mut finding.search.line);
        finding.search.cursor = Cursor::default();
        let words = finding.search.line.text.clone();
        finding.waits = has_visible(&words);
        if !finding.waits {
            finding.found = Findings::default();
            return Vec::new();
        }
        vec![Effect::Ask(Request::Search(words))]
    }

    pub(super) fn on_found(&mut self, words: &str, result: Result<Findings, Error>) {
        let Some(Overlay::Found(finding)) = self.overlays.last_mut() else { return };
        if finding.search.line.text != words {
            return;
        }
        finding.waits = false;
        match result {
            Ok(found) => finding.found = found,
            Err(error) => {
                self.fail(&error);
            }
        }
    }

    /// Opens the chosen artifact in its loop.
    pub(super) fn open_found(&mut self) -> Vec<Effect> {
        let Some(Overlay::Found(finding)) = self.overlays.last() else { return Vec::new() };
        let at = finding.search.cursor.index;
        let Some(found): Option<Found> = finding.found.found.get(at).cloned() else {
            return Vec::new();
        };
        self.overlays.pop();
        self.loops.choose(&found.loop_id, self.clock.now);
        self.in_detail = true;
        self.detail.tab = Tab::Artifacts;
        let mut effects = self.go_to(Screen::Loops);
        let viewed = Viewed::Artifact(found.loop_id.clone(), found.artifact_id.clone());
        self.view(&found.artifact_type, viewed);
        effects.push(Effect::Ask(Request::Body(found.loop_id, found.artifact_id)));
        effects
    }

    /// Asks for the loop in view as Markdown.
    pub(super) fn export(&mut self) -> Vec<Effect> {
        self.loop_id().map(|id| Effect::Ask(Request::Export(id))).into_iter().collect()
    }

    pub(super) fn on_export(
        &mut self,
        result: Result<(LoopId, String, String), Error>,
    ) -> Vec<Effect> {
        match result {
            Ok((id, title, markdown)) => self.show_export(id, &title, markdown),
            Err(error) => return self.fail(&error),
        }
        Vec::new()
    }

    pub(super) fn on_diagnosis(&mut self, result: Result<Box<Diagnosis>, Error>) -> Vec<Effect> {
        let found = match result {
            Ok(found) => found,
            Err(error) => return self.fail(&error),
        };
        let text = Wrapped::new(told::diagnosis(&found));
        self.view("What the doctor found", Viewed::Text(Rc::new(text)));
        Vec::new()
    }

    /// Shows a loop as Markdown: from there it is copied, or handed to the editor.
    fn show_export(&mut self, id: LoopId, title: &str, markdown: String) {
        let title = format!("{title} as Markdown: y copies, e opens your editor, s saves");
        self.view(&title, Viewed::Text(Rc::new(Wrapped::new(markdown))));
        if let Some(Overlay::Viewer(viewer)) = self.overlays.last_mut() {
            viewer.exports = Some(id);
        }
    }

    /// The loop whose export is on the screen.
    pub(super) fn exported(&self) -> Option<&LoopId> {
        match self.overlays.last() {
            Some(Overlay::Viewer(viewer)) => viewer.exports.as_ref(),
            _ => None,
        }
    }
}
