//! What a disturbed step may leave behind.

use std::collections::BTreeSet;
use std::path::Path;

use loopdeck::engine::Error;

use super::faults::Recorded;
use super::steps::Step;
use super::world::{Class, Tree, class};

/// What the caller was told.
pub enum Told {
    /// Nothing: the process ended.
    Nothing,
    /// It is done, with these warnings.
    Done(Vec<String>),
    /// It isn't.
    Refused(Error),
}

/// What was found.
#[derive(Default)]
pub struct Judged {
    /// It was told to be done.
    pub acknowledged: bool,
    /// It was refused.
    pub refused: bool,
    /// Refused, and there all the same.
    pub uncertain: Vec<String>,
    /// What is wrong.
    pub faults: Vec<String>,
}

impl Judged {
    pub fn fault(&mut self, what: impl Into<String>) {
        self.faults.push(what.into());
    }

    /// A failure was told of something that is there: then it has to say so.
    fn there_all_the_same(&mut self, error: &Error, what: &str) {
        match error.message().contains("all the same") {
            true => self.uncertain.push(format!("refused ({}), {what} is there", error.code())),
            false => {
                self.fault(format!("told as failed, and {what} is there: {}", error.message()))
            }
        }
    }

    /// Says of each fault where it was met.
    pub fn name(&mut self, name: impl Fn(&str) -> String) {
        for fault in &mut self.faults {
            *fault = name(fault);
        }
    }
}

/// Compares what is there with what was there before and would be after.
pub fn judge(recorded: &Recorded, now: &Tree, told: &Told) -> Judged {
    let mut judged = Judged {
        acknowledged: matches!(told, Told::Done(_)),
        refused: matches!(told, Told::Refused(_)),
        ..Judged::default()
    };
    let (before, after, now) =
        (recorded.before.counting(), recorded.after.counting(), now.counting());
    let paths: BTreeSet<&Path> =
        before.keys().chain(after.keys()).chain(now.keys()).copied().collect();
    for path in paths {
        let three = Three {
            path,
            before: before.get(path).copied(),
            after: after.get(path).copied(),
            now: now.get(path).copied(),
        };
        match class(path) {
            Class::Journal => three.journal(recorded, told, &mut judged),
            _ => three.whole(recorded, told, &mut judged),
        }
    }
    judged
}

/// A file before, after and now.
struct Three<'a> {
    path: &'a Path,
    before: Option<&'a [u8]>,
    after: Option<&'a [u8]>,
    now: Option<&'a [u8]>,
}

impl Three<'_> {
    fn journal(&self, recorded: &Recorded, told: &Told, judged: &mut Judged) {
        let path = self.path.display();
        let bytes = |side: Option<&[u8]>| side.unwrap_or_default().to_vec();
        let (before, after, now) = (bytes(self.before), bytes(self.after), bytes(self.now));
        let end = now.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let lines = &now[..end];
        if !lines.starts_with(&before) {
            return judged.fault(format!("{path} lost what was acknowledged before"));
        }
        if !recorded.step.is_determined() {
            return;
        }
        if !after.starts_with(lines) {
            return judged.fault(format!("{path} holds a line that the step would not write"));
        }
        match told {
            Told::Done(warnings) if lines != after && warnings.is_empty() => {
                judged.fault(format!("{path} lacks what was said to be done"));
            }
            // What a baseline refuses may be journaled.
            Told::Refused(error) if lines != before && recorded.came.is_ok() => {
                judged.there_all_the_same(error, "a commit");
            }
            _ => {}
        }
    }

    fn whole(&self, recorded: &Recorded, told: &Told, judged: &mut Judged) {
        let path = self.path.display();
        let Self { before, after, now, .. } = *self;
        if now == before && now == after {
            return;
        }
        if !recorded.step.is_determined() {
            if before == after {
                judged.fault(format!("{path} was changed by a step that doesn't"));
            }
            return;
        }
        // A body that no line names yet is nobody's, and may stay.
        let is_body = self.path.components().any(|part| part.as_os_str() == "artifacts");
        // What reads many files goes on without those that it can't read, and says so.
        let is_insight = self.path.starts_with(".keysarium/insights");
        match told {
            Told::Done(warnings) if is_insight && !warnings.is_empty() => {}
            _ if now != before && now != after => {
                let length = |side: Option<&[u8]>| side.map(<[u8]>::len);
                let lengths = (length(before), length(now), length(after));
                judged.fault(format!("{path} is neither old nor new: {lengths:?} bytes"));
            }
            Told::Done(warnings) if now != after && warnings.is_empty() => {
                judged.fault(format!("{path} lacks what was said to be done"));
            }
            // What makes many files makes the rest of them when asked again.
            Told::Refused(_) if matches!(recorded.step, Step::Init) => {}
            Told::Refused(error) if now != before && !is_body => {
                let name = self.path.components().next().map(|c| c.as_os_str().to_owned());
                let below = name.unwrap_or_default().to_string_lossy().into_owned();
                judged.there_all_the_same(error, &format!("a file of {below}"));
            }
            _ => {}
        }
    }
}
