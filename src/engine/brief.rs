//! Briefs: the core's assembler, with the bodies, the memory and the profiles
//! that it needs.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::api::{Brief, BriefRequest, Done, Error, Problem, Result};
use super::inner::{Engine, Inner};
use super::memory::problem;
use crate::core::brief::rank::MemoryIndex;
use crate::core::brief::{Input, Limits, Profile, assemble};
use crate::core::dream::{DreamId, Insight};
use crate::core::loops::Loop;
use crate::core::loops::command::NewSlot;
use crate::core::loops::decide::find_slot;
use crate::core::loops::effects::domain_of;
use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::core::loops::model::Slot;
use crate::core::memory::{Category, MemoryItem};
use crate::core::text::plural;
use crate::seam::fs;
use crate::store;

impl Engine {
    /// What a slot would read (engine.md §8); without one named, the slot that
    /// plays the phase.
    ///
    /// # Errors
    /// `loop_not_found`, `slot_not_found`, `ambiguous_id`, `invalid_max_chars`,
    /// `invalid_top_k`.
    pub fn brief(&self, id: &LoopId, request: &BriefRequest) -> Result<Brief> {
        let inner = &self.inner;
        let view = inner.view(id)?;
        let state = &view.state;
        let slot = match &request.slot {
            Some(text) => Some(find_slot(state, text)?),
            None => playing(state),
        };
        let mut warnings = Vec::new();
        let profile = slot.and_then(|slot| inner.profile_of(slot, &mut warnings));
        let bodies = |id: &ArtifactId| {
            let head = state.artifact(id.as_str())?;
            inner.body_of(&state.id, &view, head).ok()
        };
        let memory = inner.memory.read();
        let defaults = inner.settings.now().config.brief;
        let mut brief = assemble(&Input {
            state,
            slot,
            profile: profile.as_ref(),
            bodies: &bodies,
            index: &inner.index_with_insights(memory.index(), state),
            limits: Limits {
                max_chars: request.max_chars.unwrap_or(defaults.max_chars),
                top_k: request.top_k.unwrap_or(defaults.top_k),
            },
        })?;
        brief.warnings.extend(warnings);
        // What cannot be read is not what is not there.
        brief.warnings.extend(memory.faults().iter().map(|fault| problem(fault).message));
        Ok(brief)
    }

    /// The profiles that a slot may speak with, and files that cannot be used.
    /// The workspace's own win over built-in ones of the same name.
    pub fn profiles(&self) -> (Vec<Profile>, Vec<Problem>) {
        self.inner.profiles()
    }
}

/// The slot that plays the present phase: one that has its turn, else the first.
fn playing(state: &Loop) -> Option<&Slot> {
    let role = state.phase().and_then(|phase| phase.role.as_deref());
    let slots = state.slots_playing(role);
    slots.iter().find(|slot| slot.live_turn().is_some()).or(slots.first()).copied()
}

/// The memory's index and the live insights of a domain, kept for the next brief.
pub(super) struct WithInsights {
    memory: Arc<MemoryIndex>,
    insights: Vec<Insight>,
    index: Arc<MemoryIndex>,
}

/// An insight as an item of the category feedback, citable by its id.
fn as_feedback(insight: &Insight) -> Arc<MemoryItem> {
    Arc::new(MemoryItem {
        id: insight.insight_id.as_str().into(),
        category: Category::Feedback,
        title: insight.finding().to_owned(),
        text: format!(
            "{} (dream insight: confidence {}, {} impact, evidence {})",
            insight.description,
            insight.confidence.two_places(),
            insight.impact,
            insight.evidence_count
        ),
        tags: vec!["dream".to_owned(), insight.insight_type.clone()],
        paths: Vec::new(),
        source: Some(format!("dream:{}", insight.dream_id)),
        created_at: insight.created_at.unwrap_or_default(),
    })
}

impl Inner {
    /// The memory's index, and in it the latest dream's live insights of the
    /// loop's domain (dream.md, "With loops").
    fn index_with_insights(&self, memory: Arc<MemoryIndex>, state: &Loop) -> Arc<MemoryIndex> {
        let live = self.live_insights(Some(domain_of(state)));
        if live.is_empty() {
            return memory;
        }
        let insights: Vec<Insight> = live.into_iter().map(|seen| seen.insight).collect();
        let mut kept = super::loops::hold(&self.with_insights);
        if let Some(kept) = &*kept
            && Arc::ptr_eq(&kept.memory, &memory)
            && kept.insights == insights
        {
            return Arc::clone(&kept.index);
        }
        let items = memory.items().cloned().chain(insights.iter().map(as_feedback));
        let index = Arc::new(memory.updated(items));
        *kept = Some(WithInsights { memory, insights, index: Arc::clone(&index) });
        index
    }

