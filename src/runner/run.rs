//! One command from its start to its end.

use std::io::{self, PipeReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::listen::{Piece, listen_to};
use super::{Captured, Environment, Redactor};
use crate::seam::{Op, fs::File, pass};

/// How often a silent command is looked at.
const TICK: Duration = Duration::from_millis(20);
/// How long output is waited for once the command itself has ended: what its
/// children still hold open is theirs.
const DRAIN: Duration = Duration::from_millis(300);

/// A command to run.
#[derive(Clone, Debug)]
pub struct Job {
    /// The program and its arguments. No shell reads them.
    pub argv: Vec<String>,
    /// The folder to run in.
    pub dir: PathBuf,
    /// Its variables; it gets no others.
    pub environment: Environment,
    /// After which time it is ended.
    pub timeout: Duration,
    /// How long it may take to end once it was asked to; then it is killed.
    pub grace: Duration,
    /// What is replaced in its output.
    pub redactor: Redactor,
    /// How its output is heard.
    pub streams: Streams,
}

/// How the two streams of a command are heard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Streams {
    /// Each for itself; what is said first on one may be heard later.
    #[default]
    Apart,
    /// As one, in the order in which it was said: all is standard output.
    Together,
}

/// Ends a run from elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl PartialEq for Cancel {
    /// Whether both end the same run.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Cancel {
    /// Ends the run: the command and its children.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to end.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Where a line was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Some whole lines of output with the line feeds that end them (only the last
/// line of all, and parts of very long ones, have none), secrets replaced.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// Where they were said.
    pub stream: Stream,
    /// What was said; bytes that are no UTF-8 are replaced.
    pub text: &'a str,
}

impl<'a> Said<'a> {
    /// The lines, without what ends them.
    pub fn lines(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.text.split_inclusive('\n').map(|line| line.trim_end_matches(['\n', '\r']))
    }
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this status; none if a signal ended it.
    Exited(Option<i32>),
    /// It took too long and was ended.
    TimedOut,
    /// It was called off.
    Cancelled,
    /// It could not be started, and why.
    NotStarted(String),
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Ran {
    /// How it ended.
    pub ended: Ended,
    /// How long it took.
    pub duration: Duration,
    /// What it said on standard output.
    pub stdout: Captured,
    /// What it said on standard error, if that was heard for itself.
    pub stderr: Captured,
}

/// Runs a command to its end and hands on what it says as it comes. Returns in
/// bounded time after the command's end, time limit or calling off, whatever
/// its children do; needs bounded memory, whatever it says.
pub fn run(job: &Job, cancel: &Cancel, on_output: impl FnMut(Said<'_>)) -> Ran {
    run_from(job, None, cancel, |_| (), on_output)
}

/// As [`run`], with a file on standard input, and with the process's number told
/// as soon as it runs.
pub fn run_from(
    job: &Job,
    stdin: Option<&Path>,
    cancel: &Cancel,
    on_start: impl FnOnce(u32),
    mut on_output: impl FnMut(Said<'_>),
) -> Ran {
    let started = Instant::now();
    let mut ran = Ran {
        ended: Ended::Cancelled,
        duration: Duration::ZERO,
        stdout: Captured::default(),
        stderr: Captured::default(),
    };
    match start(job, stdin) {
        Ok((child, together)) => {
            on_start(child.id());
            let mut output = Output { ran: &mut ran, on_output: &mut on_output };
            let pipes = Pipes { child, together };
            let ended = watch(pipes, job, cancel, started, &mut output);
            ran.ended = ended;
        }
        Err(error) => {
            let program = job.argv.first().map_or("", String::as_str);
            ran.ended = Ended::NotStarted(format!("{program:?} cannot be started: {error}"));
        }
    }
    ran.duration = started.elapsed();
    ran
}

/// Starts the command; where its streams are heard as one, that one comes with it.
fn start(job: &Job, stdin: Option<&Path>) -> io::Result<(Child, Option<PipeReader>)> {
    let Some((program, arguments)) = job.argv.split_first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no program is named"));
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&job.dir)
        .env_clear()
        .envs(job.environment.vars.iter().map(|(name, value)| (name, value)))
        .stdin(match stdin {
            Some(path) => Stdio::from(File::open(path)?),
            None => Stdio::null(),
        });
    let together = match job.streams {
        Streams::Apart => {
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            None
        }
        Streams::Together => {
            let (reader, writer) = io::pipe()?;
            command.stdout(writer.try_clone()?).stderr(writer);
            Some(reader)
        }
    };
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    pass(Op::Spawn, &job.dir)?;
    Ok((command.spawn()?, together))
}

/// Where the output goes.
struct Output<'a> {
    ran: &'a mut Ran,
    on_output: &'a mut dyn FnMut(Said<'_>),
}

