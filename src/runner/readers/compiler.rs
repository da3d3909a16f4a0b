//! gcc and clang, and the linkers behind them, in the languages that they speak.

use super::line::{number_at_start, place};
use super::{Found, Reader, Sure};
use crate::core::session::Reading;

#[derive(Default)]
pub(super) struct Compiler {
    errors: u64,
    undefined: u64,
    linker: u64,
    /// clang's `3 errors generated.`
    told: u64,
}

/// What stands between a place and what is wrong there.
const WORDS: [&str; 14] = [
    "error:",
    "fatal error:",
    "Fehler:",
    "schwerwiegender Fehler:",
    "erreur:",
    "erreur :",
    "erreur fatale:",
    "erreur fatale :",
    "erro:",
    "errore:",
    "ошибка:",
    "エラー:",
    "错误：",
    "오류:",
];

impl Reader for Compiler {
    fn line(&mut self, line: &str) {
        if line.contains("undefined reference to")
            || line.contains("undefined symbol:")
            || line.contains("Nicht definierter Verweis")
            || line.contains("référence indéfinie vers")
        {
            self.undefined += 1;
        } else if is_error(line) {
            self.errors += 1;
        } else if line.starts_with("collect2:") || line.starts_with("clang: error: linker command")
        {
            self.linker = 1;
        } else if let Some(count) = number_at_start(line)
            && (line.contains(" errors generated") || line.contains(" error generated"))
        {
            self.told += count;
        }
    }

    fn found(&self) -> Option<Found> {
        let seen = (self.errors + self.undefined).max(self.told);
        let errors = if seen > 0 { seen } else { self.linker };
        if errors == 0 {
            return None;
        }
        let sure = if self.told > 0 { Sure::Summary } else { Sure::Words };
        Found::new(sure, Reading { errors: Some(errors), ..Reading::of("gcc") })
    }
}

/// `a.c:3:5: error: …`, also without a column, and where there is no place in a
/// file: `cc1: fatal error: …`.
fn is_error(line: &str) -> bool {
    // In French a narrow space may stand before the colon.
    let line = line.replace(['\u{a0}', '\u{202f}'], " ");
    let Some((before, after)) = line.split_once(": ") else { return false };
    let after = after.trim_start();
    if !WORDS.iter().any(|word| after.starts_with(word)) {
        return false;
    }
    let program = before.rsplit('/').next().unwrap_or(before);
    let is_program = ["cc1", "cc1plus", "gcc", "g++", "clang", "clang++", "cc", "c++", "ld", "as"]
        .iter()
        .any(|name| program == *name || program.ends_with(&format!("-{name}")));
    (place(before).is_some() || is_program) && !after.contains("linker command failed")
}
