//! Workers that outlive the program (attempts.md, "Workers"). A worker is a
//! child of a small process of this program's own, its *keeper*: that one reads
//! what the worker says, takes secrets out of it, keeps it in files of bounded
//! size, and notes how it ended. Both have process groups of their own.
//!
//! `start` is the side of who dispatches; `keep` is the keeper's.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::log_file::LogFile;
use super::{
    Cancel, Ended, Environment, Job, Redactor, Stream, Streams, process, regular, run_from,
};
use crate::core::loops::attempt::Process;
use crate::seam::{Op, fs, pass};

/// How long a keeper may take to say whether its worker runs.
const REPORT: Duration = Duration::from_secs(20);
/// How long a worker may take to end once it was asked to.
const GRACE: Duration = Duration::from_secs(5);
/// Bytes of secrets that a keeper is told of at most: more than an environment holds.
const MOST_SECRETS: u64 = 16 * 1024 * 1024;

/// The files of a run, in its folder.
pub mod files {
    /// What the worker reads.
    pub const BRIEF: &str = "brief.md";
    /// What the keeper is to run.
    pub const JOB: &str = "job.json";
    /// Which process works, and how it ended.
    pub const STATUS: &str = "status.json";
    /// What it said.
    pub const STDOUT: &str = "stdout.log";
    /// What it complained about.
    pub const STDERR: &str = "stderr.log";
    /// What it replies.
    pub const RESULT: &str = "LANE-RESULT.json";
}

/// What a keeper is to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerJob {
    /// The worker's program and arguments.
    pub argv: Vec<String>,
    /// The folder that it works in.
    pub dir: PathBuf,
    /// What it reads on standard input; nothing if absent.
    pub stdin: Option<PathBuf>,
    /// Patterns of what is replaced in its output.
    pub redact: Vec<String>,
}

/// How a worker ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerEnd {
    /// Its exit status; none if a signal ended it.
    pub code: Option<i32>,
    /// Whether it could not be started at all, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_started: Option<String>,
    /// How long it ran, in milliseconds.
    pub duration_ms: u64,
}

impl WorkerEnd {
    /// How it failed, if it did.
    pub fn failure(&self) -> Option<String> {
        match self.code {
            Some(0) => None,
            Some(code) => Some(format!("its worker ended with status {code}")),
            None => Some("its worker was killed".to_owned()),
        }
    }
}

/// What a keeper notes about its worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerStatus {
    /// The keeper itself: as long as it runs, how the worker ended is still to
    /// be noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keeper: Option<Process>,
    /// The worker, once it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<Process>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<WorkerEnd>,
}

impl WorkerStatus {
    /// What the keeper of a run noted, if it has come to it.
    pub fn read(run_dir: &Path) -> Option<Self> {
        Self::look(run_dir).ok().flatten()
    }

    /// The same; none if it noted nothing yet.
    ///
    /// # Errors
    /// Why what stands there can't be used, in a sentence with the file.
    pub fn look(run_dir: &Path) -> Result<Option<Self>, String> {
        let path = run_dir.join(files::STATUS);
        let bytes = match regular::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("{} can't be read: {error}", path.display())),
        };
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
        serde_json::from_slice(bytes).map(Some).map_err(|error| {
            let said = error.to_string();
            let what = said.split(" at line ").next().unwrap_or(&said);
            format!(
                "{} is damaged at line {}, column {}: {what}. What its keeper noted of the worker \
                 is not known",
                path.display(),
                error.line(),
                error.column()
            )
        })
    }

    fn write(&self, run_dir: &Path) -> io::Result<()> {
        let beside = run_dir.join("status.new");
        fs::write(&beside, serde_json::to_vec(self)?)?;
        fs::rename(beside, run_dir.join(files::STATUS))
    }
}

/// Why no worker runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoWorker {
    /// The system refused to start it: certainly none runs.
    Refused(String),
    /// Nobody knows: its keeper fell silent.
    Silent,
}

