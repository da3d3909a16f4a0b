//! `loopdeck --plain`: the deck in lines, for screen readers and poor terminals.
//! No screen of its own, no borders, nothing that moves: a list with numbers, a
//! prompt, and every verb of the command line on the loop that was chosen.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;

use clap::CommandFactory;

use super::Outcome;
use super::args::Cli;
use super::call::{Call, print_text, say, terminal_width};
use super::errors::Result;
use crate::core::loops::ids::LoopId;
use crate::core::text::{plural, shown_in_line};
use crate::engine::{Engine, LoopSummary};

/// Verbs on loops that name none.
const NAMES_NONE: [&str; 3] = ["open", "list", "search"];

/// Runs the line mode until the person leaves it.
pub fn run(call: &Call) -> Result<Outcome> {
    call.refuse_conditions()?;
    let engine = call.engine()?;
    run_in(call, engine)
}

/// The same on a workspace that is open already.
pub fn run_in(call: &Call, engine: Engine) -> Result<Outcome> {
    let mut plain = Plain { call, engine, listed: Vec::new(), chosen: None, told: BTreeMap::new() };
    plain.list()?;
    plain.help()?;
    let stdin = std::io::stdin();
    loop {
        plain.announce()?;
        let prompt = match &plain.chosen {
            Some((_, title)) => format!("[{title}] > "),
            None => "> ".to_owned(),
        };
        print_text(&prompt)?;
        let mut line = String::new();
        let read = stdin.read_line(&mut line);
        match read {
            Ok(0) => return Ok(Outcome::LeftDeck(0)),
            Ok(_) if plain.take_in(line.trim())? == Go::Leave => return Ok(Outcome::LeftDeck(0)),
            Ok(_) => {}
            Err(error) => say(&format!("that line cannot be read: {error}")),
        }
    }
}

#[derive(PartialEq, Eq)]
enum Go {
    On,
    Leave,
}

struct Plain<'a> {
    call: &'a Call,
    engine: Engine,
    /// The loops by the numbers that were said last.
    listed: Vec<LoopSummary>,
    chosen: Option<(LoopId, String)>,
    /// What each loop wanted when it was last said.
    told: BTreeMap<LoopId, String>,
}

impl Plain<'_> {
    /// Says the loops with their numbers, what waits for a person first.
    fn list(&mut self) -> Result<()> {
        let now = self.engine.now();
        let mut loops = self.engine.list()?.loops;
        loops.retain(|summary| !summary.is_folded_away(now));
        loops.sort_by_key(|l| l.attention.urgency());
        let count = plural(loops.len(), "loop", "loops");
        let mut text = format!("{}: {count}\n", self.engine.name());
        for (at, summary) in loops.iter().enumerate() {
            text.push_str(&format!("{}. {}\n", at + 1, in_words(summary)));
        }
        if loops.is_empty() {
            text.push_str(
                "No loop yet. Try: open --kind ideation --title \"…\" --proposal \"…\"\n",
            );
        }
        self.told = loops.iter().map(|l| (l.id.clone(), wants(l))).collect();
        self.listed = loops;
        print_folded(&text)
    }

    /// Says what others changed since the last look.
    fn announce(&mut self) -> Result<()> {
        let mut text = String::new();
        let now = self.engine.now();
        for summary in self.engine.list()?.loops.iter().filter(|l| !l.is_folded_away(now)) {
            let wants = wants(summary);
            let before = self.told.insert(summary.id.clone(), wants.clone());
            if before.as_ref() != Some(&wants) {
                text.push_str(&format!("ANN: {}\n", in_words(summary)));
            }
        }
        print_folded(&text)
    }

    fn help(&self) -> Result<()> {
        print_folded(
            "A number chooses a loop. Then: why, show, brief, advance, add --type T --body -, \
             turn, complete, answer, undo, log, and every other verb on loops.\n\
             l lists the loops, status gives the page, any other command of loopdeck works \
             too (memory search …). A text given as - is asked for, line by line, until a \
             line with a single dot. ? says this again, q leaves.\n",
        )
    }

    fn take_in(&mut self, line: &str) -> Result<Go> {
        let words = match shell_words::split(line) {
            Ok(words) => words,
            Err(_) => {
                say("that line has a quotation mark that is not closed");
                return Ok(Go::On);
            }
        };
        let Some(first) = words.first() else { return Ok(Go::On) };
        match first.as_str() {
            "q" | "quit" | "exit" => return Ok(Go::Leave),
            "?" | "help" => self.help()?,
            "l" | "loops" => self.list()?,
            number if number.chars().all(|c| c.is_ascii_digit()) => self.choose(number)?,
            _ => self.carry_out(words)?,
        }
        Ok(Go::On)
    }

    fn choose(&mut self, number: &str) -> Result<()> {
        let at = number.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        let Some(summary) = at.and_then(|at| self.listed.get(at)) else {
            say(&format!("no loop has the number {number}: l lists them"));
            return Ok(());
        };
        let title = shown_in_line(&summary.title);
        self.chosen = Some((summary.id.clone(), title));
        self.carry_out(vec!["why".to_owned()])
    }

    /// Runs a command line in this process, as the shell would run it.
    fn carry_out(&mut self, mut words: Vec<String>) -> Result<()> {
        let verbs = Cli::command();
        let on_loops = verbs
            .find_subcommand("loop")
            .is_some_and(|noun| noun.get_subcommands().any(|verb| verb.get_name() == words[0]));
        if on_loops {
            if !NAMES_NONE.contains(&words[0].as_str()) {
                let Some((id, _)) = &self.chosen else {
                    say("choose a loop first, by its number");
                    return Ok(());
                };
                words.insert(1, id.to_string());
            }
            words.insert(0, "loop".to_owned());
        }
        for at in 1..words.len() {
            if words[at] == "-" {
                let Some(text) = ask_for_text(words[at - 1].trim_start_matches('-'))? else {
                    say("the text was not ended by a line with a single dot: nothing is done");
                    return Ok(());
                };
                words[at] = text;
            }
        }
        let globals = self.globals();
        let args = std::iter::once("loopdeck".to_owned()).chain(globals).chain(words);
        // What it says, also what went wrong, it has printed.
        let _: ExitCode = super::run(args.map(OsString::from));
        Ok(())
    }

    /// What stands before every command: the same workspace, actor and limits.
    fn globals(&self) -> Vec<String> {
        let root = self.engine.root().to_string_lossy().into_owned();
        let mut out = vec!["--workspace".to_owned(), root];
        if let Some(actor) = &self.call.globals.actor {
            out.extend(["--actor".to_owned(), actor.to_string()]);
        }
        if self.call.read_only {
            out.push("--read-only".to_owned());
        }
        out
    }
}

