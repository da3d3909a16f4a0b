//! The deck: the terminal interface (tui.md).

pub mod form;
pub mod theme;
pub mod widget;
