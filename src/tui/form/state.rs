//! A form as it stands: focus, keys, questions, previews, drafts.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::{Position, Rect};
use serde_json::Value;

use crate::core::loops::Loop;
use crate::engine::Error;

use super::api::{Draft, FieldId, FormContext, FormEvent, FormKind, Preview, Submission};
use super::field::{Control, Field, Fields, Grade, Note};
use super::forecast;
use super::input::Edit;
use super::picker::Pick;
use super::sheet::{self, FirstFocus, Place, Sheet};

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
struct Stand {
    phase: String,
    iteration: u32,
    round: u32,
    closed: bool,
}

impl Stand {
    fn of(state: &Loop) -> Self {
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
    sheet: &'static dyn Sheet,
    initial: BTreeMap<FieldId, Value>,
    origin: Option<Stand>,
    place: Option<Place>,
    ticket: u64,
    preview: Option<Preview>,
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
        self.refusal = forecast::of_refusal(&error.0);
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

    /// The loop moved on while the form was open.
    ///
    /// A form in which nothing was written follows it; else it says so, and
    /// asks before it submits.
    pub fn moved(&mut self, state: Arc<Loop>) -> FormEvent {
        let version = self.context.state.as_ref().map(|s| s.version);
        if version == Some(state.version) {
            return FormEvent::Redraw;
        }
        self.context.state = Some(state.clone());
        let stand = Stand::of(&state);
        if !self.is_dirty() {
            self.origin = Some(stand);
            self.place = None;
            self.reset_fields();
        } else {
            if self.origin.as_ref() != Some(&stand) {
                self.place = None;
            }
            self.adapt();
        }
        self.changed()
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
        self.context = kept;
        self.adapt();
        match context.state {
            Some(state) => self.moved(state),
            None => FormEvent::Redraw,
        }
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
            phase: self.origin.as_ref().map(|o| o.phase.clone()),
            iteration: self.origin.as_ref().map(|o| o.iteration),
            fields,
        })
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

