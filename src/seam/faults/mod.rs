//! The seam of tests: points, plans, and a file system that obeys them.

pub mod fs;
mod plan;
mod point;
mod power;

pub use plan::{Plan, Rule, What, When};
pub use point::{Injected, Point, inject, pass};

#[cfg(test)]
mod tests;