/// Starts the keeper of a run, which starts its worker. `keeper` is the command
/// line that runs [`keep`] on the folder that is added to it.
///
/// # Errors
/// If no worker was started, or if that is not known.
pub fn start(
    keeper: &[PathBuf],
    run_dir: &Path,
    environment: &Environment,
) -> Result<Process, NoWorker> {
    let refused = |error: io::Error| NoWorker::Refused(error.to_string());
    let Some((program, arguments)) = keeper.split_first() else {
        return Err(NoWorker::Refused("no program keeps workers".to_owned()));
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .arg(run_dir)
        .env_clear()
        .envs(environment.vars.iter().map(|(name, value)| (name, value)))
        .current_dir(run_dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = pass(Op::Spawn, run_dir).and_then(|()| command.spawn()).map_err(refused)?;
    // Through a pipe, so that they stand neither in a file nor in an environment. One
    // that does not listen any more reports nothing either.
    if let (Some(mut stdin), Ok(secrets)) =
        (child.stdin.take(), serde_json::to_vec(&environment.withheld))
    {
        let _ = stdin.write_all(&secrets);
    }
    let stdout = child.stdout.take();
    let (sender, report) = channel();
    // The thread also reaps the keeper when it ends.
    thread::spawn(move || {
        let mut line = String::new();
        if let Some(stdout) = stdout {
            let _ = BufReader::new(stdout).read_line(&mut line);
        }
        let _ = sender.send(line);
        let _ = child.wait();
    });
    let line = report.recv_timeout(REPORT).map_err(|_| NoWorker::Silent)?;
    match serde_json::from_str::<WorkerStatus>(&line) {
        Ok(WorkerStatus { process: Some(process), .. }) => Ok(process),
        Ok(WorkerStatus { ended: Some(WorkerEnd { not_started: Some(why), .. }), .. }) => {
            Err(NoWorker::Refused(why))
        }
        _ => Err(NoWorker::Silent),
    }
}

/// Runs the worker of a run to its end and notes what becomes of it. Only for a
/// process that [`start`] made.
///
/// # Errors
/// If there is no such run, or its files cannot be written.
pub fn keep(run_dir: &Path) -> io::Result<()> {
    let job: WorkerJob = serde_json::from_slice(&regular::read(&run_dir.join(files::JOB))?)?;
    let patterns: Vec<_> = job.redact.iter().filter_map(|p| regex::Regex::new(p).ok()).collect();
    let mut told = Vec::new();
    io::stdin().lock().take(MOST_SECRETS).read_to_end(&mut told)?;
    let withheld: Vec<String> = serde_json::from_slice(&told).unwrap_or_default();
    let mut stdout = LogFile::create(&run_dir.join(files::STDOUT))?;
    let mut stderr = LogFile::create(&run_dir.join(files::STDERR))?;
    let command = Job {
        argv: job.argv,
        dir: job.dir,
        environment: Environment::all_of_process(),
        timeout: Duration::MAX,
        grace: GRACE,
        redactor: Redactor::knowing(withheld, &patterns),
        streams: Streams::Apart,
    };
    let keeper = Some(process::of_pid(std::process::id()));
    let mut status = WorkerStatus { keeper, ..WorkerStatus::default() };
    let started = |pid: u32| {
        status.process = Some(process::of_pid(pid));
        let _ = status.write(run_dir);
        report(&status);
    };
    let ran = run_from(&command, job.stdin.as_deref(), &Cancel::default(), started, |line| {
        match line.stream {
            Stream::Stdout => stdout.push(line.text),
            Stream::Stderr => stderr.push(line.text),
        }
    });
    let (code, not_started) = match ran.ended {
        Ended::Exited(code) => (code, None),
        Ended::NotStarted(why) => (None, Some(why)),
        Ended::TimedOut | Ended::Cancelled => (None, None),
    };
    let duration_ms = u64::try_from(ran.duration.as_millis()).unwrap_or(u64::MAX);
    let failed = not_started.is_some();
    status.ended = Some(WorkerEnd { code, not_started, duration_ms });
    let written = status.write(run_dir);
    if failed {
        report(&status);
    }
    written
}

/// Tells who started the keeper, if they still listen.
fn report(status: &WorkerStatus) {
    if let Ok(line) = serde_json::to_string(status) {
        let mut out = io::stdout().lock();
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    }
}
