//! How an artifact is made of what was said: measured, checked, filed.

use std::collections::BTreeMap;

use std::sync::Arc;

use super::super::command::{Body, Content};
use super::super::coverage::{self, CoverState};
use super::super::evaluate::CRITIQUE_SUBTYPES;
use super::super::event::{ArtifactAdded, EventBody};
use super::super::ids::{ArtifactId, Name, SlotId, TurnId};
use super::super::model::{Artifact, BodyFile, INLINE_CAP, ObjectRef, PREVIEW_CHARS};
use super::super::protocol::Phase;
use super::super::refusal::Refusal;
use super::super::{steps, verdicts};
use super::facts::{self, VERDICT_INLINE_CHARS, must_stay_inline};
use super::{Draft, Verdict};
use crate::core::text::{first_chars, has_visible, nearest, with_article};

/// Where an artifact is filed, and through which turn.
#[derive(Clone)]
pub(super) struct Place {
    pub phase: Name,
    pub iteration: u32,
    pub slot_id: Option<SlotId>,
    pub turn_id: Option<TurnId>,
    pub late: bool,
}

/// An artifact as it was said, with its ids resolved.
pub(super) struct Said<'a> {
    pub artifact_type: Name,
    pub subtype: Option<Name>,
    pub content: &'a Content,
    pub addresses: Vec<ArtifactId>,
    pub waives: BTreeMap<ArtifactId, String>,
    pub cites: &'a [String],
}

/// The text of some content, its file, and the thing that it stands for.
struct Source<'a> {
    body: Option<&'a Body>,
    file: Option<&'a BodyFile>,
    object: Option<&'a ObjectRef>,
    from: Option<&'a ArtifactId>,
}

fn source(content: &Content) -> Source<'_> {
    let empty = Source { body: None, file: None, object: None, from: None };
    match content {
        Content::None => empty,
        Content::Body(body) => Source { body: Some(body), ..empty },
        Content::File(file) => Source { file: Some(file), ..empty },
        Content::Object(object) => Source { object: Some(object), ..empty },
        Content::From { artifact, body } => {
            Source { body: Some(body), from: Some(artifact), ..empty }
        }
    }
}

pub(super) fn head(
    draft: &mut Draft<'_>,
    said: &Said<'_>,
    place: &Place,
) -> Result<Artifact, Refusal> {
    let kind = &*said.artifact_type;
    let source = source(said.content);
    if matches!(said.content, Content::None) && kind != "critic_signal" {
        return Err(Refusal::new(
            "invalid_body",
            format!("{} needs a body or a reference", with_article(kind)),
        )
        .detail("field", "body"));
    }
    let text = source.body.map_or("", |b| b.text.as_str());
    check_size(kind, source.body)?;
    let measures = facts::measure(text, PREVIEW_CHARS);
    let referenced = source.file.is_some_and(|f| !f.sha256.is_empty())
        || source.object.is_some_and(|o| !o.id.is_empty());
    let usable = measures.usable || referenced || kind == "critic_signal";
    let is_text = source.body.is_some();
    let report = if kind == "verify_report" { Some(facts::report(text)?) } else { None };
    let verdict = (kind == "verdict" && usable && is_text).then(|| facts::verdict(text));
    let (preview, sha256, byte_count) = match (source.file, source.object) {
        (Some(file), _) => (file.reference.clone(), file.sha256.clone(), file.byte_count),
        (None, Some(object)) => {
            (format!("{} {}", object.kind, object.id), measures.sha256, measures.byte_count)
        }
        (None, None) => (measures.preview, measures.sha256, measures.byte_count),
    };
    let text_key = if is_text { measures.text_key } else { format!("{preview}\n{sha256}") }.into();
    let (cites, dangling) = cited(draft, said.cites);
    Ok(Artifact {
        artifact_id: draft.new_artifact_id(),
        phase: place.phase.clone(),
        artifact_type: said.artifact_type.clone(),
        subtype: said.subtype.clone(),
        iteration: place.iteration,
        produced_by: draft.ctx.actor.clone(),
        slot_id: place.slot_id.clone(),
        turn_id: place.turn_id.clone(),
        produced_at: draft.ctx.now,
        seq: draft.state.version + 1,
        usable,
        late: place.late,
        byte_count,
        preview,
        sha256,
        text_key,
        addresses_critique: said.addresses.clone(),
        waives: said.waives.clone(),
        cites,
        dangling,
        file: source.file.cloned(),
        object: source.object.cloned(),
        body_file: source.body.and_then(|b| b.file.clone()),
        source: source.from.cloned(),
        origin: None,
        verdict,
        reviewer_standing: verdict.is_some()
            && verdicts::has_standing(&draft.state, &draft.ctx.actor),
        report,
        supersedes: None,
        superseded_by: None,
        retracted: None,
    })
}

/// The core's own cap is strict: a longer body comes with the file that holds it.
fn check_size(kind: &str, body: Option<&Body>) -> Verdict {
    let Some(body) = body else { return Ok(()) };
    let moved = body.file.is_some() && !must_stay_inline(kind);
    if body.text.len() <= INLINE_CAP || moved {
        return Ok(());
    }
    Err(Refusal::new(
        "body_too_large",
        format!(
            "{} of {} bytes is over the cap of {INLINE_CAP} bytes",
            with_article(kind),
            body.text.len()
        ),
    )
    .detail("byte_count", body.text.len())
    .detail("max_bytes", INLINE_CAP))
}

