//! The MCP server: the same loops for coding agents, over standard input and
//! output (interfaces.md, "MCP server"). Parses, calls the engine, answers. No
//! rule lives here.
//!
//! - `server` — the protocol, by the official SDK; `lines` — what carries it, one
//!   message a line; `message` — what a line is; `tools` — the table of tools;
//! - `answer` — the form of answers; `fault` — what is wrong with a value; `next` — what to call next;
//! - `loops`, `loop_args`, `parts`, `coordinate`, `sessions`, `stores` — the tools;
//! - `one` — a line without a transport, for tests of input;
//! - `resources` — loops and insights by address.

mod answer;
mod coordinate;
mod fault;
mod lines;
mod loop_args;
mod loops;
mod message;
mod next;
mod one;
mod parts;
mod resources;
mod server;
mod sessions;
mod stores;
mod tools;

pub use one::answer_line;
pub use server::serve;
