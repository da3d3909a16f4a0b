//! The sheets: for each form its fields, its checks and what it submits.
//!
//! A sheet holds no state; all it needs is in the context and in the fields.
//! Its checks are about the form of what is written (a missing title, a word
//! that is no slot); the rules of loops come from the engine's preview.

mod advance;
mod artifact;
mod head;
mod memory;
mod new_loop;
mod promote;
mod questions;
mod session;
mod shared;
mod turn;

use crate::core::loops::command::Command;

use super::api::{FieldId, FormContext, FormKind, Submission};
use super::field::{Fields, Grade, Need, Note};

/// Where something is filed when the loop has moved on since the form was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Place {
    /// Where the loop stands.
    #[default]
    Here,
    /// Where it stood when the form was opened.
    There {
        /// The phase.
        phase: String,
        /// The round, from 1.
        round: u32,
    },
}

/// One form's fields, checks and submission.
pub(super) trait Sheet: Sync {
    /// What stands over the form.
    fn title(&self, context: &FormContext) -> String;

    /// What submitting does, in a word or two: the button.
    fn action(&self) -> &'static str;

    /// The fields, filled from the context.
    fn fields(&self, context: &FormContext) -> Fields;

    /// Shows, hides and refills fields after a change.
    fn adapt(&self, _context: &FormContext, _fields: &mut Fields) {}

    /// What is to be said of the form of what is written.
    fn check(&self, _context: &FormContext, _fields: &Fields) -> Vec<Note> {
        Vec::new()
    }

    /// What is known of the matter, shown above the fields.
    fn facts(&self, _context: &FormContext) -> Vec<Note> {
        Vec::new()
    }

    /// What is submitted; nothing if the context lacks what it is about.
    fn submission(
        &self,
        context: &FormContext,
        fields: &Fields,
        place: &Place,
    ) -> Option<Submission>;

    /// Which part has the focus first.
    fn first_focus(&self, _context: &FormContext) -> FirstFocus {
        FirstFocus::Field
    }

    /// Whether nothing is to be said of it before something was written: an
    /// empty text is no fault while nobody had the time to write one.
    fn waits_for_words(&self) -> bool {
        false
    }

    /// Whether what it files can be filed where the loop stood before.
    fn can_file_there(&self) -> bool {
        false
    }
}

/// Which part of a form has the focus first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FirstFocus {
    /// The first field.
    Field,
    /// The first field, with its list dropped down.
    OpenField,
    /// The first of these fields that is in sight, else the first field.
    On(&'static [FieldId]),
    /// The button: Enter submits.
    Button,
}

/// The sheet of a form.
pub(super) fn of(kind: FormKind) -> &'static dyn Sheet {
    match kind {
        FormKind::NewLoop => &new_loop::NewLoop,
        FormKind::Artifact => &artifact::Add,
        FormKind::Supersede => &artifact::Supersede,
        FormKind::Retract => &artifact::Retract,
        FormKind::Waive => &artifact::Waive,
        FormKind::Turn => &turn::Give,
        FormKind::Complete => &turn::Complete,
        FormKind::Advance => &advance::Advance,
        FormKind::Force => &advance::Force,
        FormKind::Ask => &questions::Ask,
        FormKind::Answer => &questions::Answer,
        FormKind::Pause => &advance::Pause,
        FormKind::Close => &advance::Close,
        FormKind::Reopen => &advance::Reopen,
        FormKind::Amend => &head::Amend,
        FormKind::Link => &head::Link,
        FormKind::Bind => &head::Bind,
        FormKind::Promote => &promote::Promote,
        FormKind::NewSession => &session::Start,
        FormKind::RecordAttempt => &session::Record,
        FormKind::RunAttempt => &session::Run,
        FormKind::Escalate => &session::Escalate,
        FormKind::TakeOver => &turn::TakeOver,
        FormKind::MemoryImport => &memory::Import,
        FormKind::MemoryAdd => &memory::Add,
        FormKind::MemoryEdit => &memory::Edit,
    }
}

/// A verb on the loop of the context, at the version that the person sees.
fn execute(context: &FormContext, command: Command) -> Option<Submission> {
    let state = context.state.as_ref()?;
    Some(Submission::Execute {
        loop_id: state.id.clone(),
        command,
        expected_version: Some(state.version),
    })
}

/// What is missing: a note for every field in sight that must be filled in.
pub(super) fn missing(fields: &Fields) -> Vec<Note> {
    let empty = fields.0.iter().filter(|f| f.visible && f.need == Need::Required && f.is_empty());
    empty.map(|f| Note::at(f.id, Grade::Blocks, "this is needed")).collect()
}

/// A note beside a field that holds the submission back.
fn blocks(field: FieldId, text: impl Into<String>) -> Note {
    Note::at(field, Grade::Blocks, text)
}