fn wants(summary: &LoopSummary) -> String {
    format!("{} {} {}", summary.status, summary.phase, summary.attention_detail)
}

/// A loop in a sentence: title, kind, where it stands, what it wants.
fn in_words(summary: &LoopSummary) -> String {
    let title = shown_in_line(&summary.title);
    let place = format!("{} round {}", summary.phase, summary.round);
    let wanted = shown_in_line(&summary.attention_detail);
    let wanted = if wanted.is_empty() { wanted } else { format!(": {wanted}") };
    format!("{title}; {}, {}, {place}{wanted}", summary.kind, summary.status)
}

/// Prints sentences; on a terminal they are folded between words, for it would break
/// them anywhere.
fn print_folded(text: &str) -> Result<()> {
    if !std::io::stdout().is_terminal() {
        return print_text(text);
    }
    print_text(&folded(text, terminal_width()))
}

fn folded(text: &str, width: usize) -> String {
    // A line as wide as the terminal would be followed by an empty one on some.
    let room = width.saturating_sub(1).max(20);
    text.lines().flat_map(|line| textwrap::wrap(line, room)).fold(
        String::with_capacity(text.len() + 16),
        |mut out, line| {
            out.push_str(&line);
            out.push('\n');
            out
        },
    )
}

/// Asks for a text of several lines; the argument that gives it to a verb. None if the
/// input ends or breaks before the text does: what came may be half of it.
fn ask_for_text(name: &str) -> Result<Option<String>> {
    print_text(&format!("{name}, line by line; a line with a single dot ends it:\n"))?;
    let mut text = String::new();
    let mut lines = std::io::stdin().lines();
    loop {
        match lines.next() {
            Some(Ok(line)) if line == "." => break,
            Some(Ok(line)) => {
                text.push_str(&line);
                text.push('\n');
            }
            Some(Err(_)) | None => return Ok(None),
        }
    }
    let text = text.trim_end_matches('\n');
    // An argument that begins so would be read from elsewhere.
    let literal = if text.starts_with('@') { "@" } else { "" };
    Ok(Some(format!("{literal}{text}")))
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn sentences_are_folded_between_words() {
        let said = "1. Move the labels; debug, open, isolate round 1: atlas works\n\nThe end\n";
        let folded = folded(said, 31);
        assert!(folded.lines().all(|line| line.chars().count() <= 30), "{folded}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&folded), words(said), "no word is broken: {folded}");
        assert!(folded.contains("\n\nThe end\n"), "{folded}");
    }
}