fn cited(draft: &Draft<'_>, cites: &[String]) -> (Vec<Name>, Vec<Name>) {
    let mut names: Vec<Name> = Vec::new();
    for cite in cites.iter().map(|c| c.trim()).filter(|c| has_visible(c)) {
        if !names.iter().any(|n| &**n == cite) {
            names.push(cite.into());
        }
    }
    let unknown = |n: &&Name| !draft.ctx.known_cites.contains(*n);
    let dangling = names.iter().filter(unknown).cloned().collect();
    (names, dangling)
}

pub(super) fn push(draft: &mut Draft<'_>, artifact: Artifact, content: &Content) -> ArtifactId {
    let id = artifact.artifact_id.clone();
    let body = source(content).body.and_then(|body| match &body.file {
        None => Some(body.text.clone()),
        Some(_) if &*artifact.artifact_type == "verdict" => {
            let line = body.text.trim_start().lines().next().unwrap_or("");
            Some(first_chars(line, VERDICT_INLINE_CHARS).to_owned())
        }
        Some(_) => None,
    });
    draft.push(EventBody::ArtifactAdded(ArtifactAdded { artifact: Arc::new(artifact), body }));
    id
}

/// A plan_draft says which critiques it settles.
pub(super) fn check_plan(draft: &mut Draft<'_>, said: &Said<'_>) -> Verdict {
    if &*said.artifact_type != "plan_draft" {
        return Ok(());
    }
    let coverage = coverage::coverage(&draft.state);
    if coverage.total == 0 {
        if said.addresses.is_empty() && said.waives.is_empty() {
            draft.warn("nothing was criticised: this plan_draft answers no critique");
        }
        return Ok(());
    }
    if said.addresses.is_empty() && said.waives.is_empty() {
        let ids: Vec<&str> = coverage.critiques.iter().map(|c| c.artifact_id.as_str()).collect();
        return Err(Refusal::new(
            "addresses_required",
            format!(
                "a plan_draft names the critiques that it addresses or waives; this loop has {}",
                ids.join(", ")
            ),
        )
        .detail("critiques", ids)
        .step("name them", steps::add_plan(&draft.state)));
    }
    if !draft.state.protocol.require_coverage {
        return Ok(());
    }
    let settled = |id: &ArtifactId| said.addresses.contains(id) || said.waives.contains_key(id);
    let missing: Vec<String> = coverage
        .critiques
        .iter()
        .filter(|c| c.state == CoverState::Open && !settled(&c.artifact_id))
        .map(|c| c.artifact_id.to_string())
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Refusal::new(
        "coverage_required",
        format!("this protocol wants every critique settled; still open: {}", missing.join(", ")),
    )
    .detail("open", missing)
    .step("name them", steps::add_plan(&draft.state)))
}

/// Why a type may be a slip where the phase doesn't expect it: another phase
/// does, or a type that one does expect is written nearly the same. Types are free.
fn doubt_about(draft: &Draft<'_>, kind: &str, here: &str) -> Option<String> {
    let phases = &draft.state.protocol.phases;
    let expects = |phase: &&Phase| phase.expects.iter().any(|t| &**t == kind);
    let others: Vec<&str> = phases.iter().filter(expects).map(|phase| &*phase.name).collect();
    if !others.is_empty() {
        let verb = if others.len() == 1 { "does" } else { "do" };
        return Some(format!("{here} doesn't expect {kind}: {} {verb}", others.join(", ")));
    }
    let near = nearest(kind, phases.iter().flat_map(|phase| &phase.expects).map(|t| &**t))?;
    Some(format!("no phase of this loop expects {kind}; did you mean {near}?"))
}

pub(super) fn warn_about(draft: &mut Draft<'_>, said: &Said<'_>, artifact: &Artifact) {
    let kind = &*said.artifact_type;
    let Some(phase) = draft.state.protocol.phase(&artifact.phase).cloned() else { return };
    if !artifact.usable {
        draft.warn(format!("this {kind} carries no usable content and will not count"));
    }
    if CRITIQUE_SUBTYPES.contains(&kind) {
        draft.warn(format!(
            "{kind} is a label of critiques: did you mean --type critique --subtype {kind}?"
        ));
    } else if !phase.expects_type(kind)
        && let Some(doubt) = doubt_about(draft, kind, &phase.name)
    {
        draft.warn(doubt);
    }
    let text = source(said.content).body.map_or("", |b| b.text.as_str());
    if let Some(word) = facts::meant_accepted(text).filter(|_| kind == "verdict") {
        draft.warn(format!(
            "a verdict that begins with {word:?} requests changes: did you mean accepted?"
        ));
    }
    if !artifact.dangling.is_empty() {
        let names: Vec<&str> = artifact.dangling.iter().map(|d| &**d).collect();
        draft.warn(format!("cited, but not found: {}", names.join(", ")));
    }
    let repeats = draft
        .state
        .index
        .tally(&artifact.phase, artifact.iteration, kind)
        .is_some_and(|tally| tally.holds(&artifact.produced_by, &artifact.text_key));
    if artifact.usable && repeats && kind != "critic_signal" {
        draft.warn(format!("the same {kind} was filed before in this round: it counts once"));
    }
    if draft.state.protocol.verify.is_some() && artifact.report.as_ref().is_some_and(|r| r.narrated)
    {
        draft.warn("a narrated verify_report opens nothing here: the verify command decides");
    }
}
