//! Choices: one or several of many, with a fuzzy filter, or a few side by side.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::choice::{Choice, ranked};
use super::input::{Edit, Lines, TextInput};

/// How many rows a page key moves.
const PAGE: usize = 8;

/// How many may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arity {
    /// One.
    One,
    /// Any number.
    Several,
}

/// How a choice is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// As a line; the options drop down.
    Drop,
    /// All options side by side; ← and → go through them.
    Inline,
}

/// What a key did to a picker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pick {
    /// It is none of the picker's keys.
    Ignored,
    /// Something moved, opened or closed.
    Moved,
    /// Another choice.
    Changed,
    /// A choice was made (it may be the old one): on to the next field.
    Done,
}

/// The list while it is dropped down.
#[derive(Clone, Debug)]
pub(super) struct Open {
    /// What is typed to filter.
    pub filter: TextInput,
    /// The options that match, by position, best first.
    pub matches: Vec<usize>,
    /// The highlighted row of `matches`; `matches.len()` = the free text.
    pub row: usize,
}

/// A choice of options.
#[derive(Clone, Debug)]
pub(super) struct Picker {
    options: Vec<Choice>,
    arity: Arity,
    shape: Shape,
    free: bool,
    chosen: Vec<String>,
    open: Option<Open>,
}

impl Picker {
    /// A picker of some options, none chosen.
    pub fn new(arity: Arity, options: Vec<Choice>) -> Self {
        Self { options, arity, shape: Shape::Drop, free: false, chosen: Vec::new(), open: None }
    }

    /// Shows all options side by side.
    pub fn inline(mut self) -> Self {
        self.shape = Shape::Inline;
        self
    }

    /// Lets a text be chosen that is no option.
    pub fn free(mut self) -> Self {
        self.free = true;
        self
    }

    /// Begins with something chosen.
    pub fn with(mut self, value: impl Into<String>) -> Self {
        self.chosen = vec![value.into()];
        self
    }

    /// Begins with the first option chosen.
    pub fn first(mut self) -> Self {
        self.chosen = self.options.first().map(|o| o.value.clone()).into_iter().collect();
        self
    }

    /// The options.
    pub fn options(&self) -> &[Choice] {
        &self.options
    }

    /// Puts other options in place of the present ones; drops what was chosen
    /// and is none any more (unless any text may be chosen).
    pub fn set_options(&mut self, options: Vec<Choice>) {
        if self.options == options {
            return;
        }
        self.options = options;
        if !self.free {
            self.chosen.retain(|c| self.options.iter().any(|o| &o.value == c));
        }
        self.refilter();
    }

    /// How it is shown.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// How many may be chosen.
    pub fn arity(&self) -> Arity {
        self.arity
    }

    /// The values that are chosen, in the order in which they were.
    pub fn chosen(&self) -> &[String] {
        &self.chosen
    }

    /// The one value that is chosen.
    pub fn value(&self) -> Option<&str> {
        self.chosen.first().map(String::as_str)
    }

    /// Chooses these values and no others.
    pub fn choose(&mut self, values: Vec<String>) {
        self.chosen = values;
        if self.arity == Arity::One {
            self.chosen.truncate(1);
        }
    }

    /// The list, while it is dropped down.
    pub fn opened(&self) -> Option<&Open> {
        self.open.as_ref()
    }

    /// Whether a value is chosen.
    pub fn is_chosen(&self, value: &str) -> bool {
        self.chosen.iter().any(|c| c == value)
    }

    /// The text that is typed and may be chosen though it is no option.
    pub fn free_text(&self) -> Option<String> {
        let text = self.open.as_ref()?.filter.text().trim().to_owned();
        let known = self.options.iter().any(|o| o.value == text);
        (self.free && !text.is_empty() && !known).then_some(text)
    }

    /// Drops the list down. Options that all stand side by side have none: it
    /// would take no keys, and nothing would close it.
    pub fn open(&mut self) {
        if self.shape == Shape::Inline {
            return;
        }
        let filter = TextInput::new(Lines::One, "");
        self.open = Some(Open { filter, matches: Vec::new(), row: 0 });
        self.refilter();
        let first = self.chosen.first().cloned();
        if let (Some(open), Some(first)) = (&mut self.open, first) {
            open.row = open
                .matches
                .iter()
                .position(|i| self.options.get(*i).is_some_and(|o| o.value == first))
                .unwrap_or(0);
        }
    }

    /// Closes the list; whether it was open.
    pub fn close(&mut self) -> bool {
        self.open.take().is_some()
    }

