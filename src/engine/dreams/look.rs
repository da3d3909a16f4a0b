//! Looking at dreams.

use super::{known, problem};
use crate::core::dream::diff::{self, Change};
use crate::core::dream::graph::Graph;
use crate::core::dream::identity::Kind;
use crate::core::dream::marks::Marks;
use crate::core::dream::{
    Dream, DreamId, Earlier, Insight, Request, Thousandths, WithGraph, dream,
};
use crate::core::loops::effects::domain_of;
use crate::core::loops::ids::LoopId;
use crate::core::loops::refusal::Refusal;
use crate::core::time::Timestamp;
use crate::engine::api::{DreamLine, DreamView, Error, Problem, Result, SeenInsight};
use crate::engine::inner::{Engine, Inner};

/// Insights below this confidence are not shown unless asked for, and not part
/// of briefs (dream.md, "Looking" and "With loops").
pub const SHOWN_CONFIDENCE: Thousandths = Thousandths(300);

impl Engine {
    /// The dreams that are there, newest first.
    ///
    /// # Errors
    /// If the folder cannot be listed.
    pub fn dreams(&self) -> Result<Vec<DreamLine>> {
        let store = self.inner.dream_store();
        let line = |id: &DreamId| match store.read(id).dream {
            Ok(dream) => DreamLine {
                dream_id: id.clone(),
                at: dream.completed_at.or(id.moment()),
                trigger_reason: dream.trigger_reason,
                records_analyzed: dream.records_analyzed,
                insights: dream.insights.len(),
                problem: None,
            },
            Err(why) => DreamLine {
                dream_id: id.clone(),
                at: id.moment(),
                trigger_reason: String::new(),
                records_analyzed: 0,
                insights: 0,
                problem: Some(why),
            },
        };
        Ok(known(store.dreams())?.iter().map(line).collect())
    }

    /// A dream with its insights as people see them; without one named the latest.
    ///
    /// # Errors
    /// `no_dream` if there is none yet, `dream_not_found`, `ambiguous_id`;
    /// `damaged` if it cannot be read.
    pub fn dream(&self, id: Option<&str>) -> Result<DreamView> {
        let inner = &self.inner;
        let store = inner.dream_store();
        let ids = known(store.dreams())?;
        let now = inner.time.now();
        let id = match id {
            Some(text) => find_dream(&ids, text)?,
            None => latest(&ids, now).ok_or_else(no_dream)?,
        };
        let dream = readable(store.read(&id), &store.file(&id))?;
        let before = ids.iter().filter(|other| **other < id).map(|other| store.read(other)).next();
        let mut problems: Vec<Problem> = Vec::new();
        let marks = store.marks().unwrap_or_else(|error| {
            problems.push(problem(error));
            Marks::default()
        });
        let previous = before.as_ref().and_then(|one| one.dream.as_ref().ok());
        let mut insights = Vec::new();
        let mut gone = Vec::new();
        for compared in diff::compare(previous, &dream) {
            match compared.change {
                Change::Gone => gone.push(compared.insight),
                change => {
                    let rank = insights.len() + 1;
                    insights.push(seen(rank, compared.insight, change, &marks, now));
                }
            }
        }
        let previous = before.filter(|one| one.dream.is_ok()).map(|one| one.id);
        Ok(DreamView { file: store.file(&id), dream, previous, insights, gone, problems })
    }

