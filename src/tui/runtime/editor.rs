//! The person's own editor, for a text.

use std::io::Write;
use std::process::Command;

/// Lets the person edit a text; what was written. The terminal must have been
/// given back before.
///
/// # Errors
/// A sentence: no editor, it can't be started, it failed.
pub(super) fn edit(text: &str) -> Result<String, String> {
    let usual = "the usual editor; $EDITOR names another";
    let (name, argv) = argv_of(&["VISUAL", "EDITOR"], usual, "vi")?;
    let mut file = tempfile::Builder::new()
        .prefix("loopdeck-")
        .suffix(".md")
        .tempfile()
        .map_err(|error| format!("no file could be made for the editor: {error}"))?;
    file.write_all(text.as_bytes())
        .and_then(|()| file.flush())
        .map_err(|error| format!("the text could not be handed to the editor: {error}"))?;
    let (program, arguments) =
        argv.split_first().ok_or_else(|| format!("{name} is empty: it should name an editor"))?;
    let status = Command::new(program)
        .args(arguments)
        .arg(file.path())
        .status()
        .map_err(|error| format!("{program} ({name}) could not be started: {error}"))?;
    flush_input();
    if !status.success() {
        return Err(format!("{program} ended with {status}: the text is as it was"));
    }
    let written = std::fs::read(file.path())
        .map_err(|error| format!("what the editor wrote can't be read: {error}"))?;
    let written = String::from_utf8(written)
        .map_err(|_| "what the editor wrote is not UTF-8: the text is as it was".to_owned())?;
    Ok(without_last_line_end(&written, text))
}

/// The command line that the first of some variables holds, and the variable's
/// name; else the usual program, and what it is called.
///
/// # Errors
/// A sentence that says which variable holds no command line.
pub(super) fn argv_of(
    variables: &[&'static str],
    usual_name: &'static str,
    usual: &str,
) -> Result<(&'static str, Vec<String>), String> {
    for name in variables {
        let Ok(value) = std::env::var(name) else { continue };
        if value.trim().is_empty() {
            continue;
        }
        let argv = shell_words::split(&value)
            .map_err(|error| format!("${name} is not a command line: {error}"))?;
        return Ok((name, argv));
    }
    Ok((usual_name, vec![usual.to_owned()]))
}

/// Editors end a file with a line end that the text may not have had.
fn without_last_line_end(written: &str, before: &str) -> String {
    match written.strip_suffix('\n') {
        Some(stripped) if !before.ends_with('\n') => stripped.to_owned(),
        _ => written.to_owned(),
    }
}

/// Keys that were typed into the void while the program closed mean nothing here.
pub(super) fn flush_input() {
    #[cfg(unix)]
    {
        let _ = rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_end_that_editors_add_is_taken_away_again() {
        assert_eq!(without_last_line_end("a\n", "a"), "a");
        assert_eq!(without_last_line_end("a\n", "b\n"), "a\n");
        assert_eq!(without_last_line_end("a", "a"), "a");
    }
}
