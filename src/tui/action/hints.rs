//! Which actions the hint line names.

use super::{Action, Context as C, Context};

/// The actions that the hint line of a context names, the most wanted first.
pub fn hints(context: Context) -> &'static [Action] {
    use Action as A;
    match context {
        C::Start => &[A::MakeWorkspace, A::OpenDemo, A::Help, A::Quit],
        C::Loops => &[
            A::Enter,
            A::NewLoop,
            A::AddArtifact,
            A::Advance,
            A::Turn,
            A::Complete,
            A::Why,
            A::Brief,
            A::Undo,
            A::TimeTravel,
            A::Filter,
            A::Facets,
            A::Sort,
            A::ImportMemory,
        ],
        C::Gate => {
            &[A::Advance, A::AddArtifact, A::Why, A::Turn, A::Complete, A::Force, A::Undo, A::Brief]
        }
        C::Slots => &[A::Turn, A::Complete, A::Advance, A::AddArtifact, A::Undo, A::Why],
        C::Next => &[A::Enter, A::Advance, A::AddArtifact, A::Turn, A::Complete, A::Undo, A::Why],
        C::Artifacts => &[
            A::Enter,
            A::AddArtifact,
            A::PrevRound,
            A::NextRound,
            A::Edit,
            A::Copy,
            A::Advance,
            A::Why,
        ],
        C::Journal => {
            &[A::Enter, A::Undo, A::Redo, A::TimeTravel, A::Advance, A::AddArtifact, A::Copy]
        }
        C::AllArtifacts => {
            &[A::Enter, A::AddArtifact, A::PrevRound, A::NextRound, A::Edit, A::Copy, A::NextTab]
        }
        C::Brief => &[A::Copy, A::Edit, A::NextTab, A::Advance, A::AddArtifact],
        C::Coverage => &[A::Enter, A::AddArtifact, A::Edit, A::Copy, A::NextTab, A::Advance],
        C::Time => &[
            A::MomentBefore,
            A::MomentAfter,
            A::RoundBefore,
            A::RoundAfter,
            A::MarkMoment,
            A::Fork,
            A::Enter,
            A::NextPane,
            A::Back,
        ],
        C::Memory => &[
            A::Enter,
            A::ImportMemory,
            A::AddMemory,
            A::Edit,
            A::Filter,
            A::Facets,
            A::Sort,
            A::Copy,
        ],
        C::MemoryText => &[A::Edit, A::Copy, A::AddMemory, A::ImportMemory],
        C::Events => &[A::Enter, A::Filter, A::Facets, A::SearchArtifacts, A::Copy],
        C::Viewer => &[A::Copy, A::Edit, A::Back],
        C::Preview | C::UndoPreview => &[A::Enter, A::Back],
        C::Confirm => &[A::Yes, A::Back],
        C::Facets => &[A::Enter, A::Back],
        C::CommandLog => &[A::Copy, A::Back],
        C::Help | C::Palette | C::Found => &[A::Enter, A::Back],
        C::Filter => &[A::Enter, A::Back],
    }
}
