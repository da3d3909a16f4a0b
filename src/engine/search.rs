//! Search over what the artifacts of all loops say.

use super::api::{Findings, Found, LoopSummary, Result};
use super::inner::{Engine, Inner};
use crate::core::loops::ids::ArtifactId;
use crate::core::loops::reading;
use crate::core::search::{Scan, excerpt};

/// Characters of an excerpt.
const EXCERPT: usize = 160;

impl Engine {
    /// The artifacts whose texts hold some words, the best first, at most
    /// `limit`. Every journal is read: nothing is kept for it.
    ///
    /// # Errors
    /// `io` if the folder of all loops cannot be read. What is wrong with a
    /// single loop is part of the answer.
    pub fn search(&self, words: &str, limit: usize) -> Result<Findings> {
        let (listed, problems) = self.inner.listed()?;
        let mut findings = Findings { problems, ..Findings::default() };
        let Some(mut scan) = Scan::new(words) else { return Ok(findings) };
        for (at, one) in listed.iter().enumerate() {
            if let Err(error) = self.inner.scan_loop(&one.summary, at, &mut scan) {
                let path = self.inner.layout.loop_files(&one.summary.id).journal();
                findings.problems.push(error.problem(path));
            }
        }
        let ranked = scan.ranked();
        findings.total = ranked.len();
        for ((at, artifact), score) in ranked.into_iter().take(limit) {
            if let Some(one) = listed.get(at) {
                findings.found.push(self.found(&one.summary, artifact, score, words)?);
            }
        }
        Ok(findings)
    }

    fn found(
        &self,
        summary: &LoopSummary,
        artifact_id: ArtifactId,
        score: f64,
        words: &str,
    ) -> Result<Found> {
        let state = self.load(&summary.id)?;
        let body = self.body(&summary.id, &artifact_id)?;
        let head = state.artifact(artifact_id.as_str()).ok_or_else(|| {
            super::api::Error::new("unknown_artifact", format!("{artifact_id} is gone"))
        })?;
        Ok(Found {
            loop_id: summary.id.clone(),
            title: summary.title.clone(),
            artifact_type: head.artifact_type.clone(),
            phase: head.phase.clone(),
            round: head.iteration + 1,
            produced_at: head.produced_at,
            score,
            excerpt: excerpt(&reading::in_words(head, &body).unwrap_or(body), words, EXCERPT),
            artifact_id,
        })
    }
}

impl Inner {
    fn scan_loop(
        &self,
        summary: &LoopSummary,
        at: usize,
        scan: &mut Scan<(usize, ArtifactId)>,
    ) -> Result<()> {
        let id = &summary.id;
        let view = self.view(id)?;
        let texts = self.bodies_of(id, &self.events(id)?)?;
        for artifact in view.state.artifacts.iter().filter(|a| a.is_current()) {
            if let Some(text) = texts.get(&artifact.artifact_id) {
                let said = reading::in_words(artifact, text);
                let said = said.as_deref().unwrap_or(text);
                scan.look(said, || (at, artifact.artifact_id.clone()));
            }
        }
        Ok(())
    }
}
