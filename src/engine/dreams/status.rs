//! When a dream is due.

use super::known;
use crate::core::dream::record::Expiry;
use crate::core::dream::trigger::News;
use crate::engine::api::{DreamStatus, Result};
use crate::engine::inner::Engine;
use crate::engine::rewards::everything;

impl Engine {
    /// The bare evaluation of the triggers, and whether a dream would be worth it.
    /// Writes nothing.
    ///
    /// # Errors
    /// If the folders cannot be read.
    pub fn dream_status(&self) -> Result<DreamStatus> {
        let inner = &self.inner;
        let now = inner.time.now();
        let store = inner.dream_store();
        let found = known(store.state(now))?;
        let mut warnings = Vec::new();
        if let Some(why) = found.fault() {
            warnings.push(format!(
                "trigger-state.json cannot be used ({why}): the defaults hold, and the next \
                 change sets it aside"
            ));
        }
        let state = found.state().clone();
        let evaluation = state.evaluate(now);
        if evaluation.in_the_future {
            warnings.push("the last dream is dated after now: check the clock".to_owned());
        }
        let ids = known(store.dreams())?;
        let latest = ids.into_iter().find(|id| id.moment().is_some_and(|at| at <= now));
        let mut news = News {
            never_dreamt: state.last_completed.is_none(),
            records_since: state.records_since,
            events: state.events.len(),
            ..News::default()
        };
        // Reading the records is only worth it where they could decide something.
        let due = evaluation.should_dream()
            && {
                let memory = inner.rewards_memory()?;
                let kept = everything(&memory, now);
                news.valid = kept.rows.len();
                if let Some(last) = state.last_completed.map(|last| last.to_utc()) {
                    news.dated_after = kept.rows.iter().filter(|row| row.at > last).count();
                    let went = |expires: Expiry| matches!(expires, Expiry::After(at) if at >= last && at < now.to_utc());
                    news.expired_since = memory.rows.iter().filter(|row| went(row.expires)).count();
                }
                news.is_worth_a_dream()
            };
        let auto = inner.settings.now().config.dream.auto;
        Ok(DreamStatus { state, evaluation, latest, news, due, auto, now, warnings })
    }
}
