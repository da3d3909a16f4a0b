//! Texts that leave the deck: to the clipboard, and to the person's editor or pager.

use crate::core::loops::ids::ArtifactId;
use crate::core::text::shown;
use crate::tui::action::Context;
use crate::tui::form::FormKind;
use crate::tui::msg::{EditPurpose, Effect, FormOrder, Request};

use super::App;
use super::overlay::{Overlay, Viewed, Viewer};
use super::toast::Tone;

/// What a text is handed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// To be changed.
    Editor,
    /// To be read.
    Pager,
}

/// Control characters are shown, not sent: a pager may pass them on.
fn to_read(text: &str) -> Vec<Effect> {
    vec![Effect::Page(shown(text).into_owned())]
}

impl App {
    /// What `copy` would copy, and what it is called.
    pub(super) fn copied(&self) -> Option<(String, &'static str)> {
        match self.overlays.last() {
            Some(Overlay::Viewer(viewer)) => return self.viewed_text(viewer).map(|t| (t, "text")),
            Some(Overlay::CommandLog(cursor)) => {
                let logged = self.command_log.get(cursor.index)?;
                return Some((logged.command.clone(), "command line"));
            }
            _ => {}
        }
        match self.pane() {
            Context::Dreams => {
                Some((self.dreams.selected()?.insight.insight_id.clone(), "insight id"))
            }
            Context::DreamDetail => match self.dreams.record() {
                Some(record) => Some((record.file.display().to_string(), "path")),
                None => Some((self.dreams.selected()?.insight.description.clone(), "text")),
            },
            Context::Insights => {
                let seen = self.detail.data()?.insights.get(self.detail.insights.index)?.clone();
                Some((seen.insight.insight_id, "insight id"))
            }
            Context::Memory => Some((self.memory.selected()?.id.to_string(), "id")),
            Context::MemoryText => Some((self.memory.selected()?.text.clone(), "text")),
            Context::Events => Some((self.events.selected()?.loop_id.to_string(), "loop id")),
            Context::Brief => {
                let brief = self.detail.brief.as_ref()?.result.as_ref().ok()?;
                Some((brief.text.clone(), "brief"))
            }
            Context::Next => {
                let step = self.next_steps().get(self.detail.next.index)?;
                Some((step.command.clone(), "command line"))
            }
            pane @ (Context::Artifacts | Context::AllArtifacts | Context::Coverage) => {
                Some((self.detail.chosen_in(pane)?.artifact_id.to_string(), "artifact id"))
            }
            Context::Sessions => Some((self.sessions.id()?.to_string(), "session id")),
            Context::Attempts => {
                let attempt =
                    self.sessions.attempt(self.sessions.attempts.index, self.runs_here())?;
                Some((attempt.attempt_id.to_string(), "attempt id"))
            }
            Context::Output => Some((self.output_lines().join("\n"), "output")),
            Context::Start => None,
            _ => Some((self.loop_id()?.to_string(), "loop id")),
        }
    }

    /// The text that a viewer shows, if it is there.
    pub fn viewed_text(&self, viewer: &Viewer) -> Option<String> {
        match &viewer.viewed {
            Viewed::Artifact(_, id) => match self.detail.body(id)? {
                Ok(text) => Some(text.text().to_owned()),
                Err(_) => None,
            },
            Viewed::Text(text) => Some(text.text().to_owned()),
            Viewed::Run => {
                let run = self.run.as_ref()?;
                Some(run.lines.iter().map(|line| format!("{line}\n")).collect())
            }
            Viewed::Rounds => None,
            Viewed::Why => {
                let data = self.detail.data()?;
                Some(super::told::why_in_text(&data.why))
            }
        }
    }

    pub(super) fn copy(&mut self) -> Vec<Effect> {
        let Some((text, what)) = self.copied() else { return Vec::new() };
        self.tell(format!("{what} copied through the terminal"));
        vec![Effect::Copy(text)]
    }

