//! Keys as they are written (`ctrl-d`, `G`, `shift-tab`) and as terminals send them.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// One key with its modifiers, in a form in which equal keys are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chord {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl Chord {
    /// The chord that a terminal sent. A character carries its shift already.
    pub fn of(event: &KeyEvent) -> Self {
        let wanted = KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT;
        let mut modifiers = event.modifiers & wanted;
        let mut code = event.code;
        match code {
            KeyCode::Char(c) => {
                // With ctrl, terminals differ in the case that they send.
                if modifiers.contains(KeyModifiers::CONTROL) {
                    code = KeyCode::Char(c.to_ascii_lowercase());
                }
                modifiers -= KeyModifiers::SHIFT;
            }
            KeyCode::Tab if modifiers.contains(KeyModifiers::SHIFT) => {
                code = KeyCode::BackTab;
                modifiers -= KeyModifiers::SHIFT;
            }
            KeyCode::BackTab => modifiers -= KeyModifiers::SHIFT,
            _ => {}
        }
        Self { code, modifiers }
    }

    /// Reads `q`, `G`, `ctrl-d`, `enter`, `shift-tab`, `pgdn`, `f1` and the like.
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text;
        let mut modifiers = KeyModifiers::NONE;
        loop {
            let before = rest;
            for (prefix, modifier) in [
                ("ctrl-", KeyModifiers::CONTROL),
                ("alt-", KeyModifiers::ALT),
                ("shift-", KeyModifiers::SHIFT),
            ] {
                if rest == "shift-tab" {
                    break;
                }
                if let Some(tail) = rest.strip_prefix(prefix).filter(|tail| !tail.is_empty()) {
                    modifiers |= modifier;
                    rest = tail;
                }
            }
            if before == rest {
                break;
            }
        }
        Some(Self { code: parse_code(rest)?, modifiers })
    }

    /// As files write it and [`Chord::parse`] reads it.
    pub fn written(self) -> String {
        let mut out = String::new();
        for (modifier, prefix) in [
            (KeyModifiers::CONTROL, "ctrl-"),
            (KeyModifiers::ALT, "alt-"),
            (KeyModifiers::SHIFT, "shift-"),
        ] {
            if self.modifiers.contains(modifier) {
                out.push_str(prefix);
            }
        }
        match NAMED.iter().find(|(_, code, _)| *code == self.code) {
            Some((name, _, _)) => out.push_str(name),
            None => match self.code {
                KeyCode::Char(c) => out.push(c),
                KeyCode::F(n) => out.push_str(&format!("f{n}")),
                _ => {}
            },
        }
        out
    }

    /// The character that this key types, if it types one.
    pub fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if (self.modifiers - KeyModifiers::SHIFT).is_empty() => Some(c),
            _ => None,
        }
    }

    /// Whether this is the key that deletes backwards.
    pub fn is_backspace(self) -> bool {
        self.code == KeyCode::Backspace
    }
}

/// Keys with a name: as it is written in the table, and as it is shown.
const NAMED: &[(&str, KeyCode, &str)] = &[
    ("enter", KeyCode::Enter, "Enter"),
    ("esc", KeyCode::Esc, "Esc"),
    ("tab", KeyCode::Tab, "Tab"),
    ("shift-tab", KeyCode::BackTab, "S-Tab"),
    ("space", KeyCode::Char(' '), "Space"),
    ("backspace", KeyCode::Backspace, "Backspace"),
    ("up", KeyCode::Up, "Up"),
    ("down", KeyCode::Down, "Down"),
    ("left", KeyCode::Left, "Left"),
    ("right", KeyCode::Right, "Right"),
    ("home", KeyCode::Home, "Home"),
    ("end", KeyCode::End, "End"),
    ("pgup", KeyCode::PageUp, "PgUp"),
    ("pgdn", KeyCode::PageDown, "PgDn"),
    ("del", KeyCode::Delete, "Del"),
];

fn parse_code(text: &str) -> Option<KeyCode> {
    if let Some((_, code, _)) = NAMED.iter().find(|(name, _, _)| *name == text) {
        return Some(*code);
    }
    if let Some(n) = text.strip_prefix('f').and_then(|n| n.parse::<u8>().ok()) {
        return (1..=24).contains(&n).then_some(KeyCode::F(n));
    }
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Some(KeyCode::Char(c)),
        _ => None,
    }
}

impl fmt::Display for Chord {
    /// As people write it: `^d` for ctrl, symbols for none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.modifiers.contains(KeyModifiers::CONTROL) {
            f.write_str("^")?;
        }
        if self.modifiers.contains(KeyModifiers::ALT) {
            f.write_str("alt-")?;
        }
        if self.modifiers.contains(KeyModifiers::SHIFT) {
            f.write_str("S-")?;
        }
        if let Some((_, _, shown)) = NAMED.iter().find(|(_, code, _)| *code == self.code) {
            return f.write_str(shown);
        }
        match self.code {
            KeyCode::Char(c) => write!(f, "{c}"),
            KeyCode::F(n) => write!(f, "F{n}"),
            other => write!(f, "{other:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(code: KeyCode, modifiers: KeyModifiers) -> Chord {
        Chord::of(&KeyEvent::new(code, modifiers))
    }

    #[test]
    fn what_is_written_is_what_is_sent() {
        let shift = KeyModifiers::SHIFT;
        let ctrl = KeyModifiers::CONTROL;
        assert_eq!(Chord::parse("G"), Some(sent(KeyCode::Char('G'), shift)));
        assert_eq!(Chord::parse("?"), Some(sent(KeyCode::Char('?'), shift)));
        assert_eq!(Chord::parse("ctrl-d"), Some(sent(KeyCode::Char('D'), ctrl | shift)));
        assert_eq!(Chord::parse("shift-tab"), Some(sent(KeyCode::BackTab, shift)));
        assert_eq!(Chord::parse("shift-tab"), Some(sent(KeyCode::Tab, shift)));
        assert_eq!(Chord::parse("f1"), Some(sent(KeyCode::F(1), KeyModifiers::NONE)));
        assert_eq!(Chord::parse("f"), Some(sent(KeyCode::Char('f'), KeyModifiers::NONE)));
        assert_eq!(Chord::parse("nonsense"), None);
        assert_eq!(Chord::parse(""), None);
    }

    #[test]
    fn keys_are_shown_short() {
        let shown = |text: &str| Chord::parse(text).map(|c| c.to_string()).unwrap_or_default();
        assert_eq!(shown("ctrl-d"), "^d");
        assert_eq!(shown("enter"), "Enter");
        assert_eq!(shown("shift-tab"), "S-Tab");
        assert_eq!(shown("G"), "G");
    }
}
