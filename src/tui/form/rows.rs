//! A list of texts of one line each: slots that are added and taken away, or
//! one line for each of some given things (the reasons of waivers).

use crossterm::event::{KeyCode, KeyEvent};

use super::input::{Edit, Lines, TextInput};

/// One line of the list.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// What it is about; empty where lines come and go.
    pub key: String,
    /// What is shown before it.
    pub label: String,
    /// What is written.
    pub input: TextInput,
}

/// A list of lines, one of which has the cursor.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    rows: Vec<Row>,
    at: usize,
    keyed: bool,
    hint: &'static str,
}

impl Rows {
    /// Lines that come and go; always one at least.
    pub fn growing(hint: &'static str, texts: &[String]) -> Self {
        let mut rows = Self { rows: Vec::new(), at: 0, keyed: false, hint };
        rows.set_texts(texts);
        rows
    }

    /// One line for each key; see [`Rows::set_keys`].
    pub fn keyed(hint: &'static str) -> Self {
        Self { rows: Vec::new(), at: 0, keyed: true, hint }
    }

    /// The lines.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Which line has the cursor.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The texts that are not empty, trimmed.
    pub fn texts(&self) -> Vec<String> {
        let trimmed = self.rows.iter().map(|r| r.input.text().trim().to_owned());
        trimmed.filter(|t| !t.is_empty()).collect()
    }

    /// Whether lines stand for given keys.
    pub fn is_keyed(&self) -> bool {
        self.keyed
    }

    /// Replaces the lines.
    pub fn set_texts(&mut self, texts: &[String]) {
        self.rows = texts.iter().map(|t| self.row("", "", t)).collect();
        if self.rows.is_empty() {
            self.rows.push(self.row("", "", ""));
        }
        self.at = 0;
    }

    /// Makes one line for each key and label; lines that are there keep their text.
    pub fn set_keys(&mut self, keys: &[(String, String)]) {
        let mut old = std::mem::take(&mut self.rows);
        self.rows = keys
            .iter()
            .map(|(key, label)| match old.iter().position(|r| &r.key == key) {
                Some(position) => old.swap_remove(position),
                None => self.row(key, label, ""),
            })
            .collect();
        self.at = self.at.min(self.rows.len().saturating_sub(1));
    }

    /// Writes the text of a key.
    pub fn set_text(&mut self, key: &str, text: &str) {
        let hint = self.hint;
        if let Some(row) = self.rows.iter_mut().find(|r| r.key == key) {
            row.input = TextInput::new(Lines::One, text).with_placeholder(hint);
        }
    }

    /// Takes a key; Enter on the last line and the arrows at the ends are not taken.
    pub fn key(&mut self, key: KeyEvent) -> Edit {
        let last = self.rows.len().saturating_sub(1);
        match key.code {
            KeyCode::Up if self.at > 0 => {
                self.at -= 1;
                Edit::Moved
            }
            KeyCode::Down if self.at < last => {
                self.at += 1;
                Edit::Moved
            }
            KeyCode::Enter => self.enter(),
            KeyCode::Backspace if self.removable() => {
                self.rows.remove(self.at);
                self.at = self.at.saturating_sub(1);
                Edit::Changed
            }
            _ => match self.rows.get_mut(self.at) {
                Some(row) => row.input.key(key),
                None => Edit::Ignored,
            },
        }
    }

    /// Inserts a paste into the line with the cursor.
    pub fn paste(&mut self, text: &str) -> Edit {
        match self.rows.get_mut(self.at) {
            Some(row) => {
                row.input.paste(text);
                Edit::Changed
            }
            None => Edit::Ignored,
        }
    }

    /// Puts the cursor on a line.
    pub fn click(&mut self, row: usize) {
        self.at = row.min(self.rows.len().saturating_sub(1));
    }

    fn enter(&mut self) -> Edit {
        let last = self.rows.len().saturating_sub(1);
        let written = self.rows.get(self.at).is_some_and(|r| !r.input.is_empty());
        if self.keyed && self.at < last {
            self.at += 1;
            Edit::Moved
        } else if !self.keyed && written {
            self.at += 1;
            self.rows.insert(self.at, self.row("", "", ""));
            Edit::Moved
        } else {
            Edit::Ignored
        }
    }

    fn removable(&self) -> bool {
        let empty = self.rows.get(self.at).is_some_and(|r| r.input.is_empty());
        !self.keyed && self.rows.len() > 1 && empty
    }

    fn row(&self, key: &str, label: &str, text: &str) -> Row {
        let input = TextInput::new(Lines::One, text).with_placeholder(self.hint);
        Row { key: key.to_owned(), label: label.to_owned(), input }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyModifiers;

    fn press(rows: &mut Rows, keys: &[KeyCode]) -> Vec<Edit> {
        keys.iter().map(|k| rows.key(KeyEvent::new(*k, KeyModifiers::NONE))).collect()
    }

    #[test]
    fn lines_grow_with_enter_and_shrink_with_backspace() {
        let mut rows = Rows::growing("role", &[]);
        press(&mut rows, &[KeyCode::Char('a'), KeyCode::Enter, KeyCode::Char('b')]);
        assert_eq!(rows.texts(), ["a", "b"]);
        press(&mut rows, &[KeyCode::Backspace, KeyCode::Backspace]);
        assert_eq!(rows.texts(), ["a"]);
        assert_eq!(rows.rows().len(), 1);
        press(&mut rows, &[KeyCode::Backspace]);
        assert_eq!(press(&mut rows, &[KeyCode::Enter]), [Edit::Ignored]);
        assert_eq!(rows.rows().len(), 1, "one line stays");
    }

    #[test]
    fn keyed_lines_keep_their_text_when_keys_come_and_go() {
        let mut rows = Rows::keyed("why");
        let key = |k: &str| (k.to_owned(), k.to_owned());
        rows.set_keys(&[key("a"), key("b")]);
        press(&mut rows, &[KeyCode::Down, KeyCode::Char('x')]);
        rows.set_keys(&[key("b"), key("c")]);
        assert_eq!(rows.rows()[0].input.text(), "x");
        assert_eq!(rows.texts(), ["x"]);
    }
}
