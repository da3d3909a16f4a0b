//! The deck: the terminal interface (tui.md).

pub mod theme;
pub mod widget;
