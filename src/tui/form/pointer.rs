//! The mouse: clicks go to what was drawn there, the wheel to what has the focus.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::api::FormEvent;
use super::field::Control;
use super::picker::Pick;
use super::state::{Form, Target};

impl Form {
    pub(super) fn mouse(&mut self, mouse: MouseEvent) -> FormEvent {
        let at = Position { x: mouse.column, y: mouse.row };
        let hit = self.hits.borrow().iter().rev().find(|(area, _)| area.contains(at)).copied();
        match (mouse.kind, hit) {
            (MouseEventKind::ScrollDown, _) => self.wheel(KeyCode::Down),
            (MouseEventKind::ScrollUp, _) => self.wheel(KeyCode::Up),
            (MouseEventKind::Down(MouseButton::Left), Some((area, target)))
                if self.question.is_none() =>
            {
                self.click(target, at.x - area.x, at.y - area.y)
            }
            (MouseEventKind::Down(MouseButton::Left), _) => FormEvent::Redraw,
            _ => FormEvent::Ignored,
        }
    }

    /// The wheel moves in what has the focus, never the focus itself.
    pub(super) fn wheel(&mut self, code: KeyCode) -> FormEvent {
        let key = KeyEvent::new(code, KeyModifiers::NONE);
        match self.fields.0.get_mut(self.focus).map(|f| &mut f.control) {
            Some(Control::Text(input)) => {
                input.key(key);
            }
            Some(Control::Pick(picker)) if picker.opened().is_some() => {
                picker.key(key);
            }
            _ => {}
        }
        FormEvent::Redraw
    }

    pub(super) fn click(&mut self, target: Target, column: u16, row: u16) -> FormEvent {
        match target {
            Target::Button => {
                self.focus_on(self.fields.0.len());
                self.submit()
            }
            Target::Field(position) => {
                let same = position == self.focus;
                self.focus_on(position);
                match &mut self.fields.0[position].control {
                    Control::Toggle(on) => {
                        *on = !*on;
                        self.changed()
                    }
                    Control::Pick(picker) if same => {
                        if !picker.close() {
                            picker.open();
                        }
                        FormEvent::Redraw
                    }
                    _ => FormEvent::Redraw,
                }
            }
            Target::Text(position) => {
                self.focus_on(position);
                if let Control::Text(input) = &mut self.fields.0[position].control {
                    input.click(column, row);
                }
                FormEvent::Redraw
            }
            Target::Line(position, line) => {
                self.focus_on(position);
                if let Control::Rows(rows) = &mut self.fields.0[position].control {
                    rows.click(line);
                }
                FormEvent::Redraw
            }
            Target::Option(position, option) => {
                self.focus_on(position);
                self.click_pick(position, option)
            }
            Target::ListRow(row) => self.click_pick(self.focus, row),
        }
    }

    pub(super) fn click_pick(&mut self, position: usize, row: usize) -> FormEvent {
        let Some(Control::Pick(picker)) = self.fields.0.get_mut(position).map(|f| &mut f.control)
        else {
            return FormEvent::Redraw;
        };
        match picker.click(row) {
            Pick::Done => self.picked(),
            Pick::Changed => self.changed(),
            Pick::Moved | Pick::Ignored => FormEvent::Redraw,
        }
    }
}
