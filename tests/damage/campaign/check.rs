//! What must hold after each wound.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use loopdeck::core::loops::Command;
use loopdeck::core::loops::attempt::AttemptStatus;
use loopdeck::engine::{HarvestOptions, HarvestTarget, Problem, Treatment, Write};
use loopdeck::tui::kept;

use super::Report;
use super::reading::{Look, Reading};
use super::world::{Role, Target, World, remove};
use super::wounds::{Kind, State, Wound};

/// Looks at one wound after the other.
pub struct Checker<'a> {
    world: &'a World,
    healthy: Reading,
    /// What was tried and found so far.
    pub report: Report,
    tried: usize,
}

/// Every so many wounds are also treated by the doctor.
const TREATED: usize = 23;

impl<'a> Checker<'a> {
    /// On a healthy workspace, whose reading is what the others are compared with.
    pub fn new(world: &'a World) -> Self {
        let healthy = Reading::of(&world.engine(), &world.options(), Look::Closely);
        assert_eq!(healthy.said, [], "a healthy workspace has nothing to say");
        Self { world, healthy, report: Report::default(), tried: 0 }
    }

    /// Damages a file, reads everything, sometimes lets the doctor mend it, and heals
    /// the workspace.
    pub fn check(&mut self, target: &Target, wound: &Wound) {
        self.tried += 1;
        *self.report.files.entry(target.format.to_owned()).or_default() += 1;
        if !inflict(target, wound, self.world) {
            return;
        }
        let case = format!("{} ({})", target.format, wound.name);
        let engine = self.world.engine();
        let before = self.world.files();
        let of_loop = ["journal", "snapshot", "body"].contains(&target.format);
        let look = match of_loop && self.tried.is_multiple_of(5) {
            true => Look::Closely,
            false => Look::Briefly,
        };
        let options = self.world.options();
        match catch_unwind(AssertUnwindSafe(|| Reading::of(&engine, &options, look))) {
            Err(panic) => self.fail(&case, format!("reading panics: {}", said(&*panic))),
            Ok(reading) => {
                self.judge(&case, target, wound, &reading);
                if self.world.files() != before {
                    self.fail(&case, "reading wrote".to_owned());
                }
                let is_place = !matches!(wound.state, State::Bytes(_));
                if self.tried.is_multiple_of(if is_place { 3 } else { TREATED }) {
                    self.treat(&case, target);
                } else if target.format == "reply" {
                    self.harvest(&case, target);
                }
            }
        }
        drop(engine);
        self.world.heal();
    }

    fn fail(&mut self, case: &str, what: String) {
        self.report.failures.push(format!("{case}: {what}"));
    }

    fn judge(&mut self, case: &str, target: &Target, wound: &Wound, reading: &Reading) {
        for (key, value) in &self.healthy.values {
            // Long texts are read by a close look only.
            if target.keys.contains(key) || key.starts_with("body ") {
                continue;
            }
            match reading.values.get(key) {
                None => self.report.failures.push(format!("{case}: {key} is hidden")),
                Some(now) if now != value => {
                    let said = format!("{case}: {key} reads differently");
                    self.report.failures.push(said);
                }
                Some(_) => {}
            }
        }
        let own: Vec<&String> = target.keys.iter().take(1).collect();
        let gone = own.iter().any(|key| !reading.values.contains_key(*key));
        let same = own.iter().all(|key| reading.values.get(*key) == self.healthy.values.get(*key));
        let told = names(&reading.said, &target.path);
        let found = || self.found(target);
        let derived = target.role == Role::Derived;
        match wound.kind {
            Kind::Harmless if !same || told => {
                self.fail(case, format!("it says the same, yet: same {same}, told {told}"));
            }
            Kind::Broken if derived && wound.is_no_lie() && !same => {
                self.fail(case, "what is derived decides what is read".to_owned());
            }
            // A folder among the records is one of records.
            _ if matches!(wound.state, State::Folder) && target.format == "record" => {}
            // A profile that gives itself another name is there under that one.
            Kind::Altered if target.format == "profile" && self.is_renamed(reading) => {}
            // Marks that speak of another insight are not damaged.
            Kind::Altered if target.format == "marks" && !told => {}
            Kind::Broken if target.role == Role::Truth && !told => {
                self.fail(case, format!("nobody is told ({:?})", reading.said));
            }
            Kind::Broken if target.role == Role::Truth && !found() => {
                self.fail(case, "the doctor finds nothing".to_owned());
            }
            Kind::Broken if is_a_place(target, wound) && !told => {
                self.fail(case, format!("nobody is told ({:?})", reading.said));
            }
            Kind::Altered if gone && !derived && !matches!(wound.state, State::Gone) => {
                if !told {
                    self.fail(case, format!("it is gone and nobody is told ({:?})", reading.said));
                } else if !found() {
                    self.fail(case, "it is gone, and the doctor finds nothing".to_owned());
                }
            }
            _ => {}
        }
    }

