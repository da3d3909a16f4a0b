//! Small parts that screens and forms are made of.

pub mod chart;
pub mod text;
