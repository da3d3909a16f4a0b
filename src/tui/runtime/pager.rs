//! The person's own pager, for a text to read.

use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

use super::editor::{argv_of, flush_input};

/// Lets the person read a text. The terminal must have been given back before.
///
/// # Errors
/// A sentence: it can't be started, it failed.
pub(super) fn read(text: &str) -> Result<(), String> {
    let (name, argv) = argv_of(&["PAGER"], "the usual pager; $PAGER names another", "less")?;
    let (program, arguments) =
        argv.split_first().ok_or_else(|| format!("{name} is empty: it should name a pager"))?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped());
    // A pager that leaves by itself when the text fits would show it for no time.
    command.env("LESS", stays(std::env::var("LESS").ok().as_deref()));
    let mut child = command
        .spawn()
        .map_err(|error| format!("{program} ({name}) could not be started: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        match stdin.write_all(text.as_bytes()) {
            // Who has read enough leaves before the end.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("the text could not be handed to {program}: {error}"));
            }
            _ => {}
        }
    }
    let status = child.wait().map_err(|error| format!("{program} was lost: {error}"))?;
    flush_input();
    match status.success() {
        true => Ok(()),
        false => Err(format!("{program} ended with {status}")),
    }
}

/// The habits of `less`, without the one of leaving a text that fits.
fn stays(habits: Option<&str>) -> String {
    match habits {
        Some(habits) if !habits.trim().is_empty() => format!("{habits} -+F"),
        _ => "-+F".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn habits_are_kept_but_for_leaving_at_once() {
        assert_eq!(stays(None), "-+F");
        assert_eq!(stays(Some("")), "-+F");
        assert_eq!(stays(Some("-iRFX")), "-iRFX -+F");
    }
}