    /// Whether there is a profile that was not there before.
    fn is_renamed(&self, reading: &Reading) -> bool {
        let mut profiles = reading.values.keys().filter(|key| key.starts_with("profile "));
        profiles.any(|key| !self.healthy.values.contains_key(key))
    }

    /// What is told of the person's own files, where one of them is damaged: reading them
    /// all takes as long as everything else.
    fn own(&self, target: &Target) -> Vec<Problem> {
        match target.path.starts_with(self.world.root.join("own")) {
            true => kept::problems(&self.world.options()),
            false => Vec::new(),
        }
    }

    /// Whether the doctor names the file.
    fn found(&self, target: &Target) -> bool {
        let own = self.own(target);
        let look = || self.world.engine().doctor(Treatment::default(), &own);
        match catch_unwind(AssertUnwindSafe(look)) {
            Ok(Ok(diagnosis)) => {
                let found = diagnosis.findings.into_iter().map(|f| (f.path, f.message));
                names(&found.collect::<Vec<_>>(), &target.path)
            }
            _ => false,
        }
    }

    /// Lets the doctor mend what is safe: no byte may get lost, what nobody touched
    /// works, and nothing is left that it would mend again.
    fn treat(&mut self, case: &str, target: &Target) {
        let engine = self.world.engine();
        let before = self.world.files();
        let treatment = Treatment { repair: true, accept_edits: false };
        let own = self.own(target);
        let treated = catch_unwind(AssertUnwindSafe(|| engine.doctor(treatment, &own)));
        self.report.repairs += 1;
        match treated {
            Err(panic) => return self.fail(case, format!("a repair panics: {}", said(&*panic))),
            Ok(Err(error)) => {
                return self.fail(case, format!("a repair fails: {}", error.message()));
            }
            Ok(Ok(diagnosis)) => {
                for finding in diagnosis.findings.iter().filter(|f| f.repair.is_some()) {
                    if !finding.repaired && !is_for_a_person(finding.code) {
                        self.fail(case, format!("not repaired: {}", finding.message));
                    }
                }
            }
        }
        let after = self.world.files();
        for (path, bytes) in before.iter().filter(|(path, _)| !is_note(path)) {
            let kept = after.values().any(|now| now == bytes) || split(bytes, &after);
            if !kept {
                self.fail(case, format!("a repair lost {}", path.display()));
            }
        }
        let command = Command::Pause { reason: None };
        let worked = engine.execute(&self.world.other, command, &Write::operator());
        if let Err(error) = worked {
            self.fail(case, format!("after a repair the rest is out of use: {}", error.message()));
        }
        let own = self.own(target);
        let again = self.world.engine().doctor(Treatment::default(), &own);
        for finding in again.map(|d| d.findings).unwrap_or_default() {
            if finding.path == target.path
                && finding.repair.is_some()
                && !is_for_a_person(finding.code)
            {
                self.fail(case, format!("a repair repairs nothing: {}", finding.message));
            }
        }
    }
}

