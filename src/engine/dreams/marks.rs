//! What people think of insights.

use super::known;
use crate::core::dream::marks::{Mark, Marked};
use crate::engine::api::{Result, SeenInsight};
use crate::engine::inner::Engine;

impl Engine {
    /// Accepts, snoozes or dismisses an insight, or takes its mark away; the
    /// insight as it is seen then.
    ///
    /// # Errors
    /// `insight_not_found`, `ambiguous_id`, `read_only`, `lock_timeout`, `io`,
    /// `damaged` if the marks that are there cannot be read.
    pub fn dream_mark(&self, id: &str, mark: Option<Mark>) -> Result<SeenInsight> {
        self.inner.check_writable()?;
        let (view, seen) = self.insight(id)?;
        let now = self.inner.time.now();
        let identity = seen.insight.identity();
        let evidence = seen.insight.own_evidence.unwrap_or(seen.insight.evidence_count);
        known(self.inner.dream_store().change_marks(now, |marks| match mark {
            Some(mark) => {
                let identity = identity.clone();
                marks.set(Marked { identity, mark, time: now, evidence });
            }
            None => {
                marks.clear(&identity);
            }
        }))?;
        let again = self.dream(Some(&view.dream.dream_id))?;
        let now_seen = again.insights.into_iter().find(|one| one.rank == seen.rank);
        Ok(now_seen.unwrap_or(seen))
    }
}
