//! A dream that is under way: how far it is, and ending it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::engine::{Cancel, Done, DreamDone, Error};
use crate::tui::app::App;
use crate::tui::app::toast::Tone;
use crate::tui::msg::{Effect, Request};

/// How many files of how many were read.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<(AtomicUsize, AtomicUsize)>);

impl Progress {
    /// Says how far it is.
    pub fn say(&self, done: usize, total: usize) {
        self.0.0.store(done, Ordering::Relaxed);
        self.0.1.store(total, Ordering::Relaxed);
    }

    /// How far it is: files read, and of how many.
    pub fn now(&self) -> (usize, usize) {
        (self.0.0.load(Ordering::Relaxed), self.0.1.load(Ordering::Relaxed))
    }
}

impl PartialEq for Progress {
    /// Whether both are of one run.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A dream that is under way.
#[derive(Clone, Debug)]
pub struct DreamRun {
    /// How far it is.
    pub progress: Progress,
    /// Ends it.
    pub cancel: Cancel,
}

impl App {
    /// Dreams now; while one is under way, ends that.
    pub(in crate::tui::app) fn dream_now(&mut self) -> Vec<Effect> {
        if let Some(run) = &self.dreams.run {
            run.cancel.cancel();
            self.tell("the dream is being ended");
            return Vec::new();
        }
        self.begin_dream(false)
    }

    /// Dreams by itself where that is set and one is due.
    pub(in crate::tui::app) fn dream_if_due(&mut self) -> Vec<Effect> {
        let due = self.dreams.status.as_ref().is_some_and(|status| status.auto && status.due);
        if due && self.dreams.run.is_none() && self.read_only().is_none() {
            return self.begin_dream(true);
        }
        Vec::new()
    }

    fn begin_dream(&mut self, by_itself: bool) -> Vec<Effect> {
        let run = DreamRun { progress: Progress::default(), cancel: Cancel::default() };
        let request = Request::Dream {
            by_itself,
            cancel: run.cancel.clone(),
            progress: run.progress.clone(),
        };
        self.dreams.run = Some(run);
        vec![Effect::Ask(request)]
    }

    /// Looks again whether a dream is due, once its time has come.
    pub(in crate::tui::app) fn look_for_due_dream(&mut self) -> Vec<Effect> {
        let now = self.now();
        let Some(status) = &mut self.dreams.status else { return Vec::new() };
        if status.due_at().is_none_or(|at| at > now) {
            return Vec::new();
        }
        // Asked once: the answer brings the next time.
        status.evaluation.met.time = true;
        vec![Effect::Ask(Request::DreamStatus)]
    }

    /// What a change to a loop means for dreams: records and events may have come.
    pub(in crate::tui::app) fn after_effects(&mut self, done: &Done) -> Vec<Effect> {
        let tells = |kind: &str| matches!(kind, "closed" | "reopened" | "reverted" | "rated");
        if done.events.iter().any(|event| tells(event.body.kind())) {
            return self.read_dreams();
        }
        Vec::new()
    }

    /// Takes in what a dream came to.
    pub(in crate::tui::app) fn on_dreamt(
        &mut self,
        by_itself: bool,
        result: Result<Option<Box<DreamDone>>, Error>,
    ) -> Vec<Effect> {
        self.dreams.run = None;
        if !by_itself {
            self.push_log("loopdeck dream run".to_owned(), result.as_ref().err());
        }
        match result {
            Ok(Some(done)) => self.tell_dream(&done),
            Ok(None) if by_itself => return Vec::new(),
            Ok(None) => self.warn("the dream was ended: nothing has happened"),
            Err(error) => return self.fail(&error),
        }
        self.dreams.wanted = None;
        self.dreams.provenance = None;
        self.detail.brief = None;
        let mut effects = self.read_dreams();
        effects.extend(self.loop_id().map(|id| Effect::Ask(Request::Detail(id))));
        effects
    }

    fn tell_dream(&mut self, done: &DreamDone) {
        for warning in &done.warnings {
            self.warn(warning.clone());
        }
        if let Some(refusal) = &done.refusal {
            self.toasts.say(Tone::Failure, refusal.as_str(), self.clock.uptime);
            return;
        }
        let count = done.dream.insights.len();
        let insights = crate::core::text::plural(count, "insight", "insights");
        let said = match done.dream.status.as_str() {
            "unchanged_input" => "nothing has changed since the last dream".to_owned(),
            _ => format!("{}: {insights}", done.dream.first_line()),
        };
        self.tell(said);
    }
}
