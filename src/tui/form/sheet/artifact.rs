//! Artifacts: file one, put a new version in its place, take it back, set a
//! critique aside.

use std::collections::BTreeMap;

use crate::core::loops::Loop;
use crate::core::loops::command::{Command, Content, NewArtifact, SupersedeWith};
use crate::core::loops::coverage::CoverState;
use crate::core::loops::model::{Artifact, INLINE_CAP};
use crate::core::text::{first_word, has_visible};

use super::super::api::{FieldId, FormContext, Submission};
use super::super::choice::Choice;
use super::super::field::{Control, Field, Fields, Note};
use super::super::forecast::place;
use super::super::picker::{Arity, Picker};
use super::super::rows::Rows;
use super::shared::{CRITIQUE, critiques, is_type_name, memory, standing, types};
use super::{FirstFocus, Place, Sheet, blocks, execute};

/// The labels that a critique may have (engine.md §4).
const SUBTYPES: [&str; 3] = ["memory_conflict", "coverage_gap", "scope_creep"];
/// A marker that needs no body.
pub(super) const SIGNAL: &str = "critic_signal";
/// What a person says of a command that they ran themselves.
const REPORT: &str = "verify_report";

/// What a reviewer decides.
const VERDICT: &str = "verdict";
/// The first words of a verdict, as they are stored, and as they are shown.
const VERDICTS: [(&str, &str); 2] =
    [("accepted", "accept"), ("request_changes", "request changes")];

/// Files an artifact.
pub(super) struct Add;

impl Sheet for Add {
    fn title(&self, context: &FormContext) -> String {
        titled("Add an artifact", context)
    }

    fn action(&self) -> &'static str {
        "file it"
    }

    fn fields(&self, context: &FormContext) -> Fields {
        let types = context.state.as_ref().map(|s| types(s)).unwrap_or_default();
        let mut fields = vec![
            Field::pick(FieldId::Type, "type", Picker::new(Arity::One, types).free().first())
                .required()
                .help(
                    "What it is; the types that the gate wants come first, any other may be typed",
                ),
            subtype_field(),
        ];
        fields.extend(content_fields(context, ""));
        fields.push(
            Field::line(FieldId::Verify, "verify", "")
                .help("The command that is red now and green once it is mended; the loop runs it")
                .hidden(),
        );
        let mut fields = Fields(fields);
        self.adapt(context, &mut fields);
        answer_open_critiques(context, &mut fields);
        fields
    }

    fn adapt(&self, context: &FormContext, fields: &mut Fields) {
        adapt_content(context, fields);
        let asks = asks_for_command(context, fields);
        fields.show(FieldId::Verify, asks);
        if let Some(state) = &context.state
            && let Some(picker) = fields.picker_mut(FieldId::Type)
        {
            picker.set_options(types(state));
        }
    }

    fn check(&self, _context: &FormContext, fields: &Fields) -> Vec<Note> {
        let mut notes = content_notes(fields);
        if let Err(error) = shell_words::split(&fields.text(FieldId::Verify)) {
            notes.push(blocks(FieldId::Verify, format!("this is no command line: {error}")));
        }
        notes
    }

    fn submission(
        &self,
        context: &FormContext,
        fields: &Fields,
        place: &Place,
    ) -> Option<Submission> {
        let add = Command::AddArtifact(new_artifact(fields, place));
        let argv = shell_words::split(&fields.text(FieldId::Verify)).unwrap_or_default();
        match (execute(context, add)?, argv) {
            (Submission::Execute { loop_id, command, expected_version }, argv)
                if asks_for_command(context, fields) && !argv.is_empty() =>
            {
                Some(Submission::WithVerify { loop_id, command, argv, expected_version })
            }
            (submission, _) => Some(submission),
        }
    }

    fn can_file_there(&self) -> bool {
        true
    }

    fn first_focus(&self, _context: &FormContext) -> FirstFocus {
        FirstFocus::On(&[FieldId::Result, FieldId::Verdict, FieldId::Body])
    }

    fn waits_for_words(&self) -> bool {
        true
    }
}

/// Whether the command that tells red from green is still to be named: whoever
/// shows how a fault comes about knows it (engine.md §6, verify).
fn asks_for_command(context: &FormContext, fields: &Fields) -> bool {
    let kind = fields.choice(FieldId::Type);
    let unset = |state: &Loop| state.kind.has_verify() && state.protocol.verify.is_none();
    kind.as_deref() == Some("repro") && context.state.as_deref().is_some_and(unset)
}

