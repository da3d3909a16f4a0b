//! Briefs: the core's assembler, with the bodies, the memory and the profiles
//! that it needs.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::api::{Brief, BriefRequest, Done, Error, Problem, Result};
use super::inner::{Engine, Inner};
use super::memory::problem;
use crate::core::brief::{Input, Limits, Profile, assemble};
use crate::core::loops::Loop;
use crate::core::loops::command::NewSlot;
use crate::core::loops::decide::find_slot;
use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::core::loops::model::Slot;
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
            index: &memory.index(),
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

impl Inner {
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
        for path in self.profile_files(&mut problems) {
            match read_profile(&path) {
                Ok(profile) => match profiles.iter_mut().find(|p| p.name == profile.name) {
                    Some(place) => *place = profile,
                    None => profiles.push(profile),
                },
                Err(problem) => problems.push(problem),
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

fn read_profile(path: &std::path::Path) -> std::result::Result<Profile, Problem> {
    let text = fs::read_to_string(path)
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
