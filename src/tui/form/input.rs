//! Text fields of one line and of many.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use tui_textarea::{CursorMove, TextArea, WrapMode};

use crate::tui::theme::Theme;

/// How many steps can be undone.
const HISTORY: usize = 200;

/// Whether a text may have several lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lines {
    /// One; line ends in a paste become spaces.
    One,
    /// Any number.
    Many,
}

/// What a key did to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// It is none of the text's keys.
    Ignored,
    /// The cursor moved.
    Moved,
    /// The text changed.
    Changed,
}

/// A text that is being written, with its cursor and its undo history.
#[derive(Clone, Debug)]
pub(super) struct TextInput {
    area: TextArea<'static>,
    lines: Lines,
    bytes: usize,
}

impl TextInput {
    /// A text field with a text in it; the cursor stands at its end.
    pub fn new(lines: Lines, text: &str) -> Self {
        let mut input = Self { area: fresh(lines, text), lines, bytes: 0 };
        input.count();
        input
    }

    /// The same with a hint that shows while it is empty.
    pub fn with_placeholder(mut self, hint: &str) -> Self {
        self.area.set_placeholder_text(hint);
        self.area.set_placeholder_style(Style::new().add_modifier(Modifier::DIM));
        self
    }

    /// The text.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Its length in bytes of UTF-8.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Whether it has several lines.
    pub fn lines(&self) -> Lines {
        self.lines
    }

    /// Replaces the text in one step that can be undone.
    pub fn replace(&mut self, text: &str) {
        self.area.select_all();
        let yank = self.area.yank_text();
        self.area.cut();
        self.area.set_yank_text(yank);
        self.area.insert_str(normalised(self.lines, text));
        self.count();
    }

    /// Inserts a pasted text in one piece.
    pub fn paste(&mut self, text: &str) {
        self.area.insert_str(normalised(self.lines, text));
        self.count();
    }

    /// Takes a key.
    pub fn key(&mut self, key: KeyEvent) -> Edit {
        if let Some(step) = motion(key, self.lines) {
            self.area.move_cursor(step);
            return Edit::Moved;
        }
        let changed = match self.command(key) {
            Some(changed) => changed,
            None => return Edit::Ignored,
        };
        if changed {
            self.count();
            Edit::Changed
        } else {
            Edit::Moved
        }
    }

    /// Carries out an editing key; whether it changed the text, or nothing if
    /// it is not one.
    fn command(&mut self, key: KeyEvent) -> Option<bool> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        // Some terminals report AltGr as Ctrl+Alt: then it is a character.
        let plain = control == alt;
        let area = &mut self.area;
        Some(match key.code {
            KeyCode::Char(c) if plain => {
                area.insert_char(c);
                true
            }
            KeyCode::Enter if self.lines == Lines::Many && !control => {
                area.insert_newline();
                true
            }
            KeyCode::Backspace if control || alt => area.delete_word(),
            KeyCode::Backspace => area.delete_char(),
            KeyCode::Delete if control || alt => area.delete_next_word(),
            KeyCode::Delete => area.delete_next_char(),
            KeyCode::Char(c) if control => match c {
                'w' => area.delete_word(),
                'h' => area.delete_char(),
                'd' => area.delete_next_char(),
                'k' => area.delete_line_by_end(),
                'u' => area.delete_line_by_head(),
                // Ctrl-/ arrives as Ctrl-7 or Ctrl-_ from many terminals.
                'z' | '7' | '_' | '/' => area.undo(),
                'y' | 'r' => area.redo(),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Moves the cursor to a cell of the rectangle that the text was drawn in.
    pub fn click(&mut self, column: u16, row: u16) {
        let (top, left) = self.area.scroll_offset();
        let at = self
            .area
            .screen_to_data(usize::from(top) + usize::from(row), usize::from(left + column));
        let cell = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(cell(at.0), cell(at.1)));
    }

    /// Draws the text; with the focus also the terminal's cursor.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, theme: &Theme, focused: bool) {
        if area.is_empty() {
            return;
        }
        frame.render_widget(&self.area, area);
        frame.buffer_mut().set_style(area, theme.text);
        if focused {
            let cursor = self.area.screen_cursor();
            let (top, left) = self.area.scroll_offset();
            let offset = |at: usize, from: u16, room: u16| {
                let at = u16::try_from(at).unwrap_or(u16::MAX).saturating_sub(from);
                at.min(room.saturating_sub(1))
            };
            frame.set_cursor_position(Position {
                x: area.x + offset(cursor.col, left, area.width),
                y: area.y + offset(cursor.row, top, area.height),
            });
        }
    }

    fn count(&mut self) {
        let lines = self.area.lines();
        self.bytes = lines.iter().map(String::len).sum::<usize>() + lines.len().saturating_sub(1);
    }
}

fn fresh(lines: Lines, text: &str) -> TextArea<'static> {
    let text = normalised(lines, text);
    let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
    area.set_max_histories(HISTORY);
    area.set_cursor_line_style(Style::new());
    // The terminal's own cursor is shown instead (input methods follow it).
    area.set_cursor_style(Style::new());
    area.set_wrap_mode(match lines {
        Lines::One => WrapMode::None,
        Lines::Many => WrapMode::WordOrGlyph,
    });
    area.move_cursor(CursorMove::Bottom);
    area.move_cursor(CursorMove::End);
    area
}

