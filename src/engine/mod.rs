//! The in-process engine: opens the stores and runs the core against them.
//! The only door for the deck, the command line and other clients.
//!
//! Every method is blocking and safe to call from many threads; an [`Engine`]
//! is a cheap handle. Nothing here draws or prints.
//!
//! - `api` — what can be asked and what is answered, as types;
//! - `inner` — what an open engine holds; `time` — its one clock and its one
//!   source of chance;
//! - `workspace`, `init` — finding, making and naming workspaces;
//! - `view` — a journal folded up to some commit; `loops` — the loops that are
//!   held in memory, and reading them; `list`, `resolve`, `log`, `body`;
//! - `write` — the one way in which a loop changes, on the open files of `writer`,
//!   each request once (`repeat`); `open`, `execute` — the two
//!   kinds of changes, `beside` — those that go well with others'; `prepare`, `refs` — what a command needs from the world before;
//! - `keeper` — snapshots and sweeping, after the answer was given;
//! - `sessions` — iteration sessions: attempts by hand and by running;
//! - `effects` — what a loop brings about outside of itself, after a commit;
//! - `attempts` — turns that are handed to workers; `coordinate` — a loop opened and
//!   its first turns handed out;
//! - `verify` — running a loop's command; `trust` — which commands may be run;
//! - `user` — the person's own files;
//! - `rewards`, `dreams` — reward records and what is dreamt from them;
//! - `protocols`, `settings`, `watch`, `memory`, `import`, `brief`.

mod api;
mod attempts;
mod beside;
mod bind;
mod body;
mod brief;
mod coordinate;
mod doctor;
mod dreams;
mod effects;
mod error;
mod execute;
mod export;
mod follow;
mod history;
mod import;
mod init;
mod inner;
mod keeper;
mod list;
mod log;
mod loops;
mod lost;
mod memory;
mod open;
mod prepare;
mod promote;
mod protocols;
mod refs;
mod repeat;
mod resolve;
mod rewards;
mod search;
mod sessions;
mod settings;
mod templates;
mod time;
mod trust;
mod user;
mod verify;
mod view;
mod watch;
mod workspace;
mod write;
mod writer;

pub use api::*;
pub use attempts::*;
pub use body::Reading;
pub use coordinate::*;
pub use inner::Engine;
pub use trust::Approval;
pub use verify::Verified;

pub use crate::runner::{Cancel, Said, Stream};
pub use crate::store::layout::UserDirs;
