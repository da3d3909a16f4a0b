//! Measuring and cutting. All lengths are in characters (Unicode scalar values).

use crate::core::text::first_chars;

/// How many characters a text has.
pub(super) fn chars(text: &str) -> usize {
    text.chars().count()
}

/// The first whole lines of a text that fit; where not even the first one
/// does, as much of it as fits.
pub(super) fn cut_at_line(text: &str, max: usize) -> &str {
    let kept = first_chars(text, max);
    if kept.len() == text.len() || text[kept.len()..].starts_with('\n') {
        return kept;
    }
    match kept.rfind('\n') {
        Some(end) => kept[..end].trim_end(),
        None => kept,
    }
}

/// Shares a room out: who needs less than an equal share gets what it needs,
/// the others part the rest equally.
pub(super) fn shares(needs: &[usize], room: usize) -> Vec<usize> {
    let mut by_need: Vec<usize> = (0..needs.len()).collect();
    by_need.sort_by_key(|i| needs[*i]);
    let mut left = room;
    let mut out = vec![0; needs.len()];
    for (done, i) in by_need.into_iter().enumerate() {
        out[i] = needs[i].min(left / (needs.len() - done));
        left -= out[i];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_at_the_last_line_that_fits() {
        assert_eq!(cut_at_line("один\nдва\nтри", 9), "один\nдва");
        assert_eq!(cut_at_line("один\nдва\nтри", 8), "один\nдва");
        assert_eq!(cut_at_line("один\nдва\nтри", 7), "один");
        assert_eq!(cut_at_line("один", 2), "од");
        assert_eq!(cut_at_line("один", 4), "один");
    }

    #[test]
    fn small_needs_are_met_and_large_ones_part_the_rest() {
        assert_eq!(shares(&[10, 100, 200], 110), [10, 50, 50]);
        assert_eq!(shares(&[10, 20], 100), [10, 20]);
        assert_eq!(shares(&[5, 5, 5], 2), [0, 1, 1]);
        assert!(shares(&[], 5).is_empty());
    }
}
