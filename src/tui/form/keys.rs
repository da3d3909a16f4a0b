//! Keys and pastes: what they do to the field with the focus, to the focus, to
//! a question.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::api::{FieldId, FormEvent};
use super::field::Control;
use super::input::Edit;
use super::picker::Pick;
use super::sheet::{FirstFocus, Place};
use super::state::{Form, Question};

/// Modifiers that make a letter a command.
const CHORD: KeyModifiers = KeyModifiers::CONTROL.union(KeyModifiers::ALT);

fn is_submit(key: KeyEvent) -> bool {
    key.code == KeyCode::Char('s') && key.modifiers == KeyModifiers::CONTROL
}

fn is_tab(key: KeyEvent) -> bool {
    matches!(key.code, KeyCode::Tab | KeyCode::BackTab)
}

impl Form {
    pub(super) fn key(&mut self, key: KeyEvent) -> FormEvent {
        if let Some(question) = self.question {
            return self.answer(question, key);
        }
        if self.list_is_open() && !is_submit(key) && !is_tab(key) {
            return self.control_key(key);
        }
        match key.code {
            _ if is_submit(key) => self.submit(),
            KeyCode::Char('o') if key.modifiers == KeyModifiers::CONTROL => self.editor(),
            KeyCode::Esc => self.leave(),
            KeyCode::Tab if key.modifiers.contains(KeyModifiers::SHIFT) => self.go(-1),
            KeyCode::Tab => self.go(1),
            KeyCode::BackTab => self.go(-1),
            _ => self.control_key(key),
        }
    }

    /// A key for the control with the focus; what it doesn't take moves on.
    pub(super) fn control_key(&mut self, key: KeyEvent) -> FormEvent {
        let done = match self.fields.0.get_mut(self.focus).map(|f| &mut f.control) {
            None if matches!(key.code, KeyCode::Enter | KeyCode::Char(' ')) => {
                return self.submit();
            }
            None => Edit::Ignored,
            Some(Control::Text(input)) => input.key(key),
            Some(Control::Rows(rows)) => rows.key(key),
            Some(Control::Toggle(on)) if key.code == KeyCode::Char(' ') => {
                *on = !*on;
                Edit::Changed
            }
            Some(Control::Toggle(_)) => Edit::Ignored,
            Some(Control::Pick(picker)) => match picker.key(key) {
                Pick::Done => return self.picked(),
                Pick::Changed => Edit::Changed,
                Pick::Moved => Edit::Moved,
                Pick::Ignored => Edit::Ignored,
            },
        };
        match (done, key.code) {
            (Edit::Changed, _) => self.changed(),
            (Edit::Moved, _) => FormEvent::Redraw,
            (Edit::Ignored, KeyCode::Enter | KeyCode::Down) => self.go(1),
            (Edit::Ignored, KeyCode::Up) => self.go(-1),
            // A letter never means something outside a form.
            (Edit::Ignored, KeyCode::Char(_)) if !key.modifiers.intersects(CHORD) => {
                FormEvent::Redraw
            }
            (Edit::Ignored, _) => FormEvent::Ignored,
        }
    }

    pub(super) fn picked(&mut self) -> FormEvent {
        let event = self.changed();
        self.go(1);
        event
    }

    pub(super) fn paste(&mut self, text: &str) -> FormEvent {
        if self.question.is_some() {
            return FormEvent::Redraw;
        }
        let edit = match self.fields.0.get_mut(self.focus).map(|f| &mut f.control) {
            Some(Control::Text(input)) => {
                input.paste(text);
                Edit::Changed
            }
            Some(Control::Rows(rows)) => rows.paste(text),
            Some(Control::Pick(picker)) => picker.paste(text),
            Some(Control::Toggle(_)) | None => Edit::Ignored,
        };
        if edit == Edit::Changed { self.changed() } else { FormEvent::Redraw }
    }

    pub(super) fn editor(&mut self) -> FormEvent {
        let focused = self.fields.0.get(self.focus);
        // Anywhere else, the long text of the form is meant.
        let field = focused
            .filter(|f| matches!(f.control, Control::Text(_)))
            .or_else(|| self.fields.0.iter().find(|f| f.visible && f.is_multiline()));
        match field.map(|f| (f.id, &f.control)) {
            Some((field, Control::Text(input))) => FormEvent::Editor { field, text: input.text() },
            _ => FormEvent::Redraw,
        }
    }

    pub(super) fn leave(&mut self) -> FormEvent {
        if self.is_dirty() {
            self.question = Some(Question::Drop);
            FormEvent::Redraw
        } else {
            FormEvent::Cancelled
        }
    }

    pub(super) fn answer(&mut self, question: Question, key: KeyEvent) -> FormEvent {
        if key.modifiers.intersects(CHORD) {
            return FormEvent::Ignored;
        }
        match (question, key.code) {
            (Question::Drop, KeyCode::Char('y' | 'Y')) => FormEvent::Cancelled,
            (Question::Where, KeyCode::Char('t' | 'T')) => {
                self.place = self.origin.as_ref().map(|o| Place::There {
                    phase: o.phase.clone(),
                    round: o.iteration.saturating_add(1),
                });
                self.answered()
            }
            (Question::Where, KeyCode::Char('h' | 'H'))
            | (Question::GoOn, KeyCode::Char('y' | 'Y')) => {
                self.place = Some(Place::Here);
                self.answered()
            }
            (_, KeyCode::Esc | KeyCode::Enter | KeyCode::Char('n' | 'N')) => {
                self.question = None;
                FormEvent::Redraw
            }
            _ => FormEvent::Redraw,
        }
    }

    pub(super) fn answered(&mut self) -> FormEvent {
        self.question = None;
        self.submit()
    }

    pub(super) fn first_focus(&mut self) {
        match self.sheet.first_focus(&self.context) {
            FirstFocus::Field => {}
            FirstFocus::On(fields) => {
                let seen =
                    |id: &FieldId| self.fields.0.iter().position(|f| f.id == *id && f.visible);
                self.focus = fields.iter().find_map(seen).unwrap_or(self.focus);
            }
            FirstFocus::OpenField => {
                let control = self.fields.0.get_mut(self.focus).map(|f| &mut f.control);
                if let Some(Control::Pick(picker)) = control {
                    picker.open();
                }
            }
            FirstFocus::Button => self.focus = self.fields.0.len(),
        }
    }

    pub(super) fn next_visible(&self, from: usize) -> Option<usize> {
        (from..self.fields.0.len()).find(|i| self.fields.0[*i].visible)
    }

    /// Moves the focus by one field, from end to end around.
    pub(super) fn go(&mut self, by: isize) -> FormEvent {
        self.close_lists();
        let stops = self.fields.0.len() + 1;
        let mut at = self.focus;
        for _ in 0..stops {
            at = match by {
                1 => (at + 1) % stops,
                _ => (at + stops - 1) % stops,
            };
            if at == stops - 1 || self.fields.0[at].visible {
                break;
            }
        }
        self.focus = at;
        FormEvent::Redraw
    }

    pub(super) fn focus_on(&mut self, position: usize) {
        if position != self.focus {
            self.close_lists();
        }
        self.focus = position;
    }

    pub(super) fn close_lists(&mut self) {
        for field in &mut self.fields.0 {
            if let Control::Pick(picker) = &mut field.control {
                picker.close();
            }
        }
    }

    pub(super) fn list_is_open(&self) -> bool {
        matches!(
            self.fields.0.get(self.focus).map(|f| &f.control),
            Some(Control::Pick(picker)) if picker.opened().is_some()
        )
    }
}
