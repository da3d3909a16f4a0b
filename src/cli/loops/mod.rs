//! `loopdeck loop …`: one file a group of verbs.

mod amend;
mod artifacts;
mod brief;
mod coverage;
mod events;
mod export;
mod follow;
mod keep;
mod list;
mod log;
mod moves;
pub(super) mod open;
mod pieces;
mod questions;
mod reply;
mod rounds;
mod search;
mod show;
mod time;
mod turns;
mod verify;
pub(super) mod view;
mod why;

use clap::Subcommand;

use super::call::{Answer, Call};
use super::errors::Result;

/// The verbs on loops.
#[derive(Debug, Subcommand)]
pub enum LoopVerb {
    /// Open a loop
    Open(Box<open::OpenArgs>),
    /// List loops, newest change first
    List(list::ListArgs),
    /// Show a loop, or one of its artifacts in full
    Show(show::ShowArgs),
    /// What happened, oldest first
    Log(log::LogArgs),
    /// Why the gate is shut, and what would open it
    Why(why::WhyArgs),
    /// What a slot would read
    Brief(brief::BriefArgs),
    /// File an artifact
    Add(artifacts::AddArgs),
    /// Take an artifact back; it stays readable and counts no more
    Retract(artifacts::RetractArgs),
    /// Put a new version in an artifact's place
    Supersede(artifacts::SupersedeArgs),
    /// Set a critique aside, with a reason
    Waive(artifacts::WaiveArgs),
    /// Give a slot its turn
    Turn(turns::TurnArgs),
    /// End a turn, with what it brought
    Complete(turns::CompleteArgs),
    /// Leave the phase
    Advance(moves::AdvanceArgs),
    /// Ask the operator something
    Ask(questions::AskArgs),
    /// Answer a question
    Answer(questions::AnswerArgs),
    /// Hold the loop
    Pause(moves::PauseArgs),
    /// Go on with a held loop
    Resume(moves::ResumeArgs),
    /// End the loop by hand
    Close(moves::CloseArgs),
    /// Take a closed loop up again
    Reopen(moves::ReopenArgs),
    /// Change title, goal, domain, verify command, rounds or slots
    Amend(amend::AmendArgs),
    /// Tie the loop to plans, sequences or the loop that it follows
    Link(amend::LinkArgs),
    /// Artifacts of all loops by what they say
    Search(search::SearchArgs),
    /// The loop as Markdown for a pull request, or as JSON
    Export(export::ExportArgs),
    /// Say what an implementation carries out, and go on to it
    Bind(amend::BindArgs),
    /// Which critiques are answered
    Coverage(coverage::CoverageArgs),
    /// What each round brought, side by side
    Rounds(rounds::RoundsArgs),
    /// Run the loop's verify command and file its report
    Verify(verify::VerifyArgs),
    /// Take the newest change back, or all since a moment
    Undo(time::UndoArgs),
    /// Take the last undo back
    Redo(time::RedoArgs),
    /// Begin a new loop where this one was at some moment
    Fork(time::ForkArgs),
    /// What is different between two moments
    Diff(time::DiffArgs),
    /// Make an artifact a memory item
    Promote(keep::PromoteArgs),
    /// Say how good the work in a phase was: a reward record of your own
    Rate(keep::RateArgs),
    /// Put the loop away
    Archive(keep::ArchiveArgs),
    /// Take the loop out again
    Unarchive(keep::ArchiveArgs),
}

/// Carries out a verb on loops.
pub fn run(call: &Call, verb: LoopVerb) -> Result<Answer> {
    match verb {
        LoopVerb::Open(args) => open::run(call, &args),
        LoopVerb::List(args) => list::run(call, &args),
        LoopVerb::Show(args) => show::run(call, &args),
        LoopVerb::Log(args) => log::run(call, &args),
        LoopVerb::Why(args) => why::run(call, &args),
        LoopVerb::Brief(args) => brief::run(call, &args),
        LoopVerb::Add(args) => artifacts::add(call, &args),
        LoopVerb::Retract(args) => artifacts::retract(call, &args),
        LoopVerb::Supersede(args) => artifacts::supersede(call, &args),
        LoopVerb::Waive(args) => artifacts::waive(call, &args),
        LoopVerb::Turn(args) => turns::turn(call, &args),
        LoopVerb::Complete(args) => turns::complete(call, &args),
        LoopVerb::Advance(args) => moves::advance(call, &args),
        LoopVerb::Ask(args) => questions::ask(call, &args),
        LoopVerb::Answer(args) => questions::answer(call, &args),
        LoopVerb::Pause(args) => moves::pause(call, &args),
        LoopVerb::Resume(args) => moves::resume(call, &args),
        LoopVerb::Close(args) => moves::close(call, &args),
        LoopVerb::Reopen(args) => moves::reopen(call, &args),
        LoopVerb::Amend(args) => amend::amend(call, &args),
        LoopVerb::Link(args) => amend::link(call, &args),
        LoopVerb::Search(args) => search::run(call, &args),
        LoopVerb::Export(args) => export::run(call, &args),
        LoopVerb::Bind(args) => amend::bind(call, &args),
        LoopVerb::Coverage(args) => coverage::run(call, &args),
        LoopVerb::Rounds(args) => rounds::run(call, &args),
        LoopVerb::Verify(args) => verify::run(call, &args),
        LoopVerb::Undo(args) => time::undo(call, &args),
        LoopVerb::Redo(args) => time::redo(call, &args),
        LoopVerb::Fork(args) => time::fork(call, &args),
        LoopVerb::Diff(args) => time::between(call, &args),
        LoopVerb::Promote(args) => keep::promote(call, &args),
        LoopVerb::Rate(args) => keep::rate(call, &args),
        LoopVerb::Archive(args) => keep::archive(call, &args),
        LoopVerb::Unarchive(args) => keep::unarchive(call, &args),
    }
}
