//! Finding and narrowing.

use crate::tui::action::contexts::Contexts;
use crate::tui::action::contexts::{LISTS, MATCHES, PANES, SEARCHED};
use crate::tui::action::{Action, Bind, Context as C, Group, Spec};

pub(super) static ROWS: &[Spec] = &[
    spec!(
        Filter,
        Finding,
        "filter this list",
        "filter",
        "Filters the list as you type, fuzzily; Esc clears it.",
        [(SEARCHED, ["/"])]
    ),
    spec!(
        NextMatch,
        Finding,
        "next match",
        "next",
        "Goes to the next match of the filter.",
        [(MATCHES, ["n"])],
        false
    ),
    spec!(
        PrevMatch,
        Finding,
        "match before",
        "before",
        "Goes to the match before.",
        [(MATCHES, ["N"])],
        false
    ),
    spec!(
        Sort,
        Finding,
        "sort this list another way",
        "sort",
        "Sorts the list another way: by change, by attention, by title; memory by date or title.",
        [(Contexts::of(&[C::Loops, C::Memory, C::Sessions]), ["s"])]
    ),
    spec!(
        Facets,
        Finding,
        "show only some",
        "facets",
        "Shows only some: by kind, status or actor, stuck ones; and what is folded away.",
        [(LISTS.and(Contexts::of(&[C::Sessions])), ["f"])]
    ),
    spec!(
        SearchArtifacts,
        Finding,
        "search what artifacts say",
        "search",
        "Searches the artifacts of all loops by what they say, long ones too.",
        [(PANES, ["ctrl-f"])]
    ),
];
