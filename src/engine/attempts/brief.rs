//! What a worker reads: the slot's brief, and how to reply.

use std::path::Path;

use super::super::api::{BriefRequest, Result};
use super::super::inner::Engine;
use crate::core::brief::MIN_MAX_CHARS;
use crate::core::loops::attempt::Attempt;
use crate::core::loops::ids::{LoopId, RunId};
use crate::core::loops::model::Loop;

/// What a worker needs to sign with.
pub(super) struct Signature<'a> {
    /// Its run.
    pub run_id: &'a RunId,
    /// Its nonce.
    pub nonce: &'a str,
}

impl Engine {
    /// The brief of a dispatched turn, as its worker gets it, with warnings.
    pub(super) fn worker_brief(
        &self,
        id: &LoopId,
        attempt: &Attempt,
        signature: &Signature<'_>,
        result_file: &Path,
    ) -> Result<(String, Vec<String>)> {
        let state = self.load(id)?;
        let reply = how_to_reply(&state, attempt, signature, result_file);
        let limits = self.inner.settings.now().config.brief;
        // The cap covers everything, the reply too.
        let rest = limits.max_chars.saturating_sub(reply.chars().count());
        let request = BriefRequest {
            slot: Some(attempt.slot_id.to_string()),
            max_chars: Some(rest.max(MIN_MAX_CHARS)),
            top_k: None,
        };
        let brief = self.brief(id, &request)?;
        Ok((format!("{}{reply}", brief.text), brief.warnings))
    }
}

fn how_to_reply(
    state: &Loop,
    attempt: &Attempt,
    signature: &Signature<'_>,
    result_file: &Path,
) -> String {
    let phase = state.protocol.phase(&attempt.phase);
    let expects: Vec<&str> =
        phase.map(|p| p.expects.iter().map(|t| &**t).collect()).unwrap_or_default();
    let kind = expects.first().copied().unwrap_or("note");
    let example = serde_json::json!({
        "turn_id": attempt.turn_id,
        "run_id": signature.run_id,
        "nonce": signature.nonce,
        "outcome": "done",
        "artifacts": [{
            "artifact_type": kind,
            "body": "YOUR TEXT",
            "cites": [],
        }],
        "summary": "ONE LINE",
    });
    let example = serde_json::to_string_pretty(&example).unwrap_or_default();
    let mut out = format!(
        "\n## how to reply\nWrite one JSON file, as the last thing that you do, to\n{}\n\
         (LOOPDECK_RESULT names it too). Only that file is read as your result; what you print \
         is kept as a log. Copy turn_id, run_id and nonce as they are:\n\n```json\n{example}\n```\n\n",
        result_file.display()
    );
    let mut line = |text: String| out.push_str(&format!("- {text}\n"));
    if !expects.is_empty() {
        line(format!("artifact_type is one of: {}. Other types are refused.", expects.join(", ")));
    }
    line(
        "Several artifacts may stand in the list; each may have subtype, addresses_critique, \
         waives, cites. A summary alone proves nothing."
            .to_owned(),
    );
    if expects.contains(&"verdict") {
        line(
            "Your verdict: \"review_verdict\": \"approve\" or \"request_changes\", with \
             \"review_summary\"."
                .to_owned(),
        );
    }
    line(
        "If you can't do it: \"outcome\": \"failed\", no artifacts, and say why in summary.".into(),
    );
    if attempt.writes {
        line("Change files in the folder that you were started in; no need to commit.".into());
    }
    out
}
