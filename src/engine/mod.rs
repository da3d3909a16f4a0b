//! The in-process engine: opens the stores and runs the core against them.
//! The only door for the deck, the command line and other clients.
//!
//! Every method is blocking and safe to call from many threads; an [`Engine`]
//! is a cheap handle. Nothing here draws or prints.

mod api;
mod refs;

pub use api::*;
