//! The forms of the deck: everything that is asked of a person before
//! something changes.
//!
//! A [`Form`] is pure. It is made from a [`FormKind`] and a [`FormContext`]
//! (all that it may show, handed in), takes terminal events, answers with a
//! [`FormEvent`], and draws itself into the rectangle that it is given. It
//! never calls the engine: what a command would do is asked for with
//! [`FormEvent::PreviewWanted`] and handed back with [`Form::previewed`], so
//! that a form and the command that it sends cannot disagree.
//!
//! - `api` — what goes in and out.
//! - `input`, `choice`, `picker`, `rows`, `field` — the kinds of field.
//! - `sheet` — one sheet a form: its fields, its checks, what it submits.
//! - `state` — the form as it stands; `keys`, `pointer`, `submit` — what moves it.
//! - `forecast` — a preview in words.
//! - `draw` — the picture.

mod api;
mod choice;
mod draw;
mod field;
mod forecast;
mod input;
mod keys;
mod picker;
mod pointer;
mod rows;
mod sheet;
mod state;
mod submit;
#[cfg(test)]
mod tests;

pub use api::{Draft, FieldId, FormContext, FormEvent, FormKind, MemoryRef, Preview, Submission};
pub use state::Form;
