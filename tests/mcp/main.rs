//! The MCP server as an official client sees it: a child process, spoken to over
//! its standard input and output.

#[allow(dead_code)]
#[path = "../pty/support.rs"]
mod support;

mod broken;
mod client;
mod driving;
mod many;
mod sessions;
mod tools;
