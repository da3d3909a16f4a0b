//! Processes that are not this program's children: told apart from later ones
//! with the same number by when they were started, and ended with their group.

use crate::core::loops::attempt::Process;
use crate::seam::fs;

/// Whether a process is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It runs.
    Alive,
    /// It has ended.
    Gone,
    /// It runs on another machine, or this system can't say.
    Unknown,
}

/// The process of a number as it is now, ended or not.
pub fn of_pid(pid: u32) -> Process {
    let start_time = looked_up(pid).map(|seen| seen.start_time).unwrap_or_default();
    Process { pid, start_time, host: host() }
}

/// Whether a process is there: the same number *and* the same start.
pub fn life_of(process: &Process) -> Life {
    if process.host != host() {
        return Life::Unknown;
    }
    match looked_up(process.pid) {
        Some(seen) if seen.runs && seen.start_time == process.start_time => Life::Alive,
        _ if cfg!(unix) => Life::Gone,
        _ => Life::Unknown,
    }
}

/// Asks a process and its group to end; by force if need be. Says whether there
/// was anybody to ask.
pub fn end_group(process: &Process, force: bool) -> bool {
    if life_of(process) != Life::Alive {
        return false;
    }
    signal_group(process.pid, force)
}

#[cfg(unix)]
fn signal_group(pid: u32, force: bool) -> bool {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = if force { Signal::KILL } else { Signal::TERM };
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| kill_process_group(pid, signal).is_ok())
}

#[cfg(not(unix))]
fn signal_group(pid: u32, _force: bool) -> bool {
    let mut command = std::process::Command::new("taskkill");
    command.args(["/T", "/F", "/PID", &pid.to_string()]);
    command.status().is_ok_and(|status| status.success())
}

/// The name of this machine.
#[cfg(unix)]
pub fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The name of this machine.
#[cfg(not(unix))]
pub fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

/// What the system says of a process.
struct Seen {
    start_time: String,
    /// Whether it still runs: one that nobody has asked about is still listed.
    runs: bool,
}

/// The start of a process: the boot that it belongs to, and ticks since.
#[cfg(target_os = "linux")]
fn looked_up(pid: u32) -> Option<Seen> {
    // The name stands in brackets and may hold anything: brackets, and bytes that
    // are no text.
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    let ticks = fields.nth(18)?;
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let start_time = format!("{}:{ticks}", boot.trim());
    Some(Seen { start_time, runs: !matches!(state, "Z" | "X") })
}

/// The start of a process, as `ps` says it.
#[cfg(all(unix, not(target_os = "linux")))]
fn looked_up(pid: u32) -> Option<Seen> {
    let mut command = std::process::Command::new("ps");
    command.args(["-o", "state=,lstart=", "-p", &pid.to_string()]).env("LC_ALL", "C");
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let (state, start) = text.split_once(' ')?;
    Some(Seen { start_time: start.trim().to_owned(), runs: !state.starts_with('Z') })
}

#[cfg(not(unix))]
fn looked_up(pid: u32) -> Option<Seen> {
    let _ = pid;
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_of_the_same_number_is_another_one() {
        let own = of_pid(std::process::id());
        assert_eq!(life_of(&own), Life::Alive);
        // The number was given anew: to a process that began at another time.
        let other = Process { start_time: format!("{}0", own.start_time), ..own };
        assert_ne!(life_of(&other), Life::Alive);
        assert!(!end_group(&other, true), "nobody else's group is ended");
    }
}
