//! The workspace's settings as they are now.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::api::{Error, Problem};
use super::inner::Engine;
use super::view::Stamp;
use crate::core::loops::command::Grants;
use crate::core::loops::model::Actor;
use crate::store;
use crate::store::config::{Config, parse};

/// The settings file, read again whenever it changed.
pub(super) struct Settings {
    path: PathBuf,
    read: Mutex<(Option<Stamp>, Arc<Read>)>,
}

/// The settings as they were read, and what is wrong with them.
#[derive(Default)]
pub(super) struct Read {
    /// What holds.
    pub config: Config,
    /// What is not followed.
    pub problems: Vec<Problem>,
}

impl Settings {
    /// The settings in a file, which need not be there.
    pub fn new(path: PathBuf) -> Self {
        Self { path, read: Mutex::default() }
    }

    /// The settings as they are now.
    pub fn now(&self) -> Arc<Read> {
        let stamp = match Stamp::at(&self.path) {
            Ok(stamp) => stamp,
            Err(error) => return Arc::new(unreadable(&self.path, error)),
        };
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.0 != stamp {
            *read = (stamp, Arc::new(load(&self.path)));
        }
        read.1.clone()
    }

    /// What an actor was granted; the operator needs no grant.
    pub fn grants_of(&self, actor: &Actor) -> Grants {
        match actor.agent() {
            Some(_) => self.now().config.grants_of(actor),
            None => Grants::default(),
        }
    }
}

impl Engine {
    /// Who acts where nobody is named: what the settings say, else the operator.
    pub fn default_actor(&self) -> Actor {
        let named = self.inner.settings.now().config.actor.clone();
        named.unwrap_or(Actor::Operator)
    }
}

fn load(path: &Path) -> Read {
    let bytes = match store::plain::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Read::default(),
        Err(error) => return unreadable(path, error),
    };
    let Ok(text) = String::from_utf8(bytes) else {
        let message =
            format!("{} is not UTF-8, so the defaults are used; save it as UTF-8", path.display());
        return with_problem(Problem { path: path.to_owned(), code: "damaged", message });
    };
    let (config, faults) = parse(&text);
    let problem = |fault: store::config::Fault| Problem {
        path: path.to_owned(),
        code: "invalid_setting",
        message: format!("{}:{}:{}: {}", path.display(), fault.line, fault.column, fault.message),
    };
    Read { config, problems: faults.into_iter().map(problem).collect() }
}

fn unreadable(path: &Path, error: io::Error) -> Read {
    with_problem(Error::from(store::Error::read(path, error)).problem(path.to_owned()))
}

fn with_problem(problem: Problem) -> Read {
    Read { problems: vec![problem], ..Read::default() }
}
