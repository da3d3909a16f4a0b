//! What lies over the screen: help, palette, texts in full, previews, forms.

use std::rc::Rc;

use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::core::loops::refusal::Would;
use crate::tui::action::{Context, Spec, actions};
use crate::tui::form::Form;
use crate::tui::msg::{Request, UndoLook};

use super::App;
use super::cursor::{Cursor, Wrapped};
use super::finder::{Finder, Line};
use super::found::Finding;
use super::looks::ThemeMenu;
use super::loops::Facet;
use super::sessions::SessionFacet;

/// A list of actions that is searched by typing.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// What was typed.
    pub line: Line,
    /// The row and the scroll.
    pub cursor: Cursor,
    /// Whether letters are words to look for; in the help they are keys first.
    pub typing: bool,
}

/// What a viewer shows.
#[derive(Clone, Debug)]
pub enum Viewed {
    /// An artifact in full; its body may still be on its way.
    Artifact(LoopId, ArtifactId),
    /// Gate, slots and stop of the loop in view.
    Why,
    /// The output of the verify command.
    Run,
    /// The rounds of the loop in view, side by side.
    Rounds,
    /// A text.
    Text(Rc<Wrapped>),
}

/// A text in full.
#[derive(Clone, Debug)]
pub struct Viewer {
    /// Its title.
    pub title: String,
    /// What it shows.
    pub viewed: Viewed,
    /// Where it is scrolled to.
    pub scroll: Cursor,
    /// The loop whose export it is, which can be saved.
    pub exports: Option<LoopId>,
}

/// Where an advance would go, waiting for a yes.
#[derive(Clone, Debug, PartialEq)]
pub struct AdvancePreview {
    /// Which loop.
    pub loop_id: LoopId,
    /// Its title.
    pub title: String,
    /// The phase that it leaves.
    pub from: String,
    /// The version that was looked at.
    pub version: u64,
    /// Where it goes.
    pub would: Would,
    /// Which round that is, in words.
    pub rounds: Option<String>,
    /// What else is worth knowing.
    pub warnings: Vec<String>,
    /// Set when the loop moved between the first look and the yes.
    pub moved: bool,
}

/// What an undo would take back, waiting for a yes.
#[derive(Clone, Debug)]
pub struct UndoPreview {
    /// Which loop.
    pub loop_id: LoopId,
    /// Its title.
    pub title: String,
    /// What would be different.
    pub look: UndoLook,
    /// Where the differences are scrolled to.
    pub scroll: Cursor,
}

/// A question with yes and no. No is the default.
#[derive(Clone, Debug, PartialEq)]
pub struct Confirm {
    /// What would be done to what.
    pub question: String,
    /// What follows from it.
    pub consequence: String,
    /// What a yes asks of the engine.
    pub request: Request,
}

/// What a yes to leaving asks for: nothing of the engine.
pub(super) fn leaving(workers: usize) -> Confirm {
    Confirm {
        question: format!(
            "Leave while {} at work?",
            if workers == 1 { "a worker is".to_owned() } else { format!("{workers} workers are") }
        ),
        consequence: "They go on without the deck; it finds them again.".to_owned(),
        request: Request::Leave,
    }
}

/// Something over the screen.
pub enum Overlay {
    /// Every action with its keys.
    Help(Search),
    /// Actions to run by name.
    Palette(Search),
    /// A text in full.
    Viewer(Viewer),
    /// Where an advance would go.
    Preview(Box<AdvancePreview>),
    /// Artifacts by what they say.
    Found(Box<Finding>),
    /// What an undo would take back.
    Undo(Box<UndoPreview>),
    /// A question.
    Confirm(Box<Confirm>),
    /// What is shown and what is left out.
    Facets(Cursor),
    /// The workers.
    Workers(Cursor),
    /// The themes.
    Themes(ThemeMenu),
    /// Command lines.
    CommandLog(Cursor),
    /// A form.
    Form(Box<Form>),
}

impl Overlay {
    /// Where the keyboard is while it is on top; none for a form, which has its
    /// own keys.
    pub fn context(&self) -> Option<Context> {
        Some(match self {
            Overlay::Help(search) if search.typing => Context::HelpSearch,
            Overlay::Help(_) => Context::Help,
            Overlay::Palette(_) => Context::Palette,
            Overlay::Viewer(_) => Context::Viewer,
            Overlay::Preview(_) => Context::Preview,
            Overlay::Undo(_) => Context::UndoPreview,
            Overlay::Found(_) => Context::Found,
            Overlay::Confirm(_) => Context::Confirm,
            Overlay::Facets(_) => Context::Facets,
            Overlay::Workers(_) => Context::Workers,
            Overlay::Themes(_) => Context::Themes,
            Overlay::CommandLog(_) => Context::CommandLog,
            Overlay::Form(_) => return None,
        })
    }
}

/// A row of the menu of facets.
#[derive(Clone, Debug, PartialEq)]
pub struct FacetRow {
    /// In words.
    pub label: String,
    /// Whether it is on.
    pub on: bool,
    /// How many there are of it.
    pub count: usize,
}

impl App {
    /// The rows of the help for what was typed: all actions, those that can't
    /// act now too.
    pub fn help_rows(&self, search: &Search) -> Vec<&'static Spec> {
        let finder = Finder::new(&search.line.text);
        actions()
            .filter(|spec| {
                let key = self.keys().any_key_in_words(spec.action);
                finder.score(&format!("{} {} {key}", spec.name, spec.help)).is_some()
            })
            .collect()
    }

    /// The rows of the menu of facets of the screen in view.
    pub fn facet_rows(&self) -> Vec<FacetRow> {
        if self.pane() == Context::Memory {
            let categories = crate::core::memory::Category::USER.iter();
            return categories
                .map(|category| FacetRow {
                    label: category.to_string(),
                    on: self.memory.categories.contains(category),
                    count: self.memory.count(*category),
                })
                .collect();
        }
        if self.pane() == Context::Events {
            let facets = self.events.facets().into_iter();
            return facets
                .map(|(facet, count)| FacetRow {
                    label: facet.label(),
                    on: self.events.only.contains(&facet),
                    count,
                })
                .collect();
        }
        if self.pane() == Context::Sessions {
            let facets = SessionFacet::all().into_iter();
            return facets
                .map(|facet| FacetRow {
                    label: facet.label(),
                    on: self.sessions.facets.contains(&facet),
                    count: self.sessions.count(&facet),
                })
                .collect();
        }
        Facet::all()
            .into_iter()
            .map(|facet| FacetRow {
                label: facet.label(),
                on: self.loops.facets.contains(&facet),
                count: self.loops.count(facet, self.now()),
            })
            .collect()
    }

    /// Turns the facet of a row on or off.
    pub(super) fn toggle_facet(&mut self, row: usize) {
        if self.pane() == Context::Memory {
            if let Some(category) = crate::core::memory::Category::USER.get(row) {
                self.memory.toggle(*category);
            }
        } else if self.pane() == Context::Events {
            self.events.toggle(row);
        } else if self.pane() == Context::Sessions {
            if let Some(facet) = SessionFacet::all().into_iter().nth(row) {
                self.sessions.toggle(facet);
            }
        } else if let Some(facet) = Facet::all().get(row) {
            self.loops.toggle(*facet, self.clock.now);
        }
    }

    /// Puts something over the screen.
    pub(super) fn open_overlay(&mut self, overlay: Overlay) {
        self.overlays.push(overlay);
    }
}
