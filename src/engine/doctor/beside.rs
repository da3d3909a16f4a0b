//! What people, repositories and other tools put beside the loops: protocols,
//! profiles, templates, reward records, and what is noted of dreams.

use super::{Visit, others};
use crate::core::dream::record::Reason;
use crate::engine::api::Severity;
use crate::engine::inner::{Engine, Inner};
use crate::store;

/// So many records that don't count are named one by one.
const NAMED: usize = 50;

pub(super) fn look(engine: &Engine, visit: &mut Visit) {
    let (protocols, profiles, templates) =
        (engine.protocols().1, engine.profiles().1, engine.templates().1);
    for problem in protocols.iter().chain(&profiles).chain(&templates) {
        others::tell(problem, visit);
    }
    records(&engine.inner, visit);
    marks(&engine.inner, visit);
    trigger(&engine.inner, visit);
}

/// Records that do not count, and why.
fn records(inner: &Inner, visit: &mut Visit) {
    let memory = match inner.rewards_memory() {
        Ok(memory) => memory,
        Err(error) => {
            return visit.error(inner.layout.rewards(), "io", error.message().to_owned());
        }
    };
    visit.0.files += memory.rows.len();
    let skipped = crate::engine::rewards::everything(&memory, inner.time.now()).skipped;
    for one in skipped.iter().take(NAMED) {
        let path = inner.layout.rewards().join(&one.path);
        let said = format!("{} does not count: {} ({})", path.display(), one.reason, one.detail);
        let unreadable = [Reason::Unreadable, Reason::ParseError].map(|r| r.to_string());
        let code = if unreadable.contains(&one.reason) { "damaged" } else { "invalid_record" };
        visit.warning(&path, code, said);
    }
    if let Some(more) = skipped.len().checked_sub(NAMED).filter(|more| *more > 0) {
        let said = format!(
            "{more} more records in {} do not count: loopdeck rewards list names them",
            inner.layout.rewards().display()
        );
        visit.warning(inner.layout.rewards(), "invalid_record", said);
    }
}

/// What people think of insights: without it all insights are shown again, and no
/// mark can be set. Moved away, a new file is begun.
fn marks(inner: &Inner, visit: &mut Visit) {
    match inner.dream_store().marks() {
        Ok(_) => {}
        Err(error @ store::Error::Damaged { .. }) => {
            visit.movable(error.path(), "damaged", Severity::Error, error.to_string());
        }
        Err(error) => visit.error(error.path(), error.code(), error.to_string()),
    }
}

/// When the next dream is due: the defaults hold where this can't be read.
fn trigger(inner: &Inner, visit: &mut Visit) {
    let (store, now) = (inner.dream_store(), inner.time.now());
    let path = store.root().join(store::dreams::STATE);
    match store.state(now) {
        Ok(found) => {
            if found.state().evaluate(now).in_the_future {
                let said = format!(
                    "{}: the last dream is dated after now, so none is due by time until then: \
                     check the clock, or dream again",
                    path.display()
                );
                visit.warning(&path, "clock", said);
            }
            if let Some(why) = found.fault() {
                let said = format!(
                    "{} cannot be used ({why}): the defaults hold, and the next change sets it aside",
                    path.display()
                );
                visit.movable(&path, "damaged", Severity::Warning, said);
            }
        }
        Err(error) => visit.error(error.path(), error.code(), error.to_string()),
    }
}