    /// One insight by its id, a unique beginning of it, or its place in the
    /// latest dream; and its dream.
    ///
    /// # Errors
    /// `insight_not_found`, `ambiguous_id`; as [`Engine::dream`].
    pub fn insight(&self, text: &str) -> Result<(DreamView, SeenInsight)> {
        let text = text.trim();
        if let Ok(place) = text.trim_start_matches('#').parse::<usize>()
            && text.len() < 4
        {
            let view = self.dream(None)?;
            let found = view.insights.iter().find(|seen| seen.rank == place).cloned();
            return found.map(|seen| (view, seen)).ok_or_else(|| not_found(text));
        }
        // An insight's id begins with its dream's.
        let full =
            if text.starts_with("dream-") { text.to_owned() } else { format!("dream-{text}") };
        const DREAM: usize = "dream-YYYYMMDD-HHmmss".len();
        let view = match full.get(..DREAM).filter(|_| full.len() > DREAM) {
            Some(dream) => self.dream(Some(dream)).map_err(|_| not_found(text))?,
            None => {
                // An identity names an insight of the latest dream that has it.
                let view = self.dream(None)?;
                let by_identity = |seen: &&SeenInsight| {
                    text.len() >= 4 && seen.insight.identity().starts_with(text)
                };
                let found = view.insights.iter().find(by_identity).cloned();
                return found.map(|seen| (view, seen)).ok_or_else(|| not_found(text));
            }
        };
        let mut found = view.insights.iter().filter(|s| s.insight.insight_id.starts_with(&full));
        match (found.next().cloned(), found.next()) {
            (Some(seen), None) => Ok((view, seen)),
            (None, _) => Err(not_found(text)),
            (Some(one), Some(other)) if one.insight.insight_id != full => {
                let (one, other) = (one.insight.insight_id, other.insight.insight_id.clone());
                Err(Error::new("ambiguous_id", format!("{text} may mean {one} or {other}")))
            }
            (Some(seen), Some(_)) => Ok((view, seen)),
        }
    }

    /// The concept graph of the records as they are now.
    ///
    /// # Errors
    /// `no_data`, `insufficient_data`.
    pub fn dream_graph(&self) -> Result<Graph> {
        let memory = self.inner.rewards_memory()?;
        let settings = self.inner.settings.now().config.dream.run;
        let request = Request { settings, graph: WithGraph::Yes, ..Request::at(self.now()) };
        let dreamt = dream(&memory, &request);
        match (dreamt.refusal(), dreamt.graph) {
            (None, Some(graph)) => Ok(graph),
            (why, _) => {
                let code =
                    if dreamt.dream.status == "no_data" { "no_data" } else { "insufficient_data" };
                Err(Error::new(code, why.unwrap_or_default()))
            }
        }
    }

    /// What changed from one dream to a later one; by default from the one
    /// before the latest to the latest.
    ///
    /// # Errors
    /// As [`Engine::dream`].
    pub fn dream_diff(
        &self,
        from: Option<&str>,
        to: Option<&str>,
    ) -> Result<(Option<DreamId>, DreamId, Vec<diff::Compared>)> {
        let store = self.inner.dream_store();
        let ids = known(store.dreams())?;
        let to = match to {
            Some(text) => find_dream(&ids, text)?,
            None => latest(&ids, self.now()).ok_or_else(no_dream)?,
        };
        let from = match from {
            Some(text) => Some(find_dream(&ids, text)?),
            None => ids.iter().find(|id| **id < to).cloned(),
        };
        let later = readable(store.read(&to), &store.file(&to))?;
        let earlier = match &from {
            None => None,
            Some(id) => Some(readable(store.read(id), &store.file(id))?),
        };
        Ok((from, to, diff::compare(earlier.as_ref(), &later)))
    }

    /// Applies the retention; how many dreams went.
    ///
    /// # Errors
    /// `read_only`, `lock_timeout`, `io`.
    pub fn dream_clear(&self) -> Result<usize> {
        let inner = &self.inner;
        inner.check_writable()?;
        let store = inner.dream_store();
        let keep = inner.settings.now().config.dream.keep;
        if known(store.dreams())?.len() <= keep {
            return Ok(0);
        }
        let lock = known(store.lock())?;
        let _guard = lock.take(store.wait(), inner.time.now())?;
        known(store.retain(keep, None))
    }

    /// The insights that a loop's critiques are confronted with, those of its
    /// present phase first.
    ///
    /// # Errors
    /// `loop_not_found`, `io`, `damaged`.
    pub fn insights_of(&self, id: &LoopId) -> Result<Vec<SeenInsight>> {
        let state = self.load(id)?;
        let mut live = self.inner.live_insights(Some(domain_of(&state)));
        let here =
            |seen: &SeenInsight| seen.insight.phases.iter().any(|p| **p == *state.current_phase);
        live.sort_by_key(|seen| !here(seen));
        Ok(live)
    }

