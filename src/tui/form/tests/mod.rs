//! Keys in, submissions out; pictures at the four sizes.

mod fixture;
mod keys;
mod pictures;
mod rules;
mod safety;
mod submissions;
