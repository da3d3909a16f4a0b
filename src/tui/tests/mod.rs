//! The deck in one process: keys in, frames out, with the real engine on a
//! workspace in a temporary folder. The engine's threads are played by the test
//! itself, so nothing waits and nothing races.

mod dreams;
mod drive;
mod ends;
mod eyes;
mod frames;
mod keys;
mod mouse;
mod past;
mod random;
mod said;
mod sessions;
mod story;
mod workers;
