//! A deck on a workspace of which nothing has been read yet.

use loopdeck::core::time::Timestamp;
use loopdeck::tui::app::{App, Setup};
use loopdeck::tui::msg::{Answer, Msg, ScreenClock, Workspace, Zone};
use loopdeck::tui::settings::Settings;

/// The deck, at a moment in milliseconds since 1970.
pub fn deck_at(now: i64) -> App {
    let clock = ScreenClock {
        now: Timestamp::from_millis(now),
        zone: Zone::Fixed(0),
        uptime: Timestamp::from_millis(0),
    };
    let (mut app, _) = App::new(Setup {
        settings: Settings::usual(),
        clock,
        folder: "/".into(),
        has_demo: false,
        draft: None,
        place: None,
        tour: false,
    });
    let workspace = Workspace {
        name: "bench".into(),
        root: "/".into(),
        read_only: None,
        problems: Vec::new(),
        importable: Vec::new(),
        created: false,
    };
    app.update(Msg::Answer(Answer::Opened(Ok(Box::new(workspace)))));
    app
}
