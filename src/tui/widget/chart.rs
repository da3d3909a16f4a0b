//! A course of values in columns of blocks, with the line that they are to
//! reach.

/// What a cell of a chart shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// So many eighths of it are filled, 1 to 8.
    Filled(u8),
    /// The line of the target.
    Target,
}

/// Values as columns, the newest at the right, the rows from the top. The lowest
/// row is the target's line; what lies below it hangs from it as one eighth. Of
/// more values than there are columns the newest are shown.
pub fn columns(distances: &[f64], wide: usize, high: usize) -> Vec<Vec<Cell>> {
    let shown = &distances[distances.len().saturating_sub(wide)..];
    let top = shown.iter().fold(0.0_f64, |top, value| top.max(value.abs()));
    let body = high.saturating_sub(1);
    let mut rows = vec![vec![Cell::Empty; wide]; high];
    if let Some(last) = rows.last_mut() {
        last.fill(Cell::Target);
    }
    for (x, value) in shown.iter().enumerate() {
        let share = if top > 0.0 { value.abs() / top } else { 0.0 };
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss
        )]
        let eighths = (share * (body * 8) as f64).round() as usize;
        // What is not zero is seen.
        let mut left = if *value == 0.0 { 0 } else { eighths.max(1) };
        for row in rows[..body].iter_mut().rev() {
            let filled = left.min(8);
            left -= filled;
            if filled > 0 {
                row[x] = Cell::Filled(u8::try_from(filled).unwrap_or(8));
            }
        }
    }
    rows
}

/// The character of a cell.
pub fn glyph(cell: Cell, ascii: bool) -> &'static str {
    const BLOCKS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
    match (cell, ascii) {
        (Cell::Empty, _) => " ",
        (Cell::Target, false) => "┄",
        (Cell::Target, true) => "-",
        (Cell::Filled(_), true) => "#",
        (Cell::Filled(eighths), false) => BLOCKS[usize::from(eighths.clamp(1, 8)) - 1],
    }
}

/// Values in one row of blocks; zero is the lowest.
pub fn line(distances: &[f64], wide: usize, ascii: bool) -> String {
    let shown = &distances[distances.len().saturating_sub(wide)..];
    let top = shown.iter().fold(0.0_f64, |top, value| top.max(value.abs()));
    let level = |value: &f64| {
        let share = if top > 0.0 { value.abs() / top } else { 0.0 };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 8.
        let eighths = if *value == 0.0 { 1 } else { ((share * 8.0).round() as u8).max(2) };
        match ascii {
            true => ["_", ".", ".", "-", "-", "=", "=", "#"][usize::from(eighths.clamp(1, 8)) - 1],
            false => glyph(Cell::Filled(eighths), false),
        }
    };
    shown.iter().map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(distances: &[f64], wide: usize, high: usize) -> Vec<String> {
        let rows = columns(distances, wide, high);
        rows.iter().map(|row| row.iter().map(|cell| glyph(*cell, false)).collect()).collect()
    }

    #[test]
    fn columns_stand_on_the_line_of_the_target() {
        assert_eq!(drawn(&[8.0, 4.0, 1.0, 0.0], 5, 3), ["█    ", "██▂  ", "┄┄┄┄┄"]);
        assert_eq!(drawn(&[0.0], 2, 2), ["  ", "┄┄"]);
        assert_eq!(drawn(&[], 2, 1), ["┄┄"]);
    }

    #[test]
    fn of_many_values_the_newest_are_shown_and_none_that_is_not_zero_is_lost() {
        let many: Vec<f64> = (0..10_000).map(|n| f64::from(10_000 - n)).collect();
        assert_eq!(drawn(&many, 3, 2), ["█▅▃", "┄┄┄"]);
        assert_eq!(drawn(&[1_000.0, 1.0], 2, 2), ["█▁", "┄┄"]);
    }

    #[test]
    fn no_size_and_no_value_breaks_it() {
        for wide in 0..4 {
            for high in 0..4 {
                for values in [&[][..], &[f64::MAX, -1.0], &[f64::MIN, f64::MAX, 0.0]] {
                    let rows = columns(values, wide, high);
                    assert!(rows.len() == high && rows.iter().all(|row| row.len() == wide));
                    assert_eq!(line(values, wide, true).chars().count(), values.len().min(wide));
                }
            }
        }
    }
}