impl Output<'_> {
    fn take(&mut self, piece: Piece) {
        let kept = match piece.stream {
            Stream::Stdout => &mut self.ran.stdout,
            Stream::Stderr => &mut self.ran.stderr,
        };
        kept.push(&piece.text);
        (self.on_output)(Said { stream: piece.stream, text: &piece.text });
        piece.give_back();
    }

    /// Takes in what comes within some time. Says whether more may come.
    fn listen(&mut self, pieces: &Receiver<Piece>, wait: Duration) -> bool {
        match pieces.recv_timeout(wait) {
            Ok(piece) => {
                self.take(piece);
                true
            }
            Err(RecvTimeoutError::Timeout) => true,
            Err(RecvTimeoutError::Disconnected) => false,
        }
    }
}

/// A command that was started.
struct Pipes {
    child: Child,
    together: Option<PipeReader>,
}

fn watch(
    Pipes { mut child, together }: Pipes,
    job: &Job,
    cancel: &Cancel,
    started: Instant,
    output: &mut Output<'_>,
) -> Ended {
    let pieces = listen_to(&mut child, together, &job.redactor);
    let mut ending: Option<(Ended, Instant)> = None;
    let mut killed = false;
    let mut open = true;
    while !has_ended(&mut child) {
        match &ending {
            None if cancel.is_cancelled() => {
                ask_to_end(&mut child);
                ending = Some((Ended::Cancelled, Instant::now()));
            }
            None if started.elapsed() >= job.timeout => {
                ask_to_end(&mut child);
                ending = Some((Ended::TimedOut, Instant::now()));
            }
            Some((_, since)) if !killed && since.elapsed() >= job.grace => {
                kill(&mut child);
                killed = true;
            }
            _ => {}
        }
        if open {
            open = output.listen(&pieces, TICK);
        } else {
            // It has closed its output and lives on.
            thread::sleep(TICK);
        }
    }
    if ending.is_some() {
        // The command is gone; of its group nothing is to be left.
        kill(&mut child);
    }
    let end = Instant::now() + DRAIN;
    while open && Instant::now() < end {
        open = output.listen(&pieces, end.saturating_duration_since(Instant::now()));
    }
    let status = child.wait().ok().and_then(|status| status.code());
    ending.map_or(Ended::Exited(status), |(ended, _)| ended)
}

/// Whether the command has ended. It is not reaped yet, so that its process
/// group's number stays its own.
#[cfg(unix)]
fn has_ended(child: &mut Child) -> bool {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match pid_of(child) {
        Some(pid) => !matches!(waitid(WaitId::Pid(pid), options), Ok(None)),
        None => true,
    }
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

#[cfg(unix)]
fn pid_of(child: &Child) -> Option<rustix::process::Pid> {
    i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw)
}

#[cfg(unix)]
fn signal(child: &Child, signal: rustix::process::Signal) {
    if let Some(pid) = pid_of(child) {
        // A group that is gone needs no signal.
        let _ = rustix::process::kill_process_group(pid, signal);
    }
}

/// Asks the command and its children to end.
fn ask_to_end(child: &mut Child) {
    #[cfg(unix)]
    signal(child, rustix::process::Signal::TERM);
    #[cfg(not(unix))]
    let _ = child.kill();
}

/// Ends what is left of them.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    signal(child, rustix::process::Signal::KILL);
    #[cfg(not(unix))]
    let _ = child.kill();
}
