//! Dreams: running one, when one is due, looking at them, marking what they
//! found (dream.md).

mod look;
mod marks;
mod provenance;
mod run;
mod status;

use super::api::{Problem, Result};
use super::inner::Inner;
use crate::core::dream::foreign::{self, ForeignPattern};
use crate::core::dream::trigger::State;
use crate::core::dream::{Limits, Marks};
use crate::store;
use crate::store::dreams::DreamStore;

impl Inner {
    /// The store of dreams.
    pub fn dream_store(&self) -> DreamStore {
        DreamStore::new(
            self.layout.insights().to_owned(),
            self.quarantine(),
            self.lock_wait,
            self.flush,
        )
    }

    /// Changes the trigger's state; advisory: what fails is a warning.
    pub fn tell_trigger(&self, warnings: &mut Vec<String>, change: impl FnOnce(&mut State)) {
        let store = self.dream_store();
        let now = self.time.now();
        let told = store.lock().and_then(|lock| {
            let _guard = lock.take(store.wait(), now)?;
            store.change_state(now, change)
        });
        match told {
            Ok(said) => warnings.extend(said),
            Err(error) => {
                warnings.push(format!("the trigger's state was not brought up to date: {error}"));
            }
        }
    }

    /// The patterns of other tools, and what of their file cannot be used.
    fn foreign_patterns(&self, warnings: &mut Vec<String>) -> Vec<ForeignPattern> {
        match self.reward_store().patterns() {
            Ok(None) => Vec::new(),
            Ok(Some(bytes)) => {
                let (patterns, said) = foreign::read(&bytes);
                warnings.extend(said);
                patterns
            }
            Err(error) => {
                warnings.push(error.to_string());
                Vec::new()
            }
        }
    }

    /// The marks; where they cannot be read nothing is marked, with a warning.
    fn marks(&self, warnings: &mut Vec<String>) -> Marks {
        self.dream_store().marks().unwrap_or_else(|error| {
            warnings.push(error.to_string());
            Marks::default()
        })
    }
}

/// The limits of the rules.
fn limits() -> Limits {
    Limits::default()
}

fn problem(error: store::Error) -> Problem {
    let path = error.path().to_owned();
    super::api::Error::from(error).problem(path)
}

/// An error of the store as one of the engine.
fn known<T>(result: store::Result<T>) -> Result<T> {
    result.map_err(Into::into)
}
