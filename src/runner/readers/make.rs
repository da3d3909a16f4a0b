//! make, where nothing better is known than that a recipe failed.

use super::{Found, Reader, Sure};
use crate::core::session::Reading;

#[derive(Default)]
pub(super) struct Make {
    errors: u64,
}

impl Reader for Make {
    /// `make[1]: *** [Makefile:2: all] Error 1`, in any language.
    fn line(&mut self, line: &str) {
        let Some((program, rest)) = line.split_once(": *** ") else { return };
        let name = program.split('[').next().unwrap_or(program);
        let is_make = ["make", "gmake", "mingw32-make"].contains(&name);
        // An outer make repeats what the inner one said.
        if is_make && (self.errors == 0 || !program.contains('[')) && !rest.is_empty() {
            self.errors = self.errors.max(1);
        }
    }

    fn found(&self) -> Option<Found> {
        if self.errors == 0 {
            return None;
        }
        let reading = Reading { errors: Some(self.errors), ..Reading::of("make") };
        Some(Found { reading, sure: Sure::Words })
    }
}
