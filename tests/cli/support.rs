//! A workspace of one's own and the binary run in it.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// Real decision records of a public service (their licence lies beside them).
pub fn decisions() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/decisions")
}

/// What a run of the binary gave.
#[derive(Debug)]
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// The one object on standard output.
    #[track_caller]
    pub fn object(&self) -> Value {
        match serde_json::from_str(&self.stdout) {
            Ok(value) => value,
            Err(error) => panic!("no JSON object ({error}): {self:?}"),
        }
    }

    /// The result of a verb that succeeded.
    #[track_caller]
    pub fn result(&self) -> Value {
        let object = self.object();
        assert_eq!((object["status"].as_str(), self.status), (Some("ok"), 0), "{object:#}");
        assert!(object["warnings"].is_array(), "{object:#}");
        object["result"].clone()
    }

    /// The error of a verb that did not: its code is `code`.
    #[track_caller]
    pub fn error(&self, code: &str, status: i32) -> Value {
        let object = self.object();
        assert_eq!(object["status"], "error", "{object:#}");
        let error = object["error"].clone();
        assert_eq!((error["code"].as_str(), self.status), (Some(code), status), "{error:#}");
        assert!(error["message"].as_str().is_some_and(|m| !m.is_empty()), "{error:#}");
        assert!(error["details"].is_object() && error["next_steps"].is_array(), "{error:#}");
        error
    }
}

/// A folder of one's own, with settings, state and caches of one's own.
pub struct Place {
    folder: TempDir,
}

impl Place {
    /// An empty folder.
    pub fn empty() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("work")).expect("a folder");
        Self { folder }
    }

    /// A folder with a workspace in it.
    pub fn with_workspace() -> Self {
        let place = Self::empty();
        place.json(&["init"]).result();
        place
    }

    /// Where commands run.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// A file below the root with a text.
    pub fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// The folder of the person's own state.
    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// A file of the person's own configuration folder.
    pub fn write_config(&self, name: &str, text: &str) {
        let path = self.folder.path().join("config").join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
    }

    /// The binary with these arguments, in the root, in a world without surprises.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::cargo_bin("loopdeck").expect("the binary is built");
        command.current_dir(self.root()).args(args);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("LOOPDECK_") {
                command.env_remove(name);
            }
        }
        for name in ["COLUMNS", "NO_COLOR", "XDG_CONFIG_HOME"] {
            command.env_remove(name);
        }
        let own = |name: &str| self.folder.path().join(name);
        command
            .env("TZ", "UTC")
            .env("LC_ALL", "C.UTF-8")
            .env("LOOPDECK_CONFIG_DIR", own("config"))
            .env("LOOPDECK_STATE_DIR", own("state"))
            .env("LOOPDECK_CACHE_DIR", own("cache"));
        command
    }

    /// Runs the binary.
    pub fn run(&self, args: &[&str]) -> Run {
        run(self.command(args))
    }

    /// Runs the binary with a text on standard input.
    pub fn run_with_stdin(&self, args: &[&str], stdin: impl Into<Vec<u8>>) -> Run {
        let mut command = self.command(args);
        command.write_stdin(stdin);
        run(command)
    }

    /// Runs the binary with `--json`.
    pub fn json(&self, args: &[&str]) -> Run {
        self.run(&[args, &["--json"]].concat())
    }

    /// Runs the binary with `--json` at a moment of its own.
    pub fn at(&self, now: &str, args: &[&str]) -> Run {
        let mut command = self.command(&[args, &["--json"]].concat());
        command.env("LOOPDECK_NOW", now);
        run(command)
    }

    /// Runs the binary with variables of its own.
    pub fn run_with(&self, variables: &[(&str, &str)], args: &[&str]) -> Run {
        let mut command = self.command(args);
        command.envs(variables.iter().copied());
        run(command)
    }

    /// Runs the binary with `--json` and variables of its own.
    pub fn json_with(&self, variables: &[(&str, &str)], args: &[&str]) -> Run {
        self.run_with(variables, &[args, &["--json"]].concat())
    }

    /// Opens an ideation loop and gives its id.
    pub fn ideation(&self) -> String {
        let opened = self.json(&[
            "loop",
            "open",
            "--kind",
            "ideation",
            "--title",
            "Extract the dispatcher",
            "--proposal",
            "Move the dispatcher into a package of its own.",
        ]);
        text(&opened.result()["id"])
    }

    /// Opens an ideation loop and goes on to its critique.
    pub fn in_critique(&self) -> String {
        let id = self.ideation();
        self.json(&["loop", "advance", &id]).result();
        id
    }

    /// Files an artifact with a body and gives its id.
    #[track_caller]
    pub fn add(&self, id: &str, artifact_type: &str, body: &str) -> String {
        let added = self.json(&["loop", "add", id, "--type", artifact_type, "--body", body]);
        text(&added.result()["artifact_id"])
    }
}

fn run(mut command: Command) -> Run {
    let output = command.output().expect("the binary runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Run {
        status: output.status.code().expect("an exit status"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// A JSON string as a text.
#[track_caller]
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("not a string: {value}")).to_owned()
}