/// `Add an artifact · critique, round 2`.
pub(super) fn titled(what: &str, context: &FormContext) -> String {
    match &context.state {
        Some(state) => format!("{what} · {}", place(state)),
        None => what.to_owned(),
    }
}

/// The label of a critique.
pub(super) fn subtype_field() -> Field {
    let labels = SUBTYPES.map(Choice::plain);
    let labels = std::iter::once(Choice::new("", "none")).chain(labels).collect();
    Field::pick(FieldId::Subtype, "label", Picker::new(Arity::One, labels).inline().first())
        .help("A label for a critique; it counts the same with each")
}

/// The fields that say what an artifact holds and what it is about.
pub(super) fn content_fields(context: &FormContext, body: &str) -> Vec<Field> {
    let passed = ["passed", "failed"].map(Choice::plain).to_vec();
    vec![
        Field::pick(FieldId::Result, "result", Picker::new(Arity::One, passed).inline().first())
            .help("How the command ended; it is stored as narrated")
            .hidden(),
        verdict_field(),
        Field::text(FieldId::Body, "text", body)
            .help("Markdown; Ctrl-o opens your editor")
            .counted(INLINE_CAP),
        Field::pick(FieldId::Cites, "cites", Picker::new(Arity::Several, memory(context)).free())
            .help("Memory items or paths that it relies on; Space marks, Enter takes"),
        Field::pick(
            FieldId::Addresses,
            "addresses",
            Picker::new(Arity::Several, critiques(context)),
        )
        .help("The critiques that it answers, open ones first; Space marks, Enter takes"),
        Field::pick(FieldId::Waives, "waives", Picker::new(Arity::Several, critiques(context)))
            .help("Critiques that it sets aside on purpose; each needs a reason"),
        Field::rows(FieldId::WaiveReasons, "because", Rows::keyed("why it is set aside"))
            .help("Why each of them is set aside")
            .hidden(),
    ]
}

/// What a reviewer decides; nothing is decided beforehand.
fn verdict_field() -> Field {
    let verdicts = VERDICTS.map(|(word, shown)| Choice::new(word, shown)).to_vec();
    Field::pick(FieldId::Verdict, "verdict", Picker::new(Arity::One, verdicts).inline())
        .help("Accept what was reviewed, or send it back; the text says why")
        .hidden()
}

/// Shows what the type calls for.
pub(super) fn adapt_content(context: &FormContext, fields: &mut Fields) {
    let kind = fields.choice(FieldId::Type).unwrap_or_default();
    let answers = kind != CRITIQUE && kind != SIGNAL;
    let any = !critiques(context).is_empty();
    fields.show(FieldId::Subtype, kind == CRITIQUE);
    fields.show(FieldId::Result, kind == REPORT);
    fields.show(FieldId::Verdict, kind == VERDICT);
    for id in [FieldId::Addresses, FieldId::Waives] {
        fields.show(id, answers && any);
        if let Some(picker) = fields.picker_mut(id) {
            picker.set_options(critiques(context));
        }
    }
    fields.key_rows(FieldId::Waives, FieldId::WaiveReasons);
    if let Some(field) = fields.get_mut(FieldId::Body) {
        body_help(&kind).clone_into(&mut field.help);
    }
}

fn body_help(kind: &str) -> &'static str {
    match kind {
        VERDICT => "Why, in a summary; stored behind accepted: or request_changes:",
        "verify_report" => "What the command said; opens nothing where the engine runs the command",
        SIGNAL => "A marker that says \"enough\"; a text is not needed",
        CRITIQUE => "What is wrong with it, and what memory says so; Ctrl-o opens your editor",
        _ => "Markdown; Ctrl-o opens your editor",
    }
}

/// What is to be said of what is written, beside its field.
pub(super) fn content_notes(fields: &Fields) -> Vec<Note> {
    let mut notes = Vec::new();
    let kind = fields.choice(FieldId::Type).unwrap_or_default();
    if !kind.is_empty() && !is_type_name(&kind) {
        let text = format!("{kind:?} is no type: 1 to 64 of a-z, 0-9 and _");
        notes.push(blocks(FieldId::Type, text));
    }
    let decided = fields.choice(FieldId::Verdict).is_some() || says_verdict(fields);
    if kind == VERDICT && !decided {
        notes.push(blocks(FieldId::Verdict, "accept, or request changes"));
    }
    if needs_text(&kind) && !has_visible(&fields.text(FieldId::Body)) {
        notes.push(blocks(FieldId::Body, "a text is needed: blank, it would count nowhere"));
    }
    let reasons = fields.rows(FieldId::WaiveReasons);
    let unsaid = reasons.is_some_and(|r| r.rows().iter().any(|r| !has_visible(&r.input.text())));
    if unsaid {
        notes.push(blocks(FieldId::WaiveReasons, "each of them needs a reason"));
    }
    notes
}

