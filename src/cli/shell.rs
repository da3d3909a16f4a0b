//! `loopdeck completions`, `loopdeck man`: what a shell and `man` want to know.

use clap::builder::{EnumValueParser, TypedValueParser};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use serde_json::json;

use super::args::Cli;
use super::call::{Answer, Call};
use super::errors::{Fault, Result};

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_parser = shells())]
    shell: Shell,
}

fn shells() -> impl TypedValueParser<Value = Shell> {
    EnumValueParser::<Shell>::new()
}

/// The completion script for a shell.
pub fn completions(call: &Call, args: &CompletionsArgs) -> Result<Answer> {
    call.refuse_conditions()?;
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "loopdeck", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    Ok(raw(call, script, "script"))
}

/// The manual: one page for the program and one section for every verb.
pub fn man(call: &Call) -> Result<Answer> {
    call.refuse_conditions()?;
    let mut page = Vec::new();
    let mut command = Cli::command();
    command.build();
    render_all(&command, &mut page)
        .map_err(|e| Fault::new("io", format!("the manual cannot be made: {e}")))?;
    let page = String::from_utf8_lossy(&page).into_owned();
    Ok(raw(call, page, "page"))
}

/// The page of a command, then those of its verbs, as one roff text.
fn render_all(command: &clap::Command, out: &mut Vec<u8>) -> std::io::Result<()> {
    clap_mangen::Man::new(command.clone()).render(out)?;
    for verb in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        render_all(verb, out)?;
    }
    Ok(())
}

/// A text for a program, to the byte.
fn raw(call: &Call, text: String, key: &str) -> Answer {
    let for_json = text.clone();
    call.answer(move || json!({ key: for_json }), move |page| page.verbatim(&text), Vec::new())
}
