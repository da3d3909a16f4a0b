//! A run of the verify command, as it is handed to the rules.

use serde::Serialize;

use super::steps;

/// A run of the verify command (engine.md §6).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VerifyRun {
    /// The command, as argv.
    pub command: Vec<String>,
    /// Its exit status; none if it was not started or did not end by itself.
    pub exit_code: Option<i32>,
    /// Whether it was green.
    pub passed: bool,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Whether it was ended because it took too long.
    pub timed_out: bool,
    /// The end of its standard output.
    pub stdout_tail: String,
    /// The end of its standard error, or why it could not be started.
    pub stderr_tail: String,
    /// The digest of the workspace when it had ended.
    pub workspace_digest: Option<String>,
}

impl VerifyRun {
    /// What came of it, in a line.
    pub fn outcome(&self) -> String {
        let how = match self.exit_code {
            _ if self.passed => "green".to_owned(),
            _ if self.timed_out => "red: it took too long and was ended".to_owned(),
            Some(code) => format!("red: exit status {code}"),
            None => {
                format!("red: {}", self.stderr_tail.lines().next_back().unwrap_or("no exit status"))
            }
        };
        let words: Vec<String> = self.command.iter().map(|word| steps::quoted(word)).collect();
        let seconds = self.duration_ms as f64 / 1_000.0;
        format!("{} is {how} ({seconds:.1} s)", words.join(" "))
    }
}
