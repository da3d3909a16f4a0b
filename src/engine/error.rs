//! Faults of the store as errors of the engine.

use super::api::Error;
use crate::core::loops::refusal::Refusal;
use crate::store;

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        let refusal = Refusal::new(error.code(), error.to_string())
            .detail("path", error.path().display().to_string());
        match &error {
            store::Error::Damaged { line, reason, .. }
            | store::Error::NewerFormat { line, reason, .. } => {
                refusal.detail("line", *line).detail("reason", reason.as_str())
            }
            store::Error::Unparsable { line, column, reason, .. } => refusal
                .detail("line", *line)
                .detail("column", *column)
                .detail("reason", reason.as_str()),
            store::Error::LockTimeout { waited_ms, holder, .. } => {
                refusal.detail("waited_ms", *waited_ms).detail("holder", holder.as_deref())
            }
            _ => refusal,
        }
        .into()
    }
}