/// Whether a type is nothing without a text: a signal is a marker, a verdict and
/// a report say their word beside it.
fn needs_text(kind: &str) -> bool {
    ![SIGNAL, VERDICT, REPORT].contains(&kind)
}

/// A plan starts from the critiques that are still open: it is to answer them.
fn answer_open_critiques(context: &FormContext, fields: &mut Fields) {
    if fields.choice(FieldId::Type).as_deref() != Some("plan_draft") {
        return;
    }
    let rows = context.coverage.iter().flat_map(|coverage| &coverage.critiques);
    let open = rows.filter(|row| row.state == CoverState::Open);
    let open: Vec<String> = open.map(|row| row.artifact_id.to_string()).collect();
    if let Some(picker) = fields.picker_mut(FieldId::Addresses) {
        picker.choose(open);
    }
}

/// The artifact that the fields describe.
pub(super) fn new_artifact(fields: &Fields, place: &Place) -> NewArtifact {
    let kind = fields.choice(FieldId::Type).unwrap_or_default();
    let (phase, round) = match place {
        Place::Here => (None, None),
        Place::There { phase, round } => (Some(phase.clone()), Some(*round)),
    };
    NewArtifact {
        content: content(&kind, fields),
        artifact_type: kind,
        subtype: fields.choice(FieldId::Subtype),
        phase,
        round,
        addresses: fields.chosen(FieldId::Addresses),
        waives: waives(fields),
        cites: fields.chosen(FieldId::Cites),
    }
}

fn content(kind: &str, fields: &Fields) -> Content {
    let body = fields.text(FieldId::Body);
    match kind {
        SIGNAL if !has_visible(&body) => Content::None,
        REPORT => {
            let word = fields.choice(FieldId::Result).unwrap_or_default();
            let told = if has_visible(&body) { format!("{word}: {body}") } else { word };
            Content::Body(told.into())
        }
        VERDICT if !says_verdict(fields) => {
            let word = fields.choice(FieldId::Verdict).unwrap_or_default();
            let told = if has_visible(&body) { format!("{word}: {body}") } else { word };
            Content::Body(told.into())
        }
        _ => Content::Body(body.into()),
    }
}

/// Whether the text begins with the verdict already, as on the command line.
fn says_verdict(fields: &Fields) -> bool {
    let word = first_word(&fields.text(FieldId::Body));
    VERDICTS.iter().any(|(known, _)| *known == word)
}

fn waives(fields: &Fields) -> BTreeMap<String, String> {
    let rows = fields.rows(FieldId::WaiveReasons).map(Rows::rows).unwrap_or_default();
    rows.iter().map(|r| (r.key.clone(), r.input.text().trim().to_owned())).collect()
}

/// A picker of artifacts with the one of the context chosen.
pub(super) fn artifact_field(
    context: &FormContext,
    label: &str,
    only: fn(&Artifact) -> bool,
) -> Field {
    let options = context.state.as_ref().map(|s| standing(s, only)).unwrap_or_default();
    let picker = Picker::new(Arity::One, options);
    let picker = match &context.artifact {
        Some(id) => picker.with(id.as_str()),
        None => picker,
    };
    Field::pick(FieldId::Artifact, label, picker).required()
}

/// Puts a new version in an artifact's place.
pub(super) struct Supersede;

impl Supersede {
    /// The artifact that is chosen now.
    fn old<'a>(state: &'a Loop, fields: &Fields) -> Option<&'a Artifact> {
        let id = fields.choice(FieldId::Artifact)?;
        state.artifact(&id).map(|a| &**a)
    }
}

impl Sheet for Supersede {
    fn title(&self, context: &FormContext) -> String {
        titled("New version of an artifact", context)
    }

