//! The table itself: every action with its name, its help and its keys, one file
//! a heading of the help.

/// A row of the table for an action with keys in one set of contexts.
macro_rules! spec {
    ($action:ident, $group:ident, $name:literal, $short:literal, $help:literal,
     [$(($contexts:expr, [$($key:literal),*])),* $(,)?]) => {
        spec!($action, $group, $name, $short, $help, [$(($contexts, [$($key),*])),*], true)
    };
    ($action:ident, $group:ident, $name:literal, $short:literal, $help:literal,
     [$(($contexts:expr, [$($key:literal),*])),* $(,)?], $palette:literal) => {
        Spec {
            action: Action::$action,
            name: $name,
            short: $short,
            help: $help,
            group: Group::$group,
            binds: &[$(Bind { contexts: $contexts, keys: &[$($key),*] }),*],
            in_palette: $palette,
        }
    };
}

mod deck;
mod dreams;
mod finding;
mod loops;
mod memory;
mod moving;
mod screens;
mod sessions;

use super::Spec;

/// The headings with their rows, in the order of the help.
static TABLE: &[&[Spec]] = &[
    moving::ROWS,
    finding::ROWS,
    screens::ROWS,
    loops::ROWS,
    dreams::ROWS,
    sessions::ROWS,
    memory::ROWS,
    deck::ROWS,
];

/// All actions, in the order of the help.
pub fn actions() -> impl Iterator<Item = &'static Spec> + Clone {
    TABLE.iter().copied().flatten()
}
