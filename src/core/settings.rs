//! What can be wrong in a settings file, and where: one form for all of them.

/// Something in a file that is not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong, and what holds instead.
    pub message: String,
}

impl Fault {
    /// A fault at a byte of a text.
    pub fn at(text: &str, byte: usize, message: String) -> Self {
        let (line, column) = position(text, byte);
        Self { line, column, message }
    }
}

/// Line and column of a byte in a text, both from 1, the column in characters.
pub fn position(text: &str, byte: usize) -> (usize, usize) {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    let before = &text[..byte];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_by_line_and_character() {
        assert_eq!(position("a\nbé = 1", 5), (2, 3));
        assert_eq!(position("", 9), (1, 1));
        assert_eq!(
            Fault::at("x\ny", 2, "no".into()),
            Fault { line: 2, column: 1, message: "no".into() }
        );
    }
}