    fn action(&self) -> &'static str {
        "file the new version"
    }

    fn fields(&self, context: &FormContext) -> Fields {
        let body = context.body.as_deref().unwrap_or_default();
        let mut fields = vec![
            artifact_field(context, "of", |_| true)
                .help("The one whose place it takes; it keeps its phase, round and type"),
        ];
        fields.extend(content_fields(context, body));
        let mut fields = Fields(fields);
        let old = context.artifact.as_ref().zip(context.state.as_ref());
        if let Some(old) = old.and_then(|(id, state)| state.artifact(id.as_str())) {
            fill_from(&mut fields, old);
        }
        self.adapt(context, &mut fields);
        fields
    }

    fn adapt(&self, context: &FormContext, fields: &mut Fields) {
        let any = !critiques(context).is_empty();
        let answers = context
            .state
            .as_ref()
            .and_then(|s| Self::old(s, fields))
            .is_some_and(|a| &*a.artifact_type != CRITIQUE);
        fields.show(FieldId::Addresses, any && answers);
        fields.show(FieldId::Waives, any && answers);
        fields.key_rows(FieldId::Waives, FieldId::WaiveReasons);
    }

    fn check(&self, context: &FormContext, fields: &Fields) -> Vec<Note> {
        let mut notes = content_notes(fields);
        let old = context.state.as_ref().and_then(|state| Self::old(state, fields));
        if old.is_some_and(|old| &*old.artifact_type == SIGNAL) {
            notes.retain(|note| note.field != Some(FieldId::Body));
        }
        notes
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let state = context.state.as_ref()?;
        let artifact = fields.choice(FieldId::Artifact)?;
        let old = Self::old(state, fields);
        let old_cites: Vec<String> =
            old.into_iter().flat_map(|a| &a.cites).map(|c| c.to_string()).collect();
        let old_addresses: Vec<String> =
            old.into_iter().flat_map(|a| &a.addresses_critique).map(|c| c.to_string()).collect();
        let old_waives: BTreeMap<String, String> = old
            .into_iter()
            .flat_map(|a| &a.waives)
            .map(|(id, reason)| (id.to_string(), reason.clone()))
            .collect();
        let changed = |new: Vec<String>, old: Vec<String>| (new != old).then_some(new);
        let waives = waives(fields);
        let new = SupersedeWith {
            content: Content::Body(fields.text(FieldId::Body).into()),
            addresses: changed(fields.chosen(FieldId::Addresses), old_addresses),
            waives: (waives != old_waives).then_some(waives),
            cites: changed(fields.chosen(FieldId::Cites), old_cites),
            subtype: None,
        };
        execute(context, Command::Supersede { artifact, new })
    }
}

/// Fills in what the old version is about.
fn fill_from(fields: &mut Fields, old: &Artifact) {
    let choose = |fields: &mut Fields, id, values: Vec<String>| {
        if let Some(picker) = fields.picker_mut(id) {
            picker.choose(values);
        }
    };
    choose(fields, FieldId::Cites, old.cites.iter().map(|c| c.to_string()).collect());
    let addresses = old.addresses_critique.iter().map(ToString::to_string).collect();
    choose(fields, FieldId::Addresses, addresses);
    choose(fields, FieldId::Waives, old.waives.keys().map(ToString::to_string).collect());
    fields.key_rows(FieldId::Waives, FieldId::WaiveReasons);
    if let Some(Control::Rows(rows)) = fields.get_mut(FieldId::WaiveReasons).map(|f| &mut f.control)
    {
        for (id, reason) in &old.waives {
            rows.set_text(id.as_str(), reason);
        }
    }
}

/// Takes an artifact back.
pub(super) struct Retract;

impl Sheet for Retract {
    fn title(&self, context: &FormContext) -> String {
        titled("Take an artifact back", context)
    }

    fn action(&self) -> &'static str {
        "take it back"
    }

    fn fields(&self, context: &FormContext) -> Fields {
        Fields(vec![
            artifact_field(context, "artifact", |_| true)
                .help("It stays readable, but counts no more"),
            Field::line(FieldId::Reason, "reason", "").required().help("Why it is taken back"),
        ])
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let artifact = fields.choice(FieldId::Artifact)?;
        let reason = fields.trimmed(FieldId::Reason).unwrap_or_default();
        execute(context, Command::Retract { artifact, reason })
    }
}

/// Sets a critique aside.
pub(super) struct Waive;

impl Sheet for Waive {
    fn title(&self, context: &FormContext) -> String {
        titled("Set a critique aside", context)
    }

    fn action(&self) -> &'static str {
        "set it aside"
    }

    fn fields(&self, context: &FormContext) -> Fields {
        let picker = Picker::new(Arity::One, critiques(context));
        let picker = match &context.artifact {
            Some(id) => picker.with(id.as_str()),
            None => picker,
        };
        Fields(vec![
            Field::pick(FieldId::Artifact, "critique", picker)
                .required()
                .help("It is then covered without an answer, for the reason that you give"),
            Field::line(FieldId::Reason, "reason", "").required().help("Why it is set aside"),
        ])
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let artifact = fields.choice(FieldId::Artifact)?;
        let reason = fields.trimmed(FieldId::Reason).unwrap_or_default();
        execute(context, Command::Waive { artifact, reason })
    }
}
