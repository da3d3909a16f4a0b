//! Parse, run, exit status: nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    loopdeck::cli::run(std::env::args_os())
}