    pub(super) fn edit(&mut self) -> Vec<Effect> {
        let effect = |purpose, text: &str| vec![Effect::Edit { purpose, text: text.to_owned() }];
        if let Some(Overlay::Viewer(viewer)) = self.overlays.last() {
            let Some(text) = self.viewed_text(viewer) else { return Vec::new() };
            return match &viewer.viewed {
                Viewed::Artifact(loop_id, id) if self.read_only().is_none() => {
                    let purpose =
                        EditPurpose::Artifact(loop_id.clone(), id.clone(), text.as_str().into());
                    effect(purpose, &text)
                }
                _ => effect(EditPurpose::Look, &text),
            };
        }
        match self.pane() {
            Context::Memory | Context::MemoryText => {
                let Some(item) = self.memory.selected() else { return Vec::new() };
                match self.read_only() {
                    Some(_) => effect(EditPurpose::Look, &item.text),
                    None => {
                        let text = item.text.as_str().into();
                        effect(EditPurpose::Memory(item.id.clone(), text), &item.text)
                    }
                }
            }
            pane @ (Context::Artifacts | Context::AllArtifacts | Context::Coverage) => {
                let Some(id) = self.detail.chosen_in(pane).map(|a| a.artifact_id.clone()) else {
                    return Vec::new();
                };
                self.hand_out(&id, Tool::Editor)
            }
            Context::Brief => match self.copied() {
                Some((text, _)) => effect(EditPurpose::Look, &text),
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    pub(super) fn page(&mut self) -> Vec<Effect> {
        if let Some(Overlay::Viewer(viewer)) = self.overlays.last() {
            return self.viewed_text(viewer).map_or_else(Vec::new, |text| to_read(&text));
        }
        match self.pane() {
            Context::Memory | Context::MemoryText => {
                self.memory.selected().map_or_else(Vec::new, |item| to_read(&item.text))
            }
            pane @ (Context::Artifacts | Context::AllArtifacts | Context::Coverage) => {
                match self.detail.chosen_in(pane).map(|a| a.artifact_id.clone()) {
                    Some(id) => self.hand_out(&id, Tool::Pager),
                    None => Vec::new(),
                }
            }
            Context::Brief | Context::Output => {
                self.copied().map_or_else(Vec::new, |(text, _)| to_read(&text))
            }
            _ => Vec::new(),
        }
    }

    /// Hands an artifact's body to the editor or the pager; it may have to be read
    /// first.
    pub(super) fn hand_out(&mut self, id: &ArtifactId, tool: Tool) -> Vec<Effect> {
        let Some(loop_id) = self.detail.id.clone() else { return Vec::new() };
        match (self.detail.body(id), tool) {
            (None, _) => {
                self.awaited = Some((id.clone(), tool));
                vec![Effect::Ask(Request::Body(loop_id, id.clone()))]
            }
            (Some(Err(error)), _) => {
                let said = error.message().to_owned();
                self.toasts.say(Tone::Failure, said, self.clock.uptime);
                Vec::new()
            }
            (Some(Ok(body)), Tool::Pager) => to_read(body.text()),
            (Some(Ok(body)), Tool::Editor) => {
                let text = self.detail.filed(id).unwrap_or(body.text()).to_owned();
                let purpose = match self.read_only() {
                    Some(_) => EditPurpose::Look,
                    None => EditPurpose::Artifact(loop_id, id.clone(), text.as_str().into()),
                };
                vec![Effect::Edit { purpose, text }]
            }
        }
    }

    /// Takes in what was written in the editor.
    pub(super) fn on_edited(
        &mut self,
        purpose: EditPurpose,
        result: Result<String, String>,
    ) -> Vec<Effect> {
        let text = match result {
            Ok(text) => text,
            Err(reason) => {
                self.toasts.say(Tone::Failure, reason, self.clock.uptime);
                return Vec::new();
            }
        };
        match purpose {
            EditPurpose::Field(field) => match self.overlays.last_mut() {
                Some(Overlay::Form(form)) => {
                    let event = form.edited(field, &text);
                    self.after_form(event)
                }
                _ => Vec::new(),
            },
            EditPurpose::Artifact(_, _, before) | EditPurpose::Memory(_, before)
                if *before == *text =>
            {
                self.tell("nothing was changed");
                Vec::new()
            }
            EditPurpose::Artifact(loop_id, artifact, _) => {
                self.overlays.pop();
                let order = FormOrder {
                    kind: FormKind::Supersede,
                    loop_id: Some(loop_id),
                    artifact: Some(artifact),
                    slot: None,
                    item: None,
                    session: None,
                    text: Some(text),
                };
                vec![Effect::Ask(Request::Form(order))]
            }
            EditPurpose::Memory(item, _) => {
                let order = FormOrder {
                    kind: FormKind::MemoryEdit,
                    loop_id: None,
                    artifact: None,
                    slot: None,
                    item: Some(item),
                    session: None,
                    text: Some(text),
                };
                vec![Effect::Ask(Request::Form(order))]
            }
            EditPurpose::Look => Vec::new(),
        }
    }
}
