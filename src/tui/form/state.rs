//! A form as it stands, and what the deck tells it: previews, refusals, texts
//! from the editor, that the loop moved on.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use crossterm::event::{Event, KeyEventKind};
use ratatui::layout::Rect;
use serde_json::Value;

use crate::core::loops::Loop;
use crate::core::loops::coverage::coverage;
use crate::core::loops::rounds::round_of;
use crate::engine::Error;

use super::api::{Draft, FieldId, FormContext, FormEvent, FormKind, Preview};
use super::field::{Control, Field, Fields, Grade, Note};
use super::forecast;
use super::sheet::{self, Place, Sheet};

/// A question that the form asks before it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Drop what was written?
    Drop,
    /// The loop has moved on: file it there, or here?
    Where,
    /// The loop has moved on: go on all the same?
    GoOn,
}

/// Where a loop stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stand {
    /// The phase.
    pub phase: String,
    /// The iteration, 0-based.
    pub iteration: u32,
    /// The round that people see.
    pub round: u32,
    /// Whether it had ended.
    pub closed: bool,
}

impl Stand {
    /// Where a loop stands.
    pub fn of(state: &Loop) -> Self {
        Self {
            phase: state.current_phase.to_string(),
            iteration: state.iteration_count,
            round: state.round(),
            closed: state.status.is_closed(),
        }
    }
}

/// What a click on a cell means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A field, by position.
    Field(usize),
    /// The text of a field.
    Text(usize),
    /// An option that stands beside others: field and position.
    Option(usize, usize),
    /// A row of the list that is dropped down.
    ListRow(usize),
    /// A line of a list of lines: field and line.
    Line(usize, usize),
    /// The button.
    Button,
}

/// A form that is being filled in.
pub struct Form {
    pub(super) kind: FormKind,
    pub(super) context: FormContext,
    pub(super) fields: Fields,
    /// The field with the focus, by position; the number of fields = the button.
    pub(super) focus: usize,
    pub(super) question: Option<Question>,
    pub(super) restored: bool,
    pub(super) busy: bool,
    pub(super) tried: bool,
    pub(super) refusal: Vec<Note>,
    /// What was drawn where, for the mouse; the newest last.
    pub(super) hits: RefCell<Vec<(Rect, Target)>>,
    /// The first row of the fields that is in view.
    pub(super) scroll: Cell<u16>,
    pub(super) sheet: &'static dyn Sheet,
    pub(super) initial: BTreeMap<FieldId, Value>,
    pub(super) origin: Option<Stand>,
    pub(super) place: Option<Place>,
    pub(super) ticket: u64,
    pub(super) preview: Option<Preview>,
}

