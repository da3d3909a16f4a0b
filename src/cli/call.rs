//! One invocation: where it runs, as whom, and how its answer is given.

use std::cell::{Cell, RefCell};
use std::io::{IsTerminal, Read, Write as _};
use std::path::Path;

use serde_json::{Value, json};

use super::args::Globals;
use super::errors::{Fault, Result};
use super::page::{Page, Tone, gap, plain, span};
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::Actor;
use crate::core::text::shown_json;
use crate::engine::{Engine, Options, Write};

/// What a command found or did, in the form that was asked for.
#[derive(Debug)]
pub struct Answer {
    /// The result, for `--json`.
    result: Value,
    /// The text, for people.
    text: String,
    /// What the caller should know all the same.
    warnings: Vec<String>,
    /// With which status the program ends.
    status: u8,
}

impl Answer {
    /// The same answer, ending the program with another status than 0.
    #[must_use]
    pub fn ending_with(mut self, status: u8) -> Self {
        self.status = status;
        self
    }

    /// With which status the program ends.
    pub fn status(&self) -> u8 {
        self.status
    }
}

/// One invocation of the program.
#[derive(Debug)]
pub struct Call {
    /// What may stand before or after every verb.
    pub globals: Globals,
    /// Whether nothing may be written.
    pub read_only: bool,
    stdin_taken: Cell<bool>,
    /// Who acts by the workspace's settings, once it is open.
    configured: RefCell<Option<Actor>>,
    /// What is wrong with the workspace as a whole: every answer says so.
    faults: RefCell<Vec<String>>,
}

impl Call {
    /// An invocation with these global arguments.
    pub fn new(globals: Globals, read_only: bool) -> Self {
        Self {
            globals,
            read_only,
            stdin_taken: Cell::new(false),
            configured: RefCell::default(),
            faults: RefCell::default(),
        }
    }

    /// How the engine is to be opened.
    pub fn options(&self) -> Options {
        Options {
            workspace: self.globals.workspace.clone(),
            read_only: self.read_only,
            ..Options::default()
        }
    }

    /// Opens the workspace.
    pub fn engine(&self) -> Result<Engine> {
        let engine = Engine::open(self.options())?;
        *self.configured.borrow_mut() = Some(engine.default_actor());
        *self.faults.borrow_mut() = engine.problems().into_iter().map(|p| p.message).collect();
        Ok(engine)
    }

    /// Opens the workspace and finds a loop in it.
    pub fn engine_and_loop(&self, text: &str) -> Result<(Engine, LoopId)> {
        let engine = self.engine()?;
        let id = engine.resolve(text)?;
        Ok((engine, id))
    }

    /// Who asks: `--actor`, else what the settings of the open workspace say.
    pub fn actor(&self) -> Actor {
        let named = self.globals.actor.clone().or_else(|| self.configured.borrow().clone());
        named.unwrap_or(Actor::Operator)
    }

    /// How a change is made: by whom, under which request, at which version.
    pub fn write(&self) -> Write {
        Write {
            actor: self.actor(),
            request_id: self.globals.request_id.clone(),
            expected_version: self.globals.expect_version,
        }
    }

    /// Refuses the conditions of a change where nothing on a loop is changed.
    pub fn refuse_conditions(&self) -> Result<()> {
        let flag = match (&self.globals.request_id, self.globals.expect_version) {
            (Some(_), _) => "--request-id",
            (None, Some(_)) => "--expect-version",
            (None, None) => return Ok(()),
        };
        Err(Fault::usage(format!("{flag} applies only to verbs that change a loop")))
    }

    /// Reads a text argument to the byte: `@file`, `-` for standard input, `@@…`
    /// for a text that begins with @, else the text itself.
    pub fn text(&self, field: &str, argument: &str) -> Result<String> {
        if argument == "-" {
            return self.stdin(field);
        }
        match argument.strip_prefix('@') {
            None => Ok(argument.to_owned()),
            Some(rest) if rest.starts_with('@') => Ok(rest.to_owned()),
            Some(path) => text_of_file(field, path),
        }
    }

    /// Like [`Call::text`], for an argument that may be absent.
    pub fn maybe_text(&self, field: &str, argument: Option<&String>) -> Result<Option<String>> {
        argument.map(|a| self.text(field, a)).transpose()
    }

