//! The symbols of the deck, in Unicode and in ASCII.

/// The symbols, one for every state. Each is one cell wide unless said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbols {
    /// An open loop.
    pub open: &'static str,
    /// A loop that is held.
    pub paused: &'static str,
    /// A loop, phase or turn that ended well.
    pub completed: &'static str,
    /// A loop that ended without what it was for.
    pub blocked: &'static str,
    /// Given up or called off.
    pub cancelled: &'static str,
    /// A person is asked.
    pub person: &'static str,
    /// Somebody works.
    pub working: &'static str,
    /// It can go on.
    pub ready: &'static str,
    /// A condition that holds.
    pub met: &'static str,
    /// A condition that does not hold.
    pub unmet: &'static str,
    /// One that counts.
    pub dot_full: &'static str,
    /// Given, not begun.
    pub dot_half: &'static str,
    /// One that is missing.
    pub dot_empty: &'static str,
    /// Wants a look.
    pub warning: &'static str,
    /// A separator of words.
    pub bullet: &'static str,
    /// Where the text was cut.
    pub ellipsis: &'static str,
    /// Beside the chosen row.
    pub bar: &'static str,
    /// Beside a row that opens.
    pub opens: &'static str,
    /// Behind a choice that drops down.
    pub drops: &'static str,
    /// More above.
    pub up: &'static str,
    /// More below.
    pub down: &'static str,
    /// From one phase to the next; three cells.
    pub arrow: &'static str,
    /// To and fro in the cycle.
    pub cycle: &'static str,
    /// A field that is chosen.
    pub check_on: &'static str,
    /// A field that is not.
    pub check_off: &'static str,
    /// A line across.
    pub line: &'static str,
    /// A line down.
    pub pipe: &'static str,
    /// The part of a scroll bar that is in view.
    pub thumb: &'static str,
}

pub(super) static UNICODE: Symbols = Symbols {
    open: "●",
    paused: "◌",
    completed: "✓",
    blocked: "■",
    cancelled: "×",
    person: "?",
    working: "◐",
    ready: "▸",
    met: "✓",
    unmet: "✗",
    dot_full: "●",
    dot_half: "◔",
    dot_empty: "○",
    warning: "!",
    bullet: "·",
    ellipsis: "…",
    bar: "▌",
    opens: "▸",
    drops: "▾",
    up: "↑",
    down: "↓",
    arrow: "──▶",
    cycle: "⇄",
    check_on: "■",
    check_off: "□",
    line: "─",
    pipe: "│",
    thumb: "┃",
};

pub(super) static ASCII: Symbols = Symbols {
    open: "o",
    paused: "=",
    completed: "v",
    blocked: "#",
    cancelled: "x",
    person: "?",
    working: "%",
    ready: ">",
    met: "+",
    unmet: "x",
    dot_full: "*",
    dot_half: "-",
    dot_empty: ".",
    warning: "!",
    bullet: "-",
    ellipsis: "~",
    bar: ">",
    opens: ">",
    drops: "v",
    up: "^",
    down: "v",
    arrow: "-->",
    cycle: "/",
    check_on: "#",
    check_off: "_",
    line: "-",
    pipe: "|",
    thumb: "#",
};