    /// Takes a paste: into the filter while the list is open.
    pub fn paste(&mut self, text: &str) -> Edit {
        match &mut self.open {
            Some(open) => {
                open.filter.paste(text);
                self.refilter();
                Edit::Moved
            }
            None => Edit::Ignored,
        }
    }

    /// Takes a key.
    pub fn key(&mut self, key: KeyEvent) -> Pick {
        match (self.shape, self.open.is_some()) {
            (Shape::Inline, _) => self.key_inline(key),
            (Shape::Drop, false) => self.key_closed(key),
            (Shape::Drop, true) => self.key_open(key),
        }
    }

    /// Chooses the option at a row of the dropped list, or at a position of the
    /// options that stand side by side.
    pub fn click(&mut self, row: usize) -> Pick {
        match self.shape {
            Shape::Inline => self.choose_at(row),
            Shape::Drop => match &mut self.open {
                Some(open) => {
                    open.row = row;
                    match self.arity {
                        Arity::One => self.take(),
                        Arity::Several => self.toggle(),
                    }
                }
                None => {
                    self.open();
                    Pick::Moved
                }
            },
        }
    }

    fn choose_at(&mut self, position: usize) -> Pick {
        match self.options.get(position) {
            Some(option) if self.chosen != [option.value.clone()] => {
                self.chosen = vec![option.value.clone()];
                Pick::Changed
            }
            Some(_) => Pick::Moved,
            None => Pick::Ignored,
        }
    }

    fn key_inline(&mut self, key: KeyEvent) -> Pick {
        let at = self.value().and_then(|v| self.options.iter().position(|o| o.value == v));
        let count = self.options.len();
        if count == 0 {
            return Pick::Ignored;
        }
        match key.code {
            KeyCode::Right | KeyCode::Char(' ') => {
                self.choose_at(at.map_or(0, |i| (i + 1) % count))
            }
            KeyCode::Left => self.choose_at(at.map_or(count - 1, |i| (i + count - 1) % count)),
            KeyCode::Char(c) if !modified(key) => {
                // A letter goes to the next option that begins with it.
                let begins = |i: usize| {
                    self.options[i]
                        .label
                        .chars()
                        .next()
                        .is_some_and(|f| f.to_lowercase().eq(c.to_lowercase()))
                };
                let from = at.map_or(0, |i| i + 1);
                match (0..count).map(|i| (from + i) % count).find(|i| begins(*i)) {
                    Some(position) => self.choose_at(position),
                    None => Pick::Ignored,
                }
            }
            _ => Pick::Ignored,
        }
    }

    fn key_closed(&mut self, key: KeyEvent) -> Pick {
        match key.code {
            KeyCode::Enter | KeyCode::Char(' ') if !modified(key) => {
                self.open();
                Pick::Moved
            }
            KeyCode::Char(_) if !modified(key) => {
                self.open();
                self.filter_key(key)
            }
            KeyCode::Backspace | KeyCode::Delete => match self.chosen.pop() {
                Some(_) => Pick::Changed,
                None => Pick::Moved,
            },
            _ => Pick::Ignored,
        }
    }

