//! For tests only: the program's own sudden death at a named step, to show that
//! nothing is started twice and nothing lost (attempts.md, "How it is tested").

/// Names the step at which a debug build kills itself. Release builds never look.
#[cfg(debug_assertions)]
const VARIABLE: &str = "LOOPDECK_TEST_KILL_AT";

/// A step was reached.
pub(in super::super) fn point(step: &str) {
    #[cfg(debug_assertions)]
    if std::env::var_os(VARIABLE).is_some_and(|at| at == step) {
        die();
    }
    #[cfg(not(debug_assertions))]
    let _ = step;
}

#[cfg(all(debug_assertions, unix))]
fn die() {
    use rustix::process::{Signal, getpid, kill_process};
    let _ = kill_process(getpid(), Signal::KILL);
}

#[cfg(all(debug_assertions, not(unix)))]
fn die() {
    std::process::abort();
}
