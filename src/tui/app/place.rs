//! Where a person was: kept when the deck ends, and gone back to when it begins.

use serde::{Deserialize, Serialize};

use crate::core::loops::ids::LoopId;
use crate::tui::action::Context;
use crate::tui::msg::Effect;

use super::detail::{PANES, Tab};
use super::loops::Sort;
use super::{App, Screen};

/// Where a person was. What a later version doesn't know is passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Place {
    /// The screen, by name.
    pub screen: String,
    /// The chosen loop.
    pub loop_id: Option<LoopId>,
    /// Whether the keyboard was in its detail.
    pub in_detail: bool,
    /// The tab of the detail, by name.
    pub tab: String,
    /// The pane of the overview, by name.
    pub pane: String,
    /// The words of the loops' filter.
    pub filter: String,
    /// The order of the loops, by name.
    pub sort: String,
    /// The theme, where it was chosen in the deck.
    pub theme: Option<String>,
}

impl App {
    /// Where the person is now.
    pub fn place(&self) -> Place {
        let screen: &str = self.screen.into();
        let tab: &str = self.detail.tab.into();
        let sort: &str = self.loops.sort.into();
        let worn = self.settings.themes.get(self.settings.theme);
        Place {
            screen: screen.to_owned(),
            loop_id: self.loop_id(),
            in_detail: self.in_detail,
            tab: tab.to_owned(),
            pane: self.detail.pane.name(),
            filter: self.loops.finder.words().to_owned(),
            sort: sort.to_owned(),
            theme: worn.filter(|_| self.theme_chosen).map(|named| named.name.clone()),
        }
    }

    /// Puts on the theme that was chosen, before anything is drawn.
    pub(super) fn wear_again(&mut self, place: &Place) {
        let named = |at: &&String| self.settings.themes.iter().position(|t| t.name == **at);
        if let Some(at) = place.theme.as_ref().and_then(|name| named(&name)) {
            self.wear(at);
            self.theme_chosen = true;
        }
    }

    /// Goes back to where the person was, once the workspace is open.
    pub(super) fn go_back_to(&mut self, place: &Place) -> Vec<Effect> {
        let now = self.clock.now;
        self.loops.sort = place.sort.parse().unwrap_or(Sort::default());
        self.loops.filter(&place.filter, now);
        if let Some(id) = &place.loop_id {
            self.loops.choose(id, now);
            self.in_detail = place.in_detail;
            self.detail.tab = place.tab.parse().unwrap_or(Tab::default());
            let pane = PANES.iter().find(|pane| pane.name() == place.pane);
            self.detail.pane = pane.copied().unwrap_or(Context::Gate);
        }
        self.go_to(place.screen.parse().unwrap_or(Screen::default()))
    }
}
