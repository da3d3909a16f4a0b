//! What an open engine holds.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::api::{Error, Result};
use super::brief::WithInsights;
use super::keeper::Keeper;
use super::loops::Loops;
use super::settings::Settings;
use super::time::{Chance, Time};
use crate::store::Flush;
use crate::store::layout::{Layout, UserDirs};
use crate::store::memory::MemoryStore;
use crate::store::quarantine::Quarantine;
use crate::store::sidecar::SessionStore;

/// The engine on one workspace. Cheap to clone, safe to share.
#[derive(Clone)]
pub struct Engine {
    pub(super) inner: Arc<Inner>,
}

/// One for all clones of an engine.
pub(super) struct Inner {
    /// Where the workspace's files are.
    pub layout: Layout,
    /// Where the person's own files are.
    pub user: UserDirs,
    /// The one clock.
    pub time: Time,
    /// The one source of chance.
    pub chance: Chance,
    /// Why nothing may be written, if so.
    pub read_only: Option<String>,
    /// Whether commits are flushed.
    pub flush: Flush,
    /// The command line that keeps workers.
    pub worker_keeper: Vec<PathBuf>,
    /// How long a writer waits for a loop's lock.
    pub lock_wait: Duration,
    /// The loops that are held in memory.
    pub loops: Arc<Loops>,
    /// The workspace's settings.
    pub settings: Settings,
    /// The project's memory.
    pub memory: Arc<MemoryStore>,
    /// The iteration sessions.
    pub sessions: Arc<SessionStore>,
    /// The index of the memory and the live insights, for briefs.
    pub with_insights: Mutex<Option<WithInsights>>,
    /// Does what can wait until the answer was given. Dropping it waits for that.
    pub keeper: Keeper,
}

impl Inner {
    /// What is set aside goes here.
    pub fn quarantine(&self) -> Quarantine {
        Quarantine::new(self.layout.quarantine())
    }

    /// Refuses where nothing may be written.
    pub fn check_writable(&self) -> Result<()> {
        match &self.read_only {
            None => Ok(()),
            Some(reason) => Err(Error::new(
                "read_only",
                format!("{} may only be read: {reason}", self.layout.root().display()),
            )),
        }
    }
}

/// A JSON value with the keys of all its objects in order, so that equal values
/// have equal texts.
pub(super) fn canonical(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::Object(map) => {
            let sorted: BTreeMap<String, Value> =
                map.into_iter().map(|(key, value)| (key, canonical(value))).collect();
            Value::Object(sorted.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(canonical).collect()),
        other => other,
    }
}
