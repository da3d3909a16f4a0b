//! One command from its start to its end.

use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::{Captured, Environment, Redactor};

/// How often a silent command is looked at.
const TICK: Duration = Duration::from_millis(20);
/// How long output is waited for once the command itself has ended: what its
/// children still hold open is theirs.
const DRAIN: Duration = Duration::from_millis(300);
/// Bytes of a line that are waited for; a longer one is handed on in pieces.
const LONGEST_LINE: usize = 16 * 1024;
/// Bytes of such a piece that wait for the next one.
const HELD_BACK: usize = 2 * 1024;

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

/// A line of output, its secrets replaced, with the line feed that ends it.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Where it was said.
    pub stream: Stream,
    /// What was said; bytes that are no UTF-8 are replaced.
    pub text: &'a str,
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
    /// What it said on standard error.
    pub stderr: Captured,
}

type Piece = (Stream, String);

/// Runs a command to its end and hands each line on as it comes. Returns in
/// bounded time after the command's end, time limit or calling off, whatever
/// its children do; needs bounded memory, whatever it says.
pub fn run(job: &Job, cancel: &Cancel, mut on_line: impl FnMut(Line<'_>)) -> Ran {
    let started = Instant::now();
    let mut ran = Ran {
        ended: Ended::Cancelled,
        duration: Duration::ZERO,
        stdout: Captured::default(),
        stderr: Captured::default(),
    };
    match start(job) {
        Ok(child) => {
            let mut output = Output { ran: &mut ran, on_line: &mut on_line };
            let ended = watch(child, job, cancel, started, &mut output);
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

fn start(job: &Job) -> io::Result<Child> {
    let Some((program, arguments)) = job.argv.split_first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no program is named"));
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&job.dir)
        .env_clear()
        .envs(job.environment.vars.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn()
}

/// Where the output goes.
struct Output<'a> {
    ran: &'a mut Ran,
    on_line: &'a mut dyn FnMut(Line<'_>),
}

impl Output<'_> {
    fn take(&mut self, (stream, text): Piece) {
        let kept = match stream {
            Stream::Stdout => &mut self.ran.stdout,
            Stream::Stderr => &mut self.ran.stderr,
        };
        kept.push(&text);
        (self.on_line)(Line { stream, text: &text });
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

fn watch(
    mut child: Child,
    job: &Job,
    cancel: &Cancel,
    started: Instant,
    output: &mut Output<'_>,
) -> Ended {
    let pieces = listen_to(&mut child, &job.redactor);
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

/// Reads both streams on threads of their own. The channel is bounded, so a
/// command that says more than is taken in has to wait. A thread whose stream is
/// held open by somebody ends with the next byte there.
fn listen_to(child: &mut Child, redactor: &Redactor) -> Receiver<Piece> {
    let (sender, pieces) = sync_channel(64);
    if let Some(stdout) = child.stdout.take() {
        let lines = Lines::new(Stream::Stdout, redactor, &sender);
        thread::spawn(move || lines.read(stdout));
    }
    if let Some(stderr) = child.stderr.take() {
        let lines = Lines::new(Stream::Stderr, redactor, &sender);
        thread::spawn(move || lines.read(stderr));
    }
    pieces
}

/// Makes lines of bytes.
struct Lines {
    stream: Stream,
    redactor: Redactor,
    to: SyncSender<Piece>,
    line: Vec<u8>,
}

impl Lines {
    fn new(stream: Stream, redactor: &Redactor, to: &SyncSender<Piece>) -> Self {
        Self { stream, redactor: redactor.clone(), to: to.clone(), line: Vec::new() }
    }

    /// Reads to the end, or until nobody listens.
    fn read(mut self, mut from: impl Read) {
        let mut buffer = [0; 8 * 1024];
        loop {
            let length = match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            for part in buffer[..length].split_inclusive(|byte| *byte == b'\n') {
                self.line.extend_from_slice(part);
                let heard = if part.ends_with(b"\n") {
                    self.send(0)
                } else if self.line.len() >= LONGEST_LINE {
                    self.send(HELD_BACK)
                } else {
                    true
                };
                if !heard {
                    return;
                }
            }
        }
        if !self.line.is_empty() {
            self.send(0);
        }
    }

    /// Hands the line on, but for some bytes at its end, in which a secret may
    /// have begun. Says whether somebody listens.
    fn send(&mut self, hold_back: usize) -> bool {
        let mut text = self.redactor.redacted(&String::from_utf8_lossy(&self.line));
        let mut at = text.len().saturating_sub(hold_back);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        self.line = text.split_off(at).into_bytes();
        self.to.send((self.stream, text)).is_ok()
    }
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