    fn stdin(&self, field: &str) -> Result<String> {
        if self.stdin_taken.replace(true) {
            return Err(Fault::usage(format!(
                "--{field} is to be read from standard input, but another argument has read it"
            )));
        }
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|e| Fault::new("io", format!("standard input cannot be read: {e}")))?;
        utf8(field, "standard input", bytes)
    }

    /// An answer: only the form that was asked for is made.
    pub fn answer(
        &self,
        result: impl FnOnce() -> Value,
        text: impl FnOnce(&mut Page),
        mut warnings: Vec<String>,
    ) -> Answer {
        for fault in self.faults.borrow().iter() {
            if !warnings.contains(fault) {
                warnings.push(fault.clone());
            }
        }
        if self.globals.json {
            return Answer { result: result(), text: String::new(), warnings, status: 0 };
        }
        let mut page = stdout_page();
        text(&mut page);
        Answer { result: Value::Null, text: page.into_text(), warnings, status: 0 }
    }

    /// Prints an answer. A reader that has gone away is no fault.
    ///
    /// # Errors
    /// `io`, if standard output can't take it (a full disk behind a redirection).
    pub fn print(&self, answer: &Answer) -> Result<()> {
        if self.globals.json {
            return print_json(&json!({
                "status": "ok",
                "result": answer.result,
                "warnings": answer.warnings,
            }));
        }
        print_text(&answer.text)?;
        let mut page = stderr_page();
        for warning in &answer.warnings {
            page.line(vec![span(Tone::Warn, "warning:"), gap(1), plain(warning)]);
        }
        write_to_stderr(&page.into_text());
        Ok(())
    }
}

/// Prints what went wrong in the form that was asked for.
pub fn print_fault(json: bool, fault: &Fault) {
    if json && print_json(&fault.to_json()).is_ok() {
        return;
    }
    let mut page = stderr_page();
    fault.render(&mut page);
    write_to_stderr(&page.into_text());
}

/// Says a sentence on standard error.
pub fn say(sentence: &str) {
    let mut page = stderr_page();
    page.line(plain(sentence));
    write_to_stderr(&page.into_text());
}

fn print_json(value: &Value) -> Result<()> {
    let text =
        if std::io::stdout().is_terminal() { format!("{value:#}\n") } else { format!("{value}\n") };
    print_text(&shown_json(&text))
}

/// Prints a text on standard output in one piece.
///
/// # Errors
/// `io`, if it can't be written; not if nobody reads it any more.
pub fn print_text(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Fault::new("io", format!("standard output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes to standard error. Where that fails nobody is left to be told.
fn write_to_stderr(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// A page for standard output: as wide as it is, in colour where it has some.
pub fn stdout_page() -> Page {
    page_for(std::io::stdout().is_terminal())
}

fn stderr_page() -> Page {
    page_for(std::io::stderr().is_terminal())
}

fn page_for(terminal: bool) -> Page {
    if !terminal {
        return Page::new(columns_from_env(), false);
    }
    Page::new(Some(terminal_width()), colour_wanted())
}

/// The columns of the terminal, where standard output or standard error is one.
pub fn terminal_width() -> usize {
    crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns)).max(20)
}

/// The width that a pipe is to be written for, where somebody says so.
fn columns_from_env() -> Option<usize> {
    let columns = std::env::var("COLUMNS").ok()?.parse::<usize>().ok()?;
    (columns > 0).then_some(columns.max(20))
}

/// Colour only on a terminal that has some, never with `NO_COLOR`.
fn colour_wanted() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

fn text_of_file(field: &str, path: &str) -> Result<String> {
    let bytes = std::fs::read(Path::new(path)).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Fault::usage(format!(
            "--{field} names the file {path}, which does not exist \
             (a text that begins with @ is written @@…)"
        )),
        _ => Fault::new("io", format!("the file {path} for --{field} cannot be read: {error}")),
    })?;
    utf8(field, path, bytes)
}

fn utf8(field: &str, from: &str, bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        Fault::new(
            format!("invalid_{}", field.replace('-', "_")),
            format!(
                "{from} is not UTF-8 text: the byte at offset {} cannot be read",
                error.utf8_error().valid_up_to()
            ),
        )
    })
}
