//! What may be said on the command line: the root, what stands before or after
//! every verb, and how values are read.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use strum::IntoEnumIterator;

use super::{
    config, demo, doctor, dream, init, loops, memory, rewards, sessions, shell, status, trust, turn,
};
use crate::core::loops::model::Actor;
use crate::core::memory::Category;

/// Drive structured loops - ideation, review, research, implementation, debug -
/// by hand, from the terminal.
///
/// Without a command: the deck, on the workspace of this folder.
#[derive(Debug, Parser)]
#[command(name = "loopdeck", version, about, long_about, disable_help_subcommand = true)]
#[command(after_help = "Texts (--body, --goal, …): @FILE reads a file, - standard input, @@ is a \
                        literal @.\nIds: any unique beginning of at least 4 characters; a loop \
                        also by its slug, a slot by its role.")]
pub struct Cli {
    /// What may stand before or after every verb.
    #[command(flatten)]
    pub globals: Globals,
    /// Look at everything, change nothing
    #[arg(long, help_heading = "Options")]
    pub read_only: bool,
    /// The deck in lines: a numbered list and a prompt, for screen readers
    #[arg(long, help_heading = "Options")]
    pub plain: bool,
    /// The noun or verb.
    #[command(subcommand)]
    pub command: Option<Noun>,
}

/// What may stand before or after every verb.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Everywhere")]
pub struct Globals {
    /// Print one JSON object, also for errors
    #[arg(long, global = true)]
    pub json: bool,
    /// The workspace's folder, instead of the nearest one above
    #[arg(long, global = true, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// Who acts: operator (default) or agent:NAME. Taken on your word
    #[arg(long, global = true, value_name = "ACTOR", value_parser = actor)]
    pub actor: Option<Actor>,
    /// Makes a repeated change harmless: the same id gives the first answer again
    #[arg(long, global = true, value_name = "ID", value_parser = request_id)]
    pub request_id: Option<String>,
    /// Refuse the change if the loop has moved past this version
    #[arg(long, global = true, value_name = "VERSION")]
    pub expect_version: Option<u64>,
}

/// The nouns and the verbs that need none.
#[derive(Debug, Subcommand)]
pub enum Noun {
    /// Make a workspace here
    Init(init::InitArgs),
    /// The deck in a page of plain text
    Status(status::StatusArgs),
    /// Loops: open, look at and drive them
    #[command(subcommand, visible_alias = "loops")]
    Loop(loops::LoopVerb),
    /// Turns that are handed to worker processes
    #[command(subcommand, visible_alias = "turns")]
    Turn(turn::TurnVerb),
    /// Serve the loops to coding agents over standard input and output (MCP)
    Mcp,
    /// Keeps a worker: for the program itself
    #[command(name = "__keep-worker", hide = true)]
    KeepWorker(turn::KeepArgs),
    /// Project memory: what briefs are made from
    #[command(subcommand)]
    Memory(memory::MemoryVerb),
    /// Reward records: what dreams are dreamt from
    #[command(subcommand)]
    Rewards(rewards::RewardsVerb),
    /// Dreams: what the reward records show
    #[command(subcommand)]
    Dream(dream::DreamVerb),
    /// Iteration sessions: attempts at closing a gap, recorded or run
    #[command(subcommand, visible_alias = "sessions")]
    Session(sessions::SessionVerb),
    /// A filled workspace to try things on
    Demo(demo::DemoArgs),
    /// Which commands may be run on this machine
    Trust {
        /// The verb; without one the approvals are listed
        #[command(subcommand)]
        verb: Option<trust::TrustVerb>,
    },
    /// Check every store, and mend what is safe
    Doctor(doctor::DoctorArgs),
    /// The settings
    Config {
        /// The verb
        #[command(subcommand)]
        verb: config::ConfigVerb,
    },
    /// The keys of the deck, your own among them
    Keys,
    /// Where things are
    Paths,
    /// A completion script for a shell
    Completions(shell::CompletionsArgs),
    /// The manual page, in roff
    Man,
}