    /// Says how many insights a new loop is confronted with.
    pub fn note_insights(&self, done: &mut Done) {
        let domain = domain_of(&done.state);
        let count = self.live_insights(Some(domain)).len();
        if count > 0 {
            let insights = plural(count, "dream insight", "dream insights");
            done.notes.push(format!("Loaded {insights} for {domain} domain"));
        }
    }

    /// Whether a name is that of an insight of a dream that is there.
    pub fn insight_exists(&self, name: &str) -> bool {
        const DREAM: usize = "dream-YYYYMMDD-HHmmss".len();
        let Some(id) = name.get(..DREAM).and_then(DreamId::parse) else { return false };
        let dream = self.dream_store().read(&id).dream;
        dream.is_ok_and(|dream| dream.insights.iter().any(|i| i.insight_id == name))
    }

    fn profile_of(&self, slot: &Slot, warnings: &mut Vec<String>) -> Option<Profile> {
        let name = slot.profile.as_deref()?;
        let (profiles, problems) = self.profiles();
        let found = profiles.into_iter().find(|profile| profile.name == name);
        if found.is_none() {
            warnings.push(format!(
                "slot {} has the profile {name:?}, which is not there: it speaks without one",
                slot.slot_id
            ));
            warnings.extend(problems.into_iter().map(|problem| problem.message));
        }
        found
    }

    /// Warns of new slots whose profile is not there: a slip of the pen is
    /// better told now than with the first brief.
    pub fn warn_of_profiles(&self, slots: &[NewSlot], done: &mut Done) {
        if slots.iter().all(|slot| slot.profile.is_none()) {
            return;
        }
        let (known, _) = self.profiles();
        let names: Vec<&str> = known.iter().map(|profile| &*profile.name).collect();
        for slot in slots {
            let missing = slot.profile.as_deref().filter(|name| !names.contains(name));
            done.warnings.extend(missing.map(|name| {
                format!(
                    "slot {} has the profile {name:?}, which is not there: it speaks without one \
                     (there are {})",
                    slot.role,
                    names.join(", ")
                )
            }));
        }
    }

    fn profiles(&self) -> (Vec<Profile>, Vec<Problem>) {
        let mut profiles = Profile::built_in();
        let mut problems = Vec::new();
        let mut own: BTreeMap<String, PathBuf> = BTreeMap::new();
        for path in self.profile_files(&mut problems) {
            let profile = match read_profile(&path) {
                Ok(profile) => profile,
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            };
            if let Some(first) = own.get(&*profile.name) {
                problems.push(named_twice(&profile.name, &path, first));
                continue;
            }
            own.insert(profile.name.to_string(), path);
            match profiles.iter_mut().find(|p| p.name == profile.name) {
                Some(place) => *place = profile,
                None => profiles.push(profile),
            }
        }
        (profiles, problems)
    }

    fn profile_files(&self, problems: &mut Vec<Problem>) -> Vec<PathBuf> {
        let folder = self.layout.profiles();
        let mut paths: Vec<PathBuf> = match fs::read_dir(&folder) {
            Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                let error = Error::from(store::Error::read(&folder, error));
                problems.push(error.problem(folder));
                Vec::new()
            }
        };
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
        paths.sort();
        paths
    }
}

fn named_twice(name: &str, path: &std::path::Path, first: &std::path::Path) -> Problem {
    Problem {
        path: path.to_owned(),
        code: "damaged",
        message: format!(
            "{}: the profile {name:?} is that of {} already. This one is not used: give it \
             another name",
            path.display(),
            first.display()
        ),
    }
}

fn read_profile(path: &std::path::Path) -> std::result::Result<Profile, Problem> {
    let text = store::plain::text(path)
        .map_err(|source| Error::from(store::Error::read(path, source)).problem(path.to_owned()))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Profile::parse(&name, &text).map_err(|error| Problem {
        path: path.to_owned(),
        code: "damaged",
        message: format!(
            "{}:{}:{}: {}. The profile is not used",
            path.display(),
            error.line,
            error.column,
            error.message
        ),
    })
}
