//! What went wrong.

use crate::core::loops::refusal::{NextStep, Refusal};

/// What went wrong, with all that a person or a script needs to act.
///
/// `code` is one of interfaces.md "Codes"; its class decides the exit status.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", .0.message)]
pub struct Error(pub Box<Refusal>);

impl Error {
    /// An error from its code and sentence.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self(Box::new(Refusal::new(code, message)))
    }

    /// Its stable name.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// The sentence.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What would help.
    pub fn next_steps(&self) -> &[NextStep] {
        &self.0.next_steps
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self(Box::new(refusal))
    }
}

/// What a method answers.
pub type Result<T> = std::result::Result<T, Error>;
