//! What clap says about bad usage, help and version, in our form.

use std::borrow::Cow;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use serde_json::json;

use super::args::{Cli, wants_json};
use super::call::{print_fault, print_text};
use super::errors::Fault;
use crate::core::text::shown;

/// Prints help, the version or a usage error, and says with which status to end.
pub fn report(error: &clap::Error, args: &[OsString]) -> ExitCode {
    let json = wants_json(args);
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return print_information(error, json);
    }
    let fault = fault(error, args);
    if json {
        print_fault(true, &fault);
    } else {
        // clap's own layout with usage line and tips; plain, since it repeats
        // the arguments as they came.
        let text = error.render().to_string();
        eprint_quietly(&shown(&text));
    }
    fault.exit_status().into()
}

fn print_information(error: &clap::Error, json: bool) -> ExitCode {
    let printed = if json {
        let text = error.render().to_string();
        let object = json!({"status": "ok", "result": {"text": text.trim_end()}, "warnings": []});
        print_text(&format!("{object}\n"))
    } else {
        // With colour where the terminal has some; a closed pipe is no fault.
        let _ = error.print();
        Ok(())
    };
    match printed {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => fault.exit_status().into(),
    }
}

fn eprint_quietly(text: &str) {
    use std::io::Write;
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// A usage error as a fault: a value that doesn't fit its flag is
/// `invalid_<flag>`, all else `usage`.
fn fault(error: &clap::Error, args: &[OsString]) -> Fault {
    let mut fault = Fault::new(code(error), sentence(error));
    if let Some(near) = suggestion(error) {
        fault.details.insert("suggestion".to_owned(), json!(near));
    }
    if let Some(argument) = string(error, ContextKind::InvalidArg) {
        fault.details.insert("argument".to_owned(), json!(argument));
    }
    fault.step("see what it takes", help_command(args))
}

fn code(error: &clap::Error) -> Cow<'static, str> {
    let value_is_wrong =
        matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation);
    let empty = string(error, ContextKind::InvalidValue).is_some_and(|v| v.is_empty());
    match string(error, ContextKind::InvalidArg) {
        Some(argument) if value_is_wrong && !empty => {
            format!("invalid_{}", field(&argument)).into()
        }
        _ => "usage".into(),
    }
}

/// `--max-chars <N>` → `max_chars`, `<CATEGORY>` → `category`.
fn field(argument: &str) -> String {
    argument
        .trim_start_matches(['-', '<', '['])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        .map(|c| if c == '-' { '_' } else { c.to_ascii_lowercase() })
        .collect()
}

/// What clap says before its usage line, in one line.
fn sentence(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let told = text.split("\nUsage:").next().unwrap_or_default();
    let told = told.split("\nFor more information").next().unwrap_or_default();
    let words: Vec<&str> = told.split_whitespace().collect();
    words.join(" ").trim_start_matches("error: ").to_owned()
}

fn suggestion(error: &clap::Error) -> Option<String> {
    [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue]
        .into_iter()
        .find_map(|kind| string(error, kind))
}

fn string(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.first().cloned(),
        _ => None,
    }
}

/// `loopdeck loop add --help`, for the verb that the arguments begin with.
fn help_command(args: &[OsString]) -> String {
    let mut command = Cli::command();
    let mut words = vec![command.get_name().to_owned()];
    for arg in args.iter().skip(1).filter_map(|a| a.to_str()) {
        if let Some(verb) = command.find_subcommand(arg) {
            words.push(verb.get_name().to_owned());
            command = verb.clone();
        }
    }
    words.push("--help".to_owned());
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn refused(args: &[&str]) -> Fault {
        let error = Cli::try_parse_from(args).expect_err("these arguments are refused");
        fault(&error, &args.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_wrong_value_is_named_by_its_flag() {
        let fault = refused(&["loopdeck", "loop", "open", "--kind", "ideatoin", "--title", "x"]);
        assert_eq!(fault.code, "invalid_kind");
        assert_eq!(fault.details["suggestion"], "ideation");
        assert_eq!(fault.next_steps[0].command, "loopdeck loop open --help");
        assert_eq!(fault.exit_status(), 2);
        let fault = refused(&["loopdeck", "loop", "brief", "x", "--max-chars", "many"]);
        assert_eq!(fault.code, "invalid_max_chars");
    }

    #[test]
    fn an_unknown_flag_is_refused_with_a_suggestion() {
        let fault = refused(&["loopdeck", "loop", "add", "x", "--typ", "critique"]);
        assert_eq!(fault.code, "usage");
        assert_eq!(fault.details["suggestion"], "--type");
        assert!(fault.message.contains("--typ"), "{}", fault.message);
    }

    #[test]
    fn a_missing_value_is_usage_not_an_invalid_field() {
        assert_eq!(refused(&["loopdeck", "loop", "open", "--kind"]).code, "usage");
        assert_eq!(refused(&["loopdeck", "loop", "show"]).code, "usage");
        assert_eq!(refused(&["loopdeck", "loop"]).code, "usage");
    }
}