impl Checker<'_> {
    /// Takes the worker's reply, or turns it away: with its place, and kept somewhere.
    fn harvest(&mut self, case: &str, target: &Target) {
        let engine = self.world.engine();
        let before = self.world.files();
        let of = HarvestTarget::Loop(self.world.worked.clone());
        let (options, write) = (HarvestOptions::default(), Write::operator());
        let harvested = catch_unwind(AssertUnwindSafe(|| engine.harvest(&of, options, &write)));
        self.report.repairs += 1;
        match harvested {
            Err(panic) => return self.fail(case, format!("a harvest panics: {}", said(&*panic))),
            Ok(Ok(_)) => {}
            // What is wrong stands in the file, or it is another worker's: where it is.
            Ok(Err(error))
                if ["LANE-RESULT.json", "quarantine/replies/"]
                    .iter()
                    .any(|place| error.message().contains(place)) => {}
            Ok(Err(error)) => {
                self.fail(case, format!("turned away without its place: {}", error.message()));
            }
        }
        let after = self.world.files();
        if let Some(bytes) = before.get(&target.path)
            && !after.values().any(|now| now == bytes)
        {
            self.fail(case, "a harvest lost the reply".to_owned());
        }
        let state = engine.load(&self.world.worked).expect("a loop");
        let taken = state.artifacts.iter().any(|a| a.artifact_type.as_ref() == "critique");
        let over = engine.workers_of(&self.world.worked).expect("workers");
        if !taken && over.iter().any(|w| w.status == AttemptStatus::Completed) {
            self.fail(case, "its turn is done, and nothing was filed".to_owned());
        }
    }
}

/// Whether something else stands in the place of a text that has to be told: a reply is
/// looked at by a harvest only.
fn is_a_place(target: &Target, wound: &Wound) -> bool {
    target.role == Role::Text && target.format != "reply" && !matches!(wound.state, State::Bytes(_))
}

impl Wound {
    /// Whether it can't be mistaken for a derived file that only says other things.
    fn is_no_lie(&self) -> bool {
        self.kind == Kind::Broken
    }
}

/// Whether only a person can say that a journal holds as it stands.
fn is_for_a_person(code: &str) -> bool {
    ["chain", "shortened"].contains(&code)
}

/// Whether what was one file are two now, one going on where the other ends.
fn split(bytes: &[u8], after: &std::collections::BTreeMap<PathBuf, Vec<u8>>) -> bool {
    let begins = |one: &&Vec<u8>| !one.is_empty() && bytes.starts_with(one);
    after.values().filter(begins).any(|one| {
        let rest = &bytes[one.len()..];
        after.values().any(|other| other == rest)
    })
}

/// Whether a file is a note for people or a lock, which every writer writes over.
fn is_note(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.ends_with(".lock") || name.ends_with(".lock.info") || name == "summary.json"
}

/// Whether somebody named the file.
fn names(said: &[(PathBuf, String)], path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    said.iter().any(|(at, text)| at == path || path.ends_with(at) || text.contains(&name))
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// Puts what the wound says where the file was; whether this system can.
fn inflict(target: &Target, wound: &Wound, world: &World) -> bool {
    let path = &target.path;
    remove(path);
    match &wound.state {
        State::Bytes(bytes) => fs::write(path, bytes).expect("written"),
        State::Folder => {
            fs::create_dir(path).expect("made");
            fs::write(path.join("inside.txt"), "inside\n").expect("written");
        }
        State::Gone => {}
        State::Link(to) => return link(to, path),
        State::LinkOutside => {
            fs::write(&world.outside, &target.bytes).expect("written");
            return link(&world.outside, path);
        }
        State::Pipe => return pipe(path),
    }
    true
}

#[cfg(unix)]
fn link(to: &Path, path: &Path) -> bool {
    std::os::unix::fs::symlink(to, path).is_ok()
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(target_os = "linux")]
fn pipe(path: &Path) -> bool {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn pipe(_: &Path) -> bool {
    false
}