    fn key_open(&mut self, key: KeyEvent) -> Pick {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => {
                self.open = None;
                Pick::Moved
            }
            KeyCode::Down => self.go(1),
            KeyCode::Up => self.go(-1),
            KeyCode::Char('n') if control => self.go(1),
            KeyCode::Char('p') if control => self.go(-1),
            KeyCode::PageDown => self.go(PAGE as isize),
            KeyCode::PageUp => self.go(-(PAGE as isize)),
            KeyCode::Enter => self.take(),
            KeyCode::Char(' ') if self.arity == Arity::Several && !modified(key) => self.toggle(),
            _ => self.filter_key(key),
        }
    }

    fn filter_key(&mut self, key: KeyEvent) -> Pick {
        let Some(open) = &mut self.open else { return Pick::Ignored };
        match open.filter.key(key) {
            Edit::Changed => {
                self.refilter();
                Pick::Moved
            }
            Edit::Moved => Pick::Moved,
            Edit::Ignored => Pick::Ignored,
        }
    }

    /// Moves the highlight, from end to end around for single steps.
    fn go(&mut self, by: isize) -> Pick {
        let rows = self.rows();
        if let Some(open) = &mut self.open
            && rows > 0
        {
            let last = rows - 1;
            open.row = match by {
                1 if open.row >= last => 0,
                -1 if open.row == 0 => last,
                _ => open.row.saturating_add_signed(by).min(last),
            };
        }
        Pick::Moved
    }

    /// How many rows the dropped list has.
    pub fn rows(&self) -> usize {
        let options = self.open.as_ref().map_or(0, |o| o.matches.len());
        options + usize::from(self.free_text().is_some())
    }

    /// The option of a row of the dropped list.
    pub fn option_at(&self, row: usize) -> Option<&Choice> {
        self.options.get(*self.open.as_ref()?.matches.get(row)?)
    }

    /// The value of the highlighted row.
    fn highlighted(&self) -> Option<String> {
        let open = self.open.as_ref()?;
        match self.option_at(open.row) {
            Some(option) => Some(option.value.clone()),
            None => self.free_text(),
        }
    }

    /// Enter: with one choice, takes the highlighted one. With several, what
    /// was toggled stands; the highlighted one is added if it was searched for
    /// or nothing was toggled.
    fn take(&mut self) -> Pick {
        let highlighted = self.highlighted();
        let searched = self.open.as_ref().is_some_and(|o| !o.filter.is_empty());
        match (self.arity, highlighted) {
            (Arity::One, Some(value)) => self.chosen = vec![value],
            (Arity::Several, Some(value))
                if (searched || self.chosen.is_empty()) && !self.is_chosen(&value) =>
            {
                self.chosen.push(value);
            }
            // Nothing matches: the list stays, so that nothing is taken by mistake.
            (_, None) if searched => return Pick::Moved,
            _ => {}
        }
        self.open = None;
        Pick::Done
    }

    fn toggle(&mut self) -> Pick {
        let Some(value) = self.highlighted() else { return Pick::Moved };
        match self.chosen.iter().position(|c| *c == value) {
            Some(position) => {
                self.chosen.remove(position);
            }
            None => self.chosen.push(value),
        }
        // The next search begins anew.
        if let Some(open) = &mut self.open
            && !open.filter.is_empty()
        {
            open.filter.replace("");
            self.refilter();
        }
        Pick::Changed
    }

    fn refilter(&mut self) {
        let Some(open) = &mut self.open else { return };
        let filter = open.filter.text();
        open.matches = ranked(&self.options, filter.trim());
        open.row = 0;
    }
}

fn modified(key: KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    control != key.modifiers.contains(KeyModifiers::ALT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(picker: &mut Picker, keys: &[KeyCode]) -> Vec<Pick> {
        keys.iter().map(|k| picker.key(KeyEvent::new(*k, KeyModifiers::NONE))).collect()
    }

    fn fruit(arity: Arity) -> Picker {
        Picker::new(arity, ["apple", "pear", "plum"].map(Choice::plain).to_vec())
    }

    #[test]
    fn typing_filters_and_enter_takes() {
        let mut picker = fruit(Arity::One);
        press(&mut picker, &[KeyCode::Char('p'), KeyCode::Char('l'), KeyCode::Char('u')]);
        assert_eq!(press(&mut picker, &[KeyCode::Enter]), [Pick::Done]);
        assert_eq!(picker.value(), Some("plum"));
        assert!(picker.opened().is_none());
    }

    #[test]
    fn several_are_toggled_with_space_and_kept_with_enter() {
        let mut picker = fruit(Arity::Several);
        let space = KeyCode::Char(' ');
        press(&mut picker, &[KeyCode::Enter, space, KeyCode::Down, KeyCode::Down, space]);
        press(&mut picker, &[KeyCode::Enter]);
        assert_eq!(picker.chosen(), ["apple", "plum"]);
        press(&mut picker, &[KeyCode::Backspace]);
        assert_eq!(picker.chosen(), ["apple"]);
    }

    #[test]
    fn nothing_is_taken_when_nothing_matches() {
        let mut picker = fruit(Arity::One);
        press(&mut picker, &[KeyCode::Char('z'), KeyCode::Enter]);
        assert_eq!(picker.value(), None);
        assert!(picker.opened().is_some());
    }

    #[test]
    fn a_free_text_may_be_taken_where_it_is_allowed() {
        let mut picker = fruit(Arity::One).free();
        press(&mut picker, &[KeyCode::Char('z'), KeyCode::Char('z'), KeyCode::Enter]);
        assert_eq!(picker.value(), Some("zz"));
    }

    #[test]
    fn side_by_side_goes_round_with_arrows_and_letters() {
        let mut picker = fruit(Arity::One).inline().first();
        press(&mut picker, &[KeyCode::Left]);
        assert_eq!(picker.value(), Some("plum"));
        press(&mut picker, &[KeyCode::Char('p')]);
        assert_eq!(picker.value(), Some("pear"));
        press(&mut picker, &[KeyCode::Char('p')]);
        assert_eq!(picker.value(), Some("plum"));
    }

    #[test]
    fn other_options_drop_what_is_none_any_more() {
        let mut picker = fruit(Arity::One).with("pear");
        picker.set_options(vec![Choice::plain("apple")]);
        assert_eq!(picker.value(), None);
    }
}
