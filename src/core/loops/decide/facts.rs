//! What is read from a body once, when it is filed: the typed fields that
//! rules look at later (engine.md §2, §4, §7).

use super::super::model::{Report, Verdict};
use super::super::refusal::Refusal;
use crate::core::text::{first_chars, first_word, has_visible, sha256_hex, trim_invisible};

/// Characters of a verdict's first line that stay inline when the rest lives in a file.
pub const VERDICT_INLINE_CHARS: usize = 1_000;

/// Whether a text is an artifact type: 1 to 64 of `[a-z0-9_]`.
pub fn is_artifact_type(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// Whether bodies of a type never move to a file (engine.md §7, "Always
/// inline"). A verdict's first line stays, its rest may move.
pub fn must_stay_inline(artifact_type: &str) -> bool {
    matches!(
        artifact_type,
        "verify_report" | "critic_signal" | "operator_question" | "operator_answer"
    )
}

/// The measures of a body.
pub(super) struct Measures {
    pub byte_count: u64,
    pub preview: String,
    pub sha256: String,
    pub text_key: String,
    pub usable: bool,
}

/// Measures a body.
pub(super) fn measure(text: &str, preview_chars: usize) -> Measures {
    let trimmed = trim_invisible(text);
    let sha256 = sha256_hex(text.as_bytes());
    let text_key =
        if trimmed.len() == text.len() { sha256.clone() } else { sha256_hex(trimmed.as_bytes()) };
    Measures {
        byte_count: text.len() as u64,
        preview: first_chars(trimmed, preview_chars).to_owned(),
        sha256,
        text_key,
        usable: has_visible(text),
    }
}

/// How a verdict reads: by its first word.
pub(super) fn verdict(text: &str) -> Verdict {
    if first_word(text) == "accepted" { Verdict::Accepted } else { Verdict::RequestChanges }
}

/// The first word of a verdict that probably was meant as `accepted`.
pub(super) fn meant_accepted(text: &str) -> Option<String> {
    let word = first_word(text);
    matches!(word.as_str(), "approved" | "approve" | "lgtm" | "ok" | "accept").then_some(word)
}

/// What a verify_report by hand says: JSON with at least `passed`, or a text
/// whose first word is `passed` or `failed`.
pub(super) fn report(text: &str) -> Result<Report, Refusal> {
    let narrated =
        |passed| Report { passed, narrated: true, workspace_digest: None, session: None };
    match first_word(text).as_str() {
        "passed" => return Ok(narrated(true)),
        "failed" => return Ok(narrated(false)),
        _ => {}
    }
    let value: Option<serde_json::Value> = serde_json::from_str(trim_invisible(text)).ok();
    value
        .as_ref()
        .and_then(|v| v.get("passed"))
        .and_then(serde_json::Value::as_bool)
        .map(narrated)
        .ok_or_else(|| {
            Refusal::new(
                "invalid_body",
                "a verify_report by hand begins with the word passed or failed, \
                 or is JSON with \"passed\": true or false",
            )
            .detail("field", "body")
        })
}