    /// The insights that a loop is confronted with: those of the latest dream
    /// that are alive (confidence ≥ 0.3, neither dismissed nor snoozed), of the
    /// domain if one is given, and those that name no domain.
    pub fn live_insights(&self, domain: Option<&str>) -> Vec<SeenInsight> {
        self.inner.live_insights(domain)
    }
}

impl Inner {
    /// As [`Engine::live_insights`]; a dream that cannot be read has none.
    pub fn live_insights(&self, domain: Option<&str>) -> Vec<SeenInsight> {
        let store = self.dream_store();
        let now = self.time.now();
        let Ok(ids) = store.dreams() else { return Vec::new() };
        let Some(id) = latest(&ids, now) else { return Vec::new() };
        let Ok(dream) = store.read(&id).dream else { return Vec::new() };
        let marks = store.marks().unwrap_or_default();
        let fits = |insight: &Insight| {
            insight.confidence >= SHOWN_CONFIDENCE
                && (insight.domains.is_empty()
                    || domain.is_none_or(|domain| insight.domains.iter().any(|d| d == domain)))
        };
        let ranked = dream.insights.into_iter().enumerate();
        ranked
            .filter(|(_, insight)| fits(insight))
            .map(|(place, insight)| {
                let is_new = insight.seen_in.len() < 2;
                let change = match () {
                    () if insight.turned_from.is_some() => Change::Turned,
                    () if is_new => Change::New,
                    () => Change::Persisting,
                };
                seen(place + 1, insight, change, &marks, now)
            })
            .filter(|seen| !seen.hidden)
            .collect()
    }
}

fn seen(
    rank: usize,
    insight: Insight,
    change: Change,
    marks: &Marks,
    now: Timestamp,
) -> SeenInsight {
    let identity = insight.identity();
    let own = insight.own_evidence.unwrap_or(insight.evidence_count);
    SeenInsight {
        rank,
        change,
        mark: marks.get(&identity).map(|marked| marked.mark),
        snoozed_until: marks.snoozed_until(&identity, now),
        hidden: marks.hides(&identity, own, now),
        insight,
    }
}

/// The newest dream that is not dated after now.
pub(super) fn latest(ids: &[DreamId], now: Timestamp) -> Option<DreamId> {
    ids.iter().find(|id| id.moment().is_some_and(|at| at <= now)).cloned()
}

fn find_dream(ids: &[DreamId], text: &str) -> Result<DreamId> {
    let full = if text.starts_with("dream-") { text.to_owned() } else { format!("dream-{text}") };
    let mut found = ids.iter().filter(|id| id.as_str().starts_with(&full));
    const SHORTEST: usize = "dream-".len() + 4;
    match (found.next(), found.next()) {
        (Some(id), None) if full.len() >= SHORTEST => Ok(id.clone()),
        (Some(one), Some(other)) => {
            Err(Error::new("ambiguous_id", format!("{text} may mean {one} or {other}")))
        }
        _ => Err(Refusal::new("dream_not_found", format!("there is no dream {text}"))
            .step("see which there are", "loopdeck dream list")
            .into()),
    }
}

fn readable(earlier: Earlier, file: &std::path::Path) -> Result<Dream> {
    earlier.dream.map_err(|why| {
        let message = format!("{} cannot be read: {why}", file.display());
        Refusal::new("damaged", message).detail("path", file.display().to_string()).into()
    })
}

fn no_dream() -> Error {
    Refusal::new("no_dream", "there is no dream yet")
        .step("dream now", "loopdeck dream run")
        .step("see what is missing", "loopdeck dream status")
        .into()
}

fn not_found(text: &str) -> Error {
    Refusal::new("insight_not_found", format!("there is no insight {text}"))
        .step("see which there are", "loopdeck dream insights")
        .into()
}

/// Whether an insight's records can be told apart by domain.
pub(super) fn has_sides(kind: Kind) -> bool {
    matches!(kind, Kind::CrossDomain | Kind::SkillMismatch)
}