/// Reads one word of a closed set, which completions and suggestions then know.
pub fn word<T>(of: impl Fn(&T) -> bool) -> impl TypedValueParser<Value = T>
where
    T: IntoEnumIterator + FromStr + Into<&'static str> + Clone + Send + Sync + 'static,
{
    let words: Vec<&'static str> = T::iter().filter(of).map(Into::into).collect();
    PossibleValuesParser::new(words).try_map(|word| {
        word.parse::<T>().map_err(|_| format!("{word:?} is not one of the words listed"))
    })
}

/// Reads one of the nine categories that people file memory under.
pub fn category() -> impl TypedValueParser<Value = Category> {
    word(|c: &Category| c.is_user())
}

fn actor(text: &str) -> Result<Actor, String> {
    match text.parse()? {
        Actor::Engine => Err("the engine speaks for itself: use operator or agent:NAME".to_owned()),
        actor => Ok(actor),
    }
}

fn request_id(text: &str) -> Result<String, String> {
    let length = text.chars().count();
    if (1..=200).contains(&length) && !text.chars().any(char::is_control) {
        Ok(text.to_owned())
    } else {
        Err("an id has 1 to 200 characters, none of them a control character".to_owned())
    }
}

/// Reads `KEY=VALUE`; the value may hold further `=`.
pub fn pair(what: &str, text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err(format!("{text:?} is not of the form {what}")),
    }
}

/// Reads a command as one argument: words as a shell splits them, of which none
/// is ever given to a shell.
pub fn command_line(text: &str) -> Result<Vec<String>, String> {
    let argv = shell_words::split(text)
        .map_err(|_| format!("{text} has a quotation mark that is not closed"))?;
    match argv.first() {
        Some(program) if !program.is_empty() => Ok(argv),
        _ => Err("a command names a program".to_owned()),
    }
}

/// Reads JSON of a known form.
pub fn json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|e| e.to_string())
}

/// The flags whose values are texts.
const TEXT_FLAGS: &[&str] = &[
    "--body",
    "--proposal",
    "--goal",
    "--reason",
    "--input",
    "--text",
    "--question",
    "--evidence",
    "--description",
    "--raw",
    "--cause",
];

/// Joins a text flag with a value that begins with a dash but cannot be a flag,
/// since it holds whitespace (`--body "- a bullet"`), so that the value is not
/// taken for one.
pub fn join_texts_with_dashes(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut out: Vec<OsString> = Vec::new();
    for arg in args {
        match out.last_mut() {
            Some(flag) if is_text_flag(flag) && is_text_with_dash(&arg) => {
                flag.push("=");
                flag.push(arg);
            }
            _ => out.push(arg),
        }
    }
    out
}

fn is_text_flag(arg: &OsString) -> bool {
    arg.to_str().is_some_and(|a| TEXT_FLAGS.contains(&a))
}

fn is_text_with_dash(arg: &OsString) -> bool {
    let text = arg.to_string_lossy();
    let head = text.split(char::is_whitespace).next().unwrap_or_default();
    text.starts_with('-') && head.len() < text.len() && !(head.len() > 2 && head.contains('='))
}

/// Whether `--json` is among the arguments, for when they can't be parsed.
pub fn wants_json(args: &[OsString]) -> bool {
    args.iter().take_while(|a| *a != "--").any(|a| a == "--json")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_holds_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_text_that_begins_with_a_dash_stays_a_text() {
        let joined = |args: &[&str]| join_texts_with_dashes(args.iter().map(OsString::from));
        assert_eq!(joined(&["--body", "- a bullet"]), ["--body=- a bullet"]);
        assert_eq!(joined(&["--body", "-"]), ["--body", "-"]);
        assert_eq!(joined(&["--body", "--type"]), ["--body", "--type"]);
        assert_eq!(joined(&["--reason", "--body=a b"]), ["--reason", "--body=a b"]);
        assert_eq!(joined(&["--type", "- x"]), ["--type", "- x"]);
    }

    #[test]
    fn the_engine_is_nobodys_name() {
        assert!(actor("engine").is_err());
        assert_eq!(actor("agent:codex"), Ok(Actor::Agent("codex".into())));
        assert!(actor("agent:").is_err());
    }
}
