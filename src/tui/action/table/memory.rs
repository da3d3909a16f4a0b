//! What is done with memory items.

use crate::tui::action::contexts::{ON_MEMORY, PANES};
use crate::tui::action::{Action, Bind, Group, Spec};

pub(super) static ROWS: &[Spec] = &[
    spec!(
        ImportMemory,
        Memory,
        "import memory",
        "import",
        "Imports decision records, CLAUDE.md, AGENTS.md, Markdown or JSON as memory.",
        [(PANES, ["I"])]
    ),
    spec!(
        AddMemory,
        Memory,
        "add a memory item",
        "add",
        "Files a new memory item.",
        [(ON_MEMORY, ["a"])]
    ),
    spec!(
        RemoveMemory,
        Memory,
        "remove the memory item",
        "remove",
        "Moves the chosen memory item to quarantine; asks first.",
        [(ON_MEMORY, ["del"])]
    ),
];