    // ── what it says ────────────────────────────────────────────────────────

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
                format!("The loop moved on to {now}; this goes to {phase}, round {round}.")
            }
            Some(Place::Here) => format!("The loop moved on; this goes to {now}."),
            None => format!("The loop moved on to {now} while you wrote."),
        })
    }

    /// What is to be said beside fields and below them, worst first: what holds
    /// it back, the refusal, else the preview.
    pub(super) fn notes(&self) -> Vec<Note> {
        let mut notes = self.sheet.check(&self.context, &self.fields);
        if self.tried {
            notes.extend(sheet::missing(&self.fields));
        }
        if !self.refusal.is_empty() {
            notes.extend(self.refusal.iter().cloned());
        } else if let Some(preview) = &self.preview {
            notes.extend(forecast::notes(preview, &self.context));
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
        Some((format!("{}, round {}", origin.phase, origin.round), forecast::place(state)))
    }

    fn needs_loop(&self) -> bool {
        use FormKind::{MemoryAdd, MemoryEdit, MemoryImport, NewLoop};
        !matches!(self.kind, NewLoop | MemoryImport | MemoryAdd | MemoryEdit)
    }

    // ── keys ────────────────────────────────────────────────────────────────

    fn key(&mut self, key: KeyEvent) -> FormEvent {
        if let Some(question) = self.question {
            return self.answer(question, key);
        }
        if self.list_is_open() && !is_submit(key) && !is_tab(key) {
            return self.control_key(key);
        }
        match key.code {
            _ if is_submit(key) => self.submit(),
            KeyCode::Char('o') if key.modifiers == KeyModifiers::CONTROL => self.editor(),
            KeyCode::Esc => self.leave(),
            KeyCode::Tab if key.modifiers.contains(KeyModifiers::SHIFT) => self.go(-1),
            KeyCode::Tab => self.go(1),
            KeyCode::BackTab => self.go(-1),
            _ => self.control_key(key),
        }
    }

    /// A key for the control with the focus; what it doesn't take moves on.
    fn control_key(&mut self, key: KeyEvent) -> FormEvent {
        let done = match self.fields.0.get_mut(self.focus).map(|f| &mut f.control) {
            None if matches!(key.code, KeyCode::Enter | KeyCode::Char(' ')) => {
                return self.submit();
            }
            None => Edit::Ignored,
            Some(Control::Text(input)) => input.key(key),
            Some(Control::Rows(rows)) => rows.key(key),
            Some(Control::Toggle(on)) if key.code == KeyCode::Char(' ') => {
                *on = !*on;
                Edit::Changed
            }
            Some(Control::Toggle(_)) => Edit::Ignored,
            Some(Control::Pick(picker)) => match picker.key(key) {
                Pick::Done => return self.picked(),
                Pick::Changed => Edit::Changed,
                Pick::Moved => Edit::Moved,
                Pick::Ignored => Edit::Ignored,
            },
        };
        match (done, key.code) {
            (Edit::Changed, _) => self.changed(),
            (Edit::Moved, _) => FormEvent::Redraw,
            (Edit::Ignored, KeyCode::Enter | KeyCode::Down) => self.go(1),
            (Edit::Ignored, KeyCode::Up) => self.go(-1),
            // A letter never means something outside a form.
            (Edit::Ignored, KeyCode::Char(_)) if !key.modifiers.intersects(CHORD) => {
                FormEvent::Redraw
            }
            (Edit::Ignored, _) => FormEvent::Ignored,
        }
    }

    fn picked(&mut self) -> FormEvent {
        let event = self.changed();
        self.go(1);
        event
    }

    fn paste(&mut self, text: &str) -> FormEvent {
        if self.question.is_some() {
            return FormEvent::Redraw;
        }
        let edit = match self.fields.0.get_mut(self.focus).map(|f| &mut f.control) {
            Some(Control::Text(input)) => {
                input.paste(text);
                Edit::Changed
            }
            Some(Control::Rows(rows)) => rows.paste(text),
            Some(Control::Pick(picker)) => picker.paste(text),
            Some(Control::Toggle(_)) | None => Edit::Ignored,
        };
        if edit == Edit::Changed { self.changed() } else { FormEvent::Redraw }
    }

    fn editor(&mut self) -> FormEvent {
        let focused = self.fields.0.get(self.focus);
        // Anywhere else, the long text of the form is meant.
        let field = focused
            .filter(|f| matches!(f.control, Control::Text(_)))
            .or_else(|| self.fields.0.iter().find(|f| f.visible && f.is_multiline()));
        match field.map(|f| (f.id, &f.control)) {
            Some((field, Control::Text(input))) => FormEvent::Editor { field, text: input.text() },
            _ => FormEvent::Redraw,
        }
    }

    fn leave(&mut self) -> FormEvent {
        if self.is_dirty() {
            self.question = Some(Question::Drop);
            FormEvent::Redraw
        } else {
            FormEvent::Cancelled
        }
    }

    fn answer(&mut self, question: Question, key: KeyEvent) -> FormEvent {
        if key.modifiers.intersects(CHORD) {
            return FormEvent::Ignored;
        }
        match (question, key.code) {
            (Question::Drop, KeyCode::Char('y' | 'Y')) => FormEvent::Cancelled,
            (Question::Where, KeyCode::Char('t' | 'T')) => {
                self.place = self.origin.as_ref().map(|o| Place::There {
                    phase: o.phase.clone(),
                    round: o.iteration.saturating_add(1),
                });
                self.answered()
            }
            (Question::Where, KeyCode::Char('h' | 'H'))
            | (Question::GoOn, KeyCode::Char('y' | 'Y')) => {
                self.place = Some(Place::Here);
                self.answered()
            }
            (_, KeyCode::Esc | KeyCode::Enter | KeyCode::Char('n' | 'N')) => {
                self.question = None;
                FormEvent::Redraw
            }
            _ => FormEvent::Redraw,
        }
    }

    fn answered(&mut self) -> FormEvent {
        self.question = None;
        self.submit()
    }

    // ── submitting ──────────────────────────────────────────────────────────

    fn submit(&mut self) -> FormEvent {
        if self.busy {
            return FormEvent::Redraw;
        }
        self.close_lists();
        self.tried = true;
        if let Some(fault) = self.first_fault() {
            if let Some(position) = fault {
                self.focus_on(position);
            }
            return FormEvent::Redraw;
        }
        if let Some(question) = self.unasked() {
            self.question = Some(question);
            return FormEvent::Redraw;
        }
        match self.submission() {
            Some(submission) => {
                self.busy = true;
                self.refusal.clear();
                FormEvent::Submit(submission)
            }
            None => FormEvent::Redraw,
        }
    }

    /// What holds the submission back: the field to go to, if it is one's.
    fn first_fault(&self) -> Option<Option<usize>> {
        let faults = self.faults();
        if faults.is_empty() {
            return None;
        }
        let position = |id| self.fields.0.iter().position(|f| f.id == id && f.visible);
        Some(faults.iter().filter_map(|n| n.field).filter_map(position).min())
    }

    fn faults(&self) -> Vec<Note> {
        let mut notes = self.sheet.check(&self.context, &self.fields);
        notes.extend(sheet::missing(&self.fields));
        notes.retain(|n| n.grade == Grade::Blocks);
        notes
    }

    /// The question that the moving on of the loop calls for.
    fn unasked(&self) -> Option<Question> {
        let (origin, state) = (self.origin.as_ref()?, self.context.state.as_ref()?);
        let now = Stand::of(state);
        if *origin == now || self.place.is_some() {
            return None;
        }
        Some(if self.sheet.can_file_there() && !now.closed {
            Question::Where
        } else {
            Question::GoOn
        })
    }

    fn submission(&self) -> Option<Submission> {
        let place = self.place.clone().unwrap_or_default();
        self.sheet.submission(&self.context, &self.fields, &place)
    }

    /// After a change: what was said of the former text goes, a preview is wanted.
    fn changed(&mut self) -> FormEvent {
        self.adapt();
        self.refusal.clear();
        self.preview = None;
        self.ticket += 1;
        let submission = match self.submission() {
            Some(submission) if self.faults().is_empty() => submission,
            _ => return FormEvent::Redraw,
        };
        let submission = match submission {
            execute @ Submission::Execute { .. } => execute,
            Submission::Import { path, category, .. } => {
                Submission::Import { path, category, dry_run: true }
            }
            _ => return FormEvent::Redraw,
        };
        FormEvent::PreviewWanted { ticket: self.ticket, submission }
    }

    fn adapt(&mut self) {
        self.sheet.adapt(&self.context, &mut self.fields);
        if self.fields.0.get(self.focus).is_some_and(|f| !f.visible) {
            self.focus = self.next_visible(self.focus).unwrap_or(self.fields.0.len());
        }
    }

    fn reset_fields(&mut self) {
        self.fields = self.sheet.fields(&self.context);
        self.initial = values(&self.fields);
        self.focus = self.focus.min(self.fields.0.len());
        self.adapt();
    }

    // ── focus ───────────────────────────────────────────────────────────────

    fn first_focus(&mut self) {
        match self.sheet.first_focus() {
            FirstFocus::Field => {}
            FirstFocus::OpenField => {
                let control = self.fields.0.get_mut(self.focus).map(|f| &mut f.control);
                if let Some(Control::Pick(picker)) = control {
                    picker.open();
                }
            }
            FirstFocus::Button => self.focus = self.fields.0.len(),
        }
    }

    fn next_visible(&self, from: usize) -> Option<usize> {
        (from..self.fields.0.len()).find(|i| self.fields.0[*i].visible)
    }

    /// Moves the focus by one field, from end to end around.
    fn go(&mut self, by: isize) -> FormEvent {
        self.close_lists();
        let stops = self.fields.0.len() + 1;
        let mut at = self.focus;
        for _ in 0..stops {
            at = match by {
                1 => (at + 1) % stops,
                _ => (at + stops - 1) % stops,
            };
            if at == stops - 1 || self.fields.0[at].visible {
                break;
            }
        }
        self.focus = at;
        FormEvent::Redraw
    }

    fn focus_on(&mut self, position: usize) {
        if position != self.focus {
            self.close_lists();
        }
        self.focus = position;
    }

    fn close_lists(&mut self) {
        for field in &mut self.fields.0 {
            if let Control::Pick(picker) = &mut field.control {
                picker.close();
            }
        }
    }

    fn list_is_open(&self) -> bool {
        matches!(
            self.fields.0.get(self.focus).map(|f| &f.control),
            Some(Control::Pick(picker)) if picker.opened().is_some()
        )
    }

    // ── mouse ───────────────────────────────────────────────────────────────

    fn mouse(&mut self, mouse: MouseEvent) -> FormEvent {
        let at = Position { x: mouse.column, y: mouse.row };
        let hit = self.hits.borrow().iter().rev().find(|(area, _)| area.contains(at)).copied();
        match (mouse.kind, hit) {
            (MouseEventKind::ScrollDown, _) => self.wheel(KeyCode::Down),
            (MouseEventKind::ScrollUp, _) => self.wheel(KeyCode::Up),
            (MouseEventKind::Down(MouseButton::Left), Some((area, target)))
                if self.question.is_none() =>
            {
                self.click(target, at.x - area.x, at.y - area.y)
            }
            (MouseEventKind::Down(MouseButton::Left), _) => FormEvent::Redraw,
            _ => FormEvent::Ignored,
        }
    }

    /// The wheel moves in what has the focus, never the focus itself.
    fn wheel(&mut self, code: KeyCode) -> FormEvent {
        let key = KeyEvent::new(code, KeyModifiers::NONE);
        match self.fields.0.get_mut(self.focus).map(|f| &mut f.control) {
            Some(Control::Text(input)) => {
                input.key(key);
            }
            Some(Control::Pick(picker)) if picker.opened().is_some() => {
                picker.key(key);
            }
            _ => {}
        }
        FormEvent::Redraw
    }

    fn click(&mut self, target: Target, column: u16, row: u16) -> FormEvent {
        match target {
            Target::Button => {
                self.focus_on(self.fields.0.len());
                self.submit()
            }
            Target::Field(position) => {
                let same = position == self.focus;
                self.focus_on(position);
                match &mut self.fields.0[position].control {
                    Control::Toggle(on) => {
                        *on = !*on;
                        self.changed()
                    }
                    Control::Pick(picker) if same => {
                        if !picker.close() {
                            picker.open();
                        }
                        FormEvent::Redraw
                    }
                    _ => FormEvent::Redraw,
                }
            }
            Target::Text(position) => {
                self.focus_on(position);
                if let Control::Text(input) = &mut self.fields.0[position].control {
                    input.click(column, row);
                }
                FormEvent::Redraw
            }
            Target::Line(position, line) => {
                self.focus_on(position);
                if let Control::Rows(rows) = &mut self.fields.0[position].control {
                    rows.click(line);
                }
                FormEvent::Redraw
            }
            Target::Option(position, option) => {
                self.focus_on(position);
                self.click_pick(position, option)
            }
            Target::ListRow(row) => self.click_pick(self.focus, row),
        }
    }

    fn click_pick(&mut self, position: usize, row: usize) -> FormEvent {
        let Some(Control::Pick(picker)) = self.fields.0.get_mut(position).map(|f| &mut f.control)
        else {
            return FormEvent::Redraw;
        };
        match picker.click(row) {
            Pick::Done => self.picked(),
            Pick::Changed => self.changed(),
            Pick::Moved | Pick::Ignored => FormEvent::Redraw,
        }
    }
}

/// Modifiers that make a letter a command.
const CHORD: KeyModifiers = KeyModifiers::CONTROL.union(KeyModifiers::ALT);

fn is_submit(key: KeyEvent) -> bool {
    key.code == KeyCode::Char('s') && key.modifiers == KeyModifiers::CONTROL
}

fn is_tab(key: KeyEvent) -> bool {
    matches!(key.code, KeyCode::Tab | KeyCode::BackTab)
}

fn values(fields: &Fields) -> BTreeMap<FieldId, Value> {
    fields.0.iter().map(|f| (f.id, f.value())).collect()
}
