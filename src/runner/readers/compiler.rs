//! gcc and clang, the linkers behind them, and make around them, in the
//! languages that they speak.

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
    /// A recipe failed.
    make: bool,
}

/// What stands between a place and what is wrong there.
const WORDS: [&str; 15] = [
    "error:",
    "Error:",
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
        if is_make(line) {
            self.make = true;
        } else if line.contains("undefined reference to")
            || line.contains("undefined symbol:")
            || line.contains("Nicht definierter Verweis")
            || line.contains("référence indéfinie vers")
            || line.contains("referencia a ")
            || line.contains("への定義されていない参照です")
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
        // What failed without saying how many is one.
        let errors = if seen > 0 { seen } else { self.linker.max(u64::from(self.make)) };
        if errors == 0 {
            return None;
        }
        // Logs quote compilers: whether it is one, the exit status says.
        Found::new(Sure::Words, Reading { errors: Some(errors), ..Reading::of("gcc") })
    }
}

/// `make[1]: *** [Makefile:2: all] Error 1`, in any language.
fn is_make(line: &str) -> bool {
    let Some((program, rest)) = line.split_once(": *** ") else { return false };
    let name = program.split('[').next().unwrap_or(program);
    let name = name.rsplit('/').next().unwrap_or(name);
    ["make", "gmake", "mingw32-make"].contains(&name) && !rest.is_empty()
}

/// `a.c:3:5: error: …`, also without a column, as Visual Studio writes it, and
/// where there is no place in a file: `cc1: fatal error: …`.
fn is_error(line: &str) -> bool {
    // In French a narrow space may stand before the colon.
    let line = line.replace(['\u{a0}', '\u{202f}'], " ").replace(" :", ":");
    let Some((before, after)) = line.split_once(": ") else { return false };
    let after = after.trim_start();
    let after = after.strip_prefix("fatal ").unwrap_or(after);
    if !WORDS.iter().any(|word| after.starts_with(word)) {
        return false;
    }
    let program = before.rsplit('/').next().unwrap_or(before);
    let is_program = ["cc1", "cc1plus", "gcc", "g++", "clang", "clang++", "cc", "c++", "ld", "as"]
        .iter()
        .any(|name| program == *name || program.ends_with(&format!("-{name}")));
    let placed = place(before).is_some() || in_brackets(before);
    (placed || is_program) && !after.contains("linker command failed")
}

/// `a.c(3,5)`.
fn in_brackets(before: &str) -> bool {
    let numbers = before.strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
    numbers.is_some_and(|(path, numbers)| {
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        !path.is_empty() && numbers.split(',').all(digits)
    })
}
