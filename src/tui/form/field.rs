//! Fields: a control with its label, its help and what is wrong with it.

use serde_json::{Value, json};

use super::api::FieldId;
use super::input::{Lines, TextInput};
use super::picker::{Arity, Picker};
use super::rows::Rows;

/// What a person handles.
#[derive(Clone, Debug)]
pub(super) enum Control {
    /// A text.
    Text(TextInput),
    /// A choice.
    Pick(Picker),
    /// A list of lines.
    Rows(Rows),
    /// Yes or no.
    Toggle(bool),
}

/// Whether a form can be submitted without a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// It must be filled in.
    Required,
    /// It may stay empty.
    Optional,
}

/// One field of a form.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// Which.
    pub id: FieldId,
    /// Its name on the screen.
    pub label: String,
    /// One line about it, shown while it has the focus.
    pub help: String,
    /// Whether it must be filled in.
    pub need: Need,
    /// Whether it is there at all now.
    pub visible: bool,
    /// Bytes after which its text goes to a file; shown as a counter.
    pub cap: Option<usize>,
    /// What a person handles.
    pub control: Control,
}

impl Field {
    fn new(id: FieldId, label: &str, control: Control) -> Self {
        Self {
            id,
            label: label.to_owned(),
            help: String::new(),
            need: Need::Optional,
            visible: true,
            cap: None,
            control,
        }
    }

    /// A text of one line.
    pub fn line(id: FieldId, label: &str, text: &str) -> Self {
        Self::new(id, label, Control::Text(TextInput::new(Lines::One, text)))
    }

    /// A text of many lines.
    pub fn text(id: FieldId, label: &str, text: &str) -> Self {
        Self::new(id, label, Control::Text(TextInput::new(Lines::Many, text)))
    }

    /// A choice.
    pub fn pick(id: FieldId, label: &str, picker: Picker) -> Self {
        Self::new(id, label, Control::Pick(picker))
    }

    /// A list of lines.
    pub fn rows(id: FieldId, label: &str, rows: Rows) -> Self {
        Self::new(id, label, Control::Rows(rows))
    }

    /// Yes or no.
    pub fn toggle(id: FieldId, label: &str, on: bool) -> Self {
        Self::new(id, label, Control::Toggle(on))
    }

    /// Must be filled in.
    pub fn required(mut self) -> Self {
        self.need = Need::Required;
        self
    }

    /// One line about it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Counts its bytes against a cap.
    pub fn counted(mut self, cap: usize) -> Self {
        self.cap = Some(cap);
        self
    }

    /// Begins out of sight.
    pub fn hidden(mut self) -> Self {
        self.visible = false;
        self
    }

    /// Whether nothing is filled in.
    pub fn is_empty(&self) -> bool {
        match &self.control {
            Control::Text(input) => input.is_empty(),
            Control::Pick(picker) => picker.chosen().is_empty(),
            Control::Rows(rows) => rows.texts().is_empty(),
            Control::Toggle(_) => false,
        }
    }

    /// Whether it holds a text of many lines.
    pub fn is_multiline(&self) -> bool {
        matches!(&self.control, Control::Text(input) if input.lines() == Lines::Many)
    }

    /// Its value, for drafts and for telling whether it was changed.
    pub fn value(&self) -> Value {
        match &self.control {
            Control::Text(input) => Value::String(input.text()),
            Control::Pick(picker) => json!(picker.chosen()),
            Control::Toggle(on) => Value::Bool(*on),
            Control::Rows(rows) if rows.is_keyed() => {
                rows.rows().iter().map(|r| (r.key.clone(), json!(r.input.text()))).collect()
            }
            Control::Rows(rows) => json!(rows.texts()),
        }
    }

    /// Takes a value back that [`Field::value`] gave. What doesn't fit (a draft
    /// of an older version) is left out.
    pub fn restore(&mut self, value: &Value) {
        let strings = || -> Vec<String> {
            let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
            list.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()
        };
        match (&mut self.control, value) {
            (Control::Text(input), Value::String(text)) => input.replace(text),
            (Control::Pick(picker), Value::Array(_)) => picker.choose(strings()),
            (Control::Toggle(on), Value::Bool(value)) => *on = *value,
            (Control::Rows(rows), Value::Object(map)) if rows.is_keyed() => {
                let keys: Vec<(String, String)> =
                    map.keys().map(|k| (k.clone(), k.clone())).collect();
                rows.set_keys(&keys);
                for (key, text) in map {
                    rows.set_text(key, text.as_str().unwrap_or_default());
                }
            }
            (Control::Rows(rows), Value::Array(_)) if !rows.is_keyed() => {
                rows.set_texts(&strings());
            }
            _ => {}
        }
    }
}