/// A text with `\r\n` and `\r` as `\n`; in a field of one line all of them as
/// spaces, those at the end left out.
fn normalised(lines: Lines, text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    match lines {
        Lines::Many => text,
        Lines::One => text.trim_end_matches('\n').replace('\n', " "),
    }
}

/// The cursor movement that a key means, if any.
fn motion(key: KeyEvent, lines: Lines) -> Option<CursorMove> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let word = control || key.modifiers.contains(KeyModifiers::ALT);
    Some(match key.code {
        KeyCode::Left if word => CursorMove::WordBack,
        KeyCode::Right if word => CursorMove::WordForward,
        KeyCode::Left => CursorMove::Back,
        KeyCode::Right => CursorMove::Forward,
        KeyCode::Home if control => CursorMove::Top,
        KeyCode::End if control => CursorMove::Bottom,
        KeyCode::Home => CursorMove::Head,
        KeyCode::End => CursorMove::End,
        KeyCode::Char('a') if control => CursorMove::Head,
        KeyCode::Char('e') if control => CursorMove::End,
        KeyCode::Char('b') if control => CursorMove::Back,
        KeyCode::Char('f') if control => CursorMove::Forward,
        KeyCode::Up if lines == Lines::Many => CursorMove::Up,
        KeyCode::Down if lines == Lines::Many => CursorMove::Down,
        KeyCode::PageUp if lines == Lines::Many => CursorMove::ParagraphBack,
        KeyCode::PageDown if lines == Lines::Many => CursorMove::ParagraphForward,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> KeyEvent {
        KeyEvent::new(code, modifiers)
    }

    #[test]
    fn a_paste_comes_in_one_piece_with_its_line_ends_normalised() {
        let mut input = TextInput::new(Lines::Many, "");
        input.paste("a\r\nb\rc\n");
        assert_eq!(input.text(), "a\nb\nc\n");
        assert_eq!(input.bytes(), 6);
        assert_eq!(input.key(key(KeyCode::Char('z'), KeyModifiers::CONTROL)), Edit::Changed);
        assert_eq!(input.text(), "");
        assert_eq!(input.key(key(KeyCode::Char('y'), KeyModifiers::CONTROL)), Edit::Changed);
        assert_eq!(input.text(), "a\nb\nc\n");
    }

    #[test]
    fn a_field_of_one_line_stays_one_line() {
        let mut input = TextInput::new(Lines::One, "a\nb");
        input.paste(" c\r\nd\r");
        assert_eq!(input.text(), "a b c d");
        assert_eq!(input.key(key(KeyCode::Enter, KeyModifiers::NONE)), Edit::Ignored);
        assert_eq!(input.key(key(KeyCode::Char('m'), KeyModifiers::CONTROL)), Edit::Ignored);
        assert_eq!(input.key(key(KeyCode::Up, KeyModifiers::NONE)), Edit::Ignored);
    }

    #[test]
    fn replacing_can_be_undone() {
        let mut input = TextInput::new(Lines::Many, "one\ntwo");
        input.replace("three");
        assert_eq!(input.text(), "three");
        input.key(key(KeyCode::Char('z'), KeyModifiers::CONTROL));
        input.key(key(KeyCode::Char('z'), KeyModifiers::CONTROL));
        assert_eq!(input.text(), "one\ntwo");
    }

    #[test]
    fn bytes_are_counted_not_characters() {
        let mut input = TextInput::new(Lines::Many, "é\n日");
        assert_eq!(input.bytes(), 6);
        input.key(key(KeyCode::Backspace, KeyModifiers::NONE));
        assert_eq!(input.bytes(), 3);
    }
}
