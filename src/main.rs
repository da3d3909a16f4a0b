//! Parse, run, exit status: nothing else.

fn main() {}