/// The fields of a form, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(pub Vec<Field>);

impl Fields {
    /// A field.
    pub fn get(&self, id: FieldId) -> Option<&Field> {
        self.0.iter().find(|f| f.id == id)
    }

    /// A field, to be changed.
    pub fn get_mut(&mut self, id: FieldId) -> Option<&mut Field> {
        self.0.iter_mut().find(|f| f.id == id)
    }

    /// A field that is in sight.
    fn seen(&self, id: FieldId) -> Option<&Field> {
        self.get(id).filter(|f| f.visible)
    }

    /// The text of a field as it was written; empty if the field is out of sight.
    pub fn text(&self, id: FieldId) -> String {
        match self.seen(id).map(|f| &f.control) {
            Some(Control::Text(input)) => input.text(),
            _ => String::new(),
        }
    }

    /// The text of a field without the space around it; nothing if that is empty.
    pub fn trimmed(&self, id: FieldId) -> Option<String> {
        let text = self.text(id);
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// What is chosen in a field; nothing if the field is out of sight.
    pub fn chosen(&self, id: FieldId) -> Vec<String> {
        match self.seen(id).map(|f| &f.control) {
            Some(Control::Pick(picker)) => picker.chosen().to_vec(),
            _ => Vec::new(),
        }
    }

    /// The one thing that is chosen in a field; the empty choice is none.
    pub fn choice(&self, id: FieldId) -> Option<String> {
        self.chosen(id).into_iter().next().filter(|v| !v.is_empty())
    }

    /// Whether a toggle is on.
    pub fn is_on(&self, id: FieldId) -> bool {
        matches!(self.seen(id).map(|f| &f.control), Some(Control::Toggle(true)))
    }

    /// The lines of a list.
    pub fn rows(&self, id: FieldId) -> Option<&Rows> {
        match self.seen(id).map(|f| &f.control) {
            Some(Control::Rows(rows)) => Some(rows),
            _ => None,
        }
    }

    /// The texts of a list that are not empty.
    pub fn texts(&self, id: FieldId) -> Vec<String> {
        self.rows(id).map(Rows::texts).unwrap_or_default()
    }

    /// The words of a line, apart at commas.
    pub fn list(&self, id: FieldId) -> Vec<String> {
        let text = self.text(id);
        let words = text.split(',').map(str::trim);
        words.filter(|w| !w.is_empty()).map(str::to_owned).collect()
    }

    /// Puts a field into or out of sight.
    pub fn show(&mut self, id: FieldId, visible: bool) {
        if let Some(field) = self.get_mut(id) {
            field.visible = visible;
        }
    }

    /// The picker of a field, to be changed.
    pub fn picker_mut(&mut self, id: FieldId) -> Option<&mut Picker> {
        match self.get_mut(id).map(|f| &mut f.control) {
            Some(Control::Pick(picker)) => Some(picker),
            _ => None,
        }
    }

    /// Makes one line of a keyed list for each thing that is chosen elsewhere.
    pub fn key_rows(&mut self, from: FieldId, to: FieldId) {
        let keys: Vec<(String, String)> = match self.seen(from).map(|f| &f.control) {
            Some(Control::Pick(picker)) if picker.arity() == Arity::Several => picker
                .chosen()
                .iter()
                .map(|value| {
                    let option = picker.options().iter().find(|o| &o.value == value);
                    (value.clone(), option.map_or(value, |o| &o.label).clone())
                })
                .collect(),
            _ => Vec::new(),
        };
        if let Some(field) = self.get_mut(to) {
            field.visible = !keys.is_empty();
            if let Control::Rows(rows) = &mut field.control {
                rows.set_keys(&keys);
            }
        }
    }
}

/// How much a note weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Grade {
    /// Holds the submission back.
    Blocks,
    /// The engine would refuse; the person may try.
    Refused,
    /// Worth a look.
    Warns,
    /// Good to know.
    Tells,
    /// A step that would help.
    Step,
}

/// Something to be said, beside a field or of the whole form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Note {
    /// Beside which field; absent = of the whole form.
    pub field: Option<FieldId>,
    /// How much it weighs.
    pub grade: Grade,
    /// In words.
    pub text: String,
}

impl Note {
    /// A note beside a field.
    pub fn at(field: FieldId, grade: Grade, text: impl Into<String>) -> Self {
        Self { field: Some(field), grade, text: text.into() }
    }

    /// A note of the whole form.
    pub fn of_all(grade: Grade, text: impl Into<String>) -> Self {
        Self { field: None, grade, text: text.into() }
    }
}