impl std::fmt::Debug for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Form").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl Form {
    /// A form of a kind, filled from what is known, and from the draft if there is one.
    pub fn new(kind: FormKind, context: FormContext) -> Self {
        let sheet = sheet::of(kind);
        let fields = sheet.fields(&context);
        let initial = values(&fields);
        let mut form = Self {
            kind,
            fields,
            focus: 0,
            question: None,
            restored: false,
            busy: false,
            tried: false,
            refusal: Vec::new(),
            hits: RefCell::default(),
            scroll: Cell::new(0),
            sheet,
            initial,
            origin: context.state.as_deref().map(Stand::of),
            place: None,
            ticket: 0,
            preview: context.preview.clone(),
            context,
        };
        form.focus = form.next_visible(0).unwrap_or(form.fields.0.len());
        if let Some(draft) = form.context.draft.take().filter(|d| d.form == kind) {
            form.restore(&draft);
        } else {
            form.first_focus();
        }
        form
    }

    /// Which form it is.
    pub fn kind(&self) -> FormKind {
        self.kind
    }

    /// What to do right after the form was made: a preview that it wants, or
    /// just to draw it.
    pub fn begin(&mut self) -> FormEvent {
        if self.preview.is_some() { FormEvent::Redraw } else { self.changed() }
    }

    /// Takes an event of the terminal.
    pub fn handle(&mut self, event: &Event) -> FormEvent {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.key(*key),
            Event::Paste(text) => self.paste(text),
            Event::Mouse(mouse) => self.mouse(*mouse),
            Event::Resize(..) => FormEvent::Redraw,
            _ => FormEvent::Ignored,
        }
    }

    /// Shows why the submission was refused, beside the field that it is about,
    /// and the steps that would help.
    pub fn refused(&mut self, error: &Error) {
        self.busy = false;
        self.refusal = forecast::of_refusal(&error.0, &self.fields);
        let about = self.refusal.iter().find_map(|n| n.field);
        let at = about.and_then(|id| self.fields.0.iter().position(|f| f.id == id && f.visible));
        if let Some(position) = at {
            self.focus_on(position);
        }
    }

    /// Takes the answer to [`FormEvent::PreviewWanted`]; an answer to an older
    /// ticket is left out.
    pub fn previewed(&mut self, ticket: u64, preview: Preview) {
        if ticket == self.ticket {
            self.preview = Some(preview);
        }
    }

    /// Takes the text back that [`FormEvent::Editor`] handed over.
    pub fn edited(&mut self, field: FieldId, text: &str) -> FormEvent {
        if let Some(Control::Text(input)) = self.fields.get_mut(field).map(|f| &mut f.control) {
            input.replace(text);
        }
        self.changed()
    }

    /// The loop moved on while the form was open. A state of another loop than
    /// the form's is left out.
    ///
    /// A form in which nothing was written follows it; else it says so, and
    /// asks before it submits. A refusal that is shown stays.
    pub fn moved(&mut self, state: Arc<Loop>) -> FormEvent {
        let mine = self.context.state.as_ref();
        if mine.is_none_or(|m| m.id != state.id || m.version == state.version) {
            return FormEvent::Redraw;
        }
        let stand = Stand::of(&state);
        let moved_on = self.origin.as_ref() != Some(&stand);
        self.context.coverage = Some(coverage(&state));
        // What was said of the former state holds no more.
        self.context.why = None;
        self.context.state = Some(state);
        if moved_on && self.is_dirty() {
            self.place = None;
        } else if moved_on {
            self.origin = Some(stand);
            self.reset_fields();
        }
        let refusal = std::mem::take(&mut self.refusal);
        let event = self.changed();
        self.refusal = refusal;
        event
    }

    /// Takes newer knowledge of the loop (why, coverage), of memory and
    /// protocols; what the form itself holds stays.
    pub fn refresh(&mut self, context: FormContext) -> FormEvent {
        let kept = FormContext {
            state: self.context.state.clone(),
            artifact: self.context.artifact.clone(),
            slot: self.context.slot.clone(),
            body: self.context.body.clone(),
            item: self.context.item.clone(),
            prefill: self.context.prefill.clone(),
            preview: None,
            draft: None,
            ..context
        };
        let (why, coverage) = (kept.why.clone(), kept.coverage.clone());
        self.context = kept;
        self.adapt();
        let event = match context.state {
            Some(state) => self.moved(state),
            None => FormEvent::Redraw,
        };
        self.context.why = why;
        self.context.coverage = coverage;
        event
    }

    /// What was written, to be kept against a crash; nothing if nothing was.
    pub fn draft(&self) -> Option<Draft> {
        let fields: BTreeMap<FieldId, Value> = values(&self.fields)
            .into_iter()
            .filter(|(id, value)| self.initial.get(id) != Some(value))
            .collect();
        let state = self.context.state.as_ref();
        (!fields.is_empty()).then(|| Draft {
            form: self.kind,
            loop_id: state.map(|s| s.id.clone()),
            artifact: self.context.artifact.clone().filter(|_| self.asks_which()),
            item: self.context.item.as_ref().map(|item| item.id.to_string()),
            session: self.context.session.as_ref().map(|session| session.session_id.clone()),
            phase: self.origin.as_ref().map(|o| o.phase.clone()),
            iteration: self.origin.as_ref().map(|o| o.iteration),
            fields,
        })
    }

    /// Whether it is about one artifact.
    fn asks_which(&self) -> bool {
        self.fields.0.iter().any(|field| field.id == FieldId::Artifact)
    }

    /// Whether something was written that leaving would drop.
    pub fn is_dirty(&self) -> bool {
        self.fields.0.iter().any(|f| self.initial.get(&f.id) != Some(&f.value()))
    }

    fn restore(&mut self, draft: &Draft) {
        // Twice: a field may come into sight, or get its options, by another's value.
        for _ in 0..2 {
            for field in &mut self.fields.0 {
                if let Some(value) = draft.fields.get(&field.id) {
                    field.restore(value);
                }
            }
            self.adapt();
        }
        self.restored = true;
        if let (Some(origin), Some(phase)) = (&mut self.origin, &draft.phase) {
            let iteration = draft.iteration.unwrap_or(origin.iteration);
            if (&origin.phase, origin.iteration) != (phase, iteration) {
                let (phase, round) = (phase.clone(), iteration.saturating_add(1));
                *origin = Stand { phase, iteration, round, closed: false };
            }
        }
    }

    pub(super) fn title(&self) -> String {
        self.sheet.title(&self.context)
    }

    pub(super) fn action(&self) -> &'static str {
        self.sheet.action()
    }

    /// What is known of the matter, above the fields.
    pub(super) fn facts(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.restored {
            let text = "This is what you had written before the interruption.";
            notes.push(Note::of_all(Grade::Tells, text));
        }
        if let Some(text) = self.moved_text() {
            notes.push(Note::of_all(Grade::Warns, text));
        }
        if self.context.state.is_none() && self.needs_loop() {
            notes.push(Note::of_all(Grade::Blocks, "No loop is chosen."));
        }
        notes.extend(self.sheet.facts(&self.context));
        notes
    }

    fn moved_text(&self) -> Option<String> {
        let (origin, state) = (self.origin.as_ref()?, self.context.state.as_ref()?);
        let now = Stand::of(state);
        if *origin == now {
            return None;
        }
        if now.closed {
            return Some(format!("The loop has closed meanwhile: {}.", state.status));
        }
        let now = forecast::place(state);
        Some(match &self.place {
            Some(Place::There { phase, round }) => {
                let there = round_of(round.saturating_sub(1), state.protocol.max_rounds());
                format!("The loop moved on to {now}; this goes to {phase}, {there}.")
            }
            Some(Place::Here) => format!("The loop moved on; this goes to {now}."),
            None => format!("The loop moved on to {now} while you wrote."),
        })
    }

    /// What is to be said beside fields and below them, worst first: what holds
    /// it back, the refusal, else the preview.
    pub(super) fn notes(&self) -> Vec<Note> {
        if self.sheet.waits_for_words() && !self.tried && !self.is_dirty() {
            return Vec::new();
        }
        let mut notes = self.sheet.check(&self.context, &self.fields);
        if self.tried {
            notes.extend(sheet::missing(&self.fields));
        }
        if !self.refusal.is_empty() {
            notes.extend(self.refusal.iter().cloned());
        } else if let Some(preview) = &self.preview {
            // Of a preview, what stands above the fields is not said again.
            let facts = self.sheet.facts(&self.context);
            let news = |n: &Note| !facts.iter().any(|f| n.text.contains(&f.text));
            let said = forecast::notes(preview, &self.context, &self.fields);
            notes.extend(said.into_iter().filter(news));
        }
        for note in &mut notes {
            let hidden = |id| !self.fields.get(id).is_some_and(|f: &Field| f.visible);
            if note.field.is_some_and(hidden) {
                note.field = None;
            }
        }
        notes
    }

    /// The two places that an artifact may be filed in: there and here.
    pub(super) fn places(&self) -> Option<(String, String)> {
        let origin = self.origin.as_ref()?;
        let state = self.context.state.as_ref()?;
        let there = round_of(origin.iteration, state.protocol.max_rounds());
        Some((format!("{}, {there}", origin.phase), forecast::place(state)))
    }

    fn needs_loop(&self) -> bool {
        use FormKind::{
            Escalate, MemoryAdd, MemoryEdit, MemoryImport, NewLoop, NewSession, RecordAttempt,
            RunAttempt,
        };
        let needs_none = matches!(self.kind, NewLoop | MemoryImport | MemoryAdd | MemoryEdit);
        let of_session = matches!(self.kind, NewSession | RecordAttempt | RunAttempt | Escalate);
        !needs_none && !of_session
    }
}

/// The values of all fields, in sight or not.
pub(super) fn values(fields: &Fields) -> BTreeMap<FieldId, Value> {
    fields.0.iter().map(|f| (f.id, f.value())).collect()
}
