//! The harness: an app, its engine, a fixed clock, and a screen of cells.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use tempfile::TempDir;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::core::loops::command::{Command, Content, NewArtifact, NewSlot, SlotSelector};
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::{Actor, Status};
use crate::core::loops::protocol::Kind;
use crate::core::memory::Category;
use crate::core::time::Timestamp;
use crate::engine::{
    Clock, DreamRequest, Engine, InitOptions, MemoryDraft, OpenRequest, Options, Write,
};
use crate::tui::app::place::Place;
use crate::tui::app::{App, Setup};
use crate::tui::form::Draft;
use crate::tui::msg::{Answer, Effect, Msg, Request, ScreenClock, Zone};
use crate::tui::runtime::queue::Queue;
use crate::tui::runtime::worker::{Job, Reader, Shared, Writer};
use crate::tui::settings::Settings;
use crate::tui::view;

/// 2026-03-01T12:00:00Z
pub const NOON: i64 = 1_772_366_400_000;

/// A deck on a workspace.
pub struct Deck {
    pub app: App,
    pub folder: TempDir,
    /// What was asked for outside the engine, newest last.
    pub effects: Vec<Effect>,
    terminal: Terminal<TestBackend>,
    reader: Reader,
    writer: Writer,
    then: Arc<Queue>,
    inbox: UnboundedReceiver<Msg>,
    shared: Shared,
}

/// A folder with a workspace in it, or without.
pub fn folder(with_workspace: bool) -> TempDir {
    let folder = tempfile::Builder::new().prefix("deck").tempdir().expect("a folder");
    if with_workspace {
        Engine::init(folder.path(), InitOptions::default()).expect("a workspace");
    }
    folder
}

/// The engine on a folder, on a clock that goes a minute ahead with each look.
pub fn engine(folder: &Path) -> Engine {
    let ticks = AtomicI64::new(0);
    let clock = Clock::new(move || {
        let minutes = ticks.fetch_add(1, Ordering::SeqCst);
        Timestamp::from_millis(NOON - 3_600_000 * 5 + minutes * 20_000)
    });
    Engine::open(Options { clock: Some(clock), ..options(folder) }).expect("an engine")
}

fn options(folder: &Path) -> Options {
    Options {
        workspace: Some(folder.to_path_buf()),
        seed: Some(7),
        unflushed: true,
        clock: Some(Clock::new(|| Timestamp::from_millis(NOON))),
        ..Options::default()
    }
}

impl Deck {
    /// A deck on a folder, 120 × 36, opened.
    pub fn on(folder: TempDir) -> Self {
        let options = options(folder.path());
        let mut deck = Self::unopened(folder, options);
        deck.settle();
        deck
    }

    /// The same, told to change nothing.
    pub fn read_only(folder: TempDir) -> Self {
        let options = Options { read_only: true, ..options(folder.path()) };
        let mut deck = Self::unopened(folder, options);
        deck.settle();
        deck
    }

    /// The same, beginning with the tour.
    pub fn on_tour(folder: TempDir) -> Self {
        let options = options(folder.path());
        let mut deck = Self::unopened(folder, options);
        deck.app.tour = Some(Default::default());
        deck.settle();
        deck
    }

    /// The same, where the person was somewhere before.
    pub fn back_at(folder: TempDir, place: Place) -> Self {
        let options = options(folder.path());
        let mut deck = Self::with_place(folder, options, Some(place));
        deck.settle();
        deck
    }

    /// The same, where something was being written when it ended.
    pub fn with_draft(folder: TempDir, draft: Draft) -> Self {
        let options = options(folder.path());
        let mut deck = Self::with_kept(folder, options, None, Some(draft));
        deck.settle();
        deck
    }

    fn unopened(folder: TempDir, options: Options) -> Self {
        Self::with_place(folder, options, None)
    }

    fn with_place(folder: TempDir, options: Options, place: Option<Place>) -> Self {
        Self::with_kept(folder, options, place, None)
    }

    fn with_kept(
        folder: TempDir,
        options: Options,
        place: Option<Place>,
        draft: Option<Draft>,
    ) -> Self {
        let (answers, inbox) = unbounded_channel();
        let shared = Shared::default();
        let logs = folder.path().join("logs");
        let then = Arc::new(Queue::default());
        let job = Job {
            options,
            folder: folder.path().to_path_buf(),
            demo: None,
            answers: answers.clone(),
            shared: shared.clone(),
            logs: logs.clone(),
        };
        let (app, effects) = App::new(Setup {
            settings: Settings::usual(),
            clock: clock(0),
            folder: "/repo/parcels".into(),
            has_demo: false,
            draft,
            place,
            tour: false,
        });
        let terminal = Terminal::new(TestBackend::new(120, 36)).expect("a screen");
        let reader = Reader { shared: shared.clone(), answers, logs };
        let writer = Writer::new(job, then.clone());
        let mut deck = Self {
            app,
            folder,
            effects: Vec::new(),
            terminal,
            reader,
            writer,
            then,
            inbox,
            shared,
        };
        deck.carry_out(effects);
        deck
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Ask(request) if request.resource().is_some() => self.reader.answer(request),
                Effect::Ask(Request::Dream { by_itself, progress, cancel }) => {
                    progress.say(1, 2);
                    self.draw();
                    let pace = |_, _| !cancel.is_cancelled();
                    let engine = self.engine();
                    let result = match by_itself {
                        true => engine.dream_if_due(&pace),
                        false => engine.dream_run(&DreamRequest::default(), &pace),
                    };
                    let result = result.map(|done| done.map(Box::new));
                    let answer = Answer::Dreamt { by_itself, result };
                    let effects = self.app.update(Msg::Answer(answer));
                    self.carry_out(effects);
                }
                Effect::Ask(request) => {
                    self.writer.answer(request);
                    while let Some(next) = self.next_read() {
                        self.reader.answer(next);
                    }
                }
                other => self.effects.push(other),
            }
        }
    }

    fn next_read(&self) -> Option<crate::tui::msg::Request> {
        self.then.try_next()
    }

    /// Takes in answers until there are no more. What the folder's watcher says
    /// of the deck's own writes changes nothing.
    pub fn settle(&mut self) {
        self.draw();
        while let Ok(msg) = self.inbox.try_recv() {
            if matches!(msg, Msg::Changed(_)) {
                continue;
            }
            let effects = self.app.update(msg);
            self.carry_out(effects);
            self.draw();
        }
    }

    /// Hands in a message and takes in what follows.
    pub fn send(&mut self, msg: Msg) {
        let effects = self.app.update(msg);
        self.carry_out(effects);
        self.settle();
    }

    /// Presses keys, by name: `enter`, `ctrl-s`, or single characters.
    pub fn press(&mut self, keys: &[&str]) {
        for key in keys {
            self.send(Msg::Key(key_event(key)));
        }
    }

    /// Presses keys faster than anything is answered.
    pub fn type_ahead(&mut self, keys: &[&str]) {
        let mut effects = Vec::new();
        for key in keys {
            effects.extend(self.app.update(Msg::Key(key_event(key))));
        }
        self.carry_out(effects);
        self.settle();
    }

    /// Types a text.
    pub fn write(&mut self, text: &str) {
        for c in text.chars() {
            self.send(Msg::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)));
        }
    }

    /// Takes another size.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.terminal = Terminal::new(TestBackend::new(columns, rows)).expect("a screen");
        let effects = self.app.update(Msg::Resize(columns, rows));
        self.carry_out(effects);
        self.draw();
    }

    /// Draws a frame.
    pub fn draw(&mut self) {
        self.terminal.draw(|frame| view::draw(&mut self.app, frame)).expect("a frame");
    }

    /// The screen as text, without spaces at the ends of lines.
    pub fn screen(&mut self) -> String {
        let cells = self.cells();
        let wide = usize::from(cells.area.width).max(1);
        let mut lines: Vec<String> = Vec::new();
        for row in cells.content().chunks(wide) {
            let mut line = String::new();
            let mut covered = 0;
            for cell in row {
                // The cells behind a wide character are covered by it.
                if covered == 0 {
                    line.push_str(cell.symbol());
                    covered = crate::tui::widget::text::width(cell.symbol());
                }
                covered = covered.saturating_sub(1);
            }
            lines.push(line.trim_end().to_owned());
        }
        lines.join("\n")
    }

    /// The cells of the screen.
    pub fn cells(&mut self) -> &ratatui::buffer::Buffer {
        self.draw();
        self.terminal.backend().buffer()
    }

    /// The deck's engine.
    pub fn engine(&self) -> Engine {
        self.shared.engine().expect("it is open")
    }
}

/// The screen's clock after some milliseconds.
pub fn clock(uptime: i64) -> ScreenClock {
    ScreenClock {
        now: Timestamp::from_millis(NOON),
        zone: Zone::Fixed(0),
        uptime: Timestamp::from_millis(uptime),
    }
}

/// A key by name.
pub fn key_event(name: &str) -> KeyEvent {
    let (modifiers, name) = match name.strip_prefix("ctrl-") {
        Some(rest) if !rest.is_empty() => (KeyModifiers::CONTROL, rest),
        _ => (KeyModifiers::NONE, name),
    };
    let code = match name {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "shift-tab" => KeyCode::BackTab,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "pgdn" => KeyCode::PageDown,
        "pgup" => KeyCode::PageUp,
        "backspace" => KeyCode::Backspace,
        "del" => KeyCode::Delete,
        "space" => KeyCode::Char(' '),
        one => KeyCode::Char(one.chars().next().expect("a key")),
    };
    KeyEvent::new(code, modifiers)
}

/// A workspace with six loops in different states and some memory.
pub fn filled() -> TempDir {
    let folder = folder(true);
    let engine = engine(folder.path());
    remember(&engine);
    stuck(&engine);
    let open = |kind, title: &str| {
        let done = engine.open_loop(&OpenRequest::new(kind, title), &Write::operator());
        done.expect("a loop").state.id.clone()
    };
    open(Kind::Implementation, "Move settings into TOML");
    let paused = open(Kind::Research, "Which retry policy fits the upstream API");
    let blocked = open(Kind::Debug, "Flaky build on the ARM runners 構築が不安定");
    let completed = open(Kind::Review, "Cache layout change");
    open(Kind::Ideation, "Adopt approach A or B for the file format");
    let reason = |text: &str| Some(text.to_owned());
    run(&engine, &paused, Command::Pause { reason: reason("waits for the vendor's answer") });
    let close = |status, reason| Command::Close { status, reason };
    run(&engine, &blocked, close(Status::Blocked, reason("no runner is free")));
    run(&engine, &completed, close(Status::Completed, None));
    folder
}

fn run(engine: &Engine, id: &LoopId, command: Command) {
    engine.execute(id, command, &Write::operator()).expect("it is allowed");
}

fn remember(engine: &Engine) {
    let items = [
        (Category::Traps, "Workers start with a cold cache", "Each restart costs four minutes."),
        (Category::Traps, "Retries without jitter arrive together", "See the outage of May."),
        (Category::Decisions, "One process, no broker", "A queue table is enough for us."),
        (Category::Constraints, "No new service before autumn", "Two people run all of it."),
        (Category::Feedback, "Plans forget the way back", "Reviewers asked for it three times."),
        (Category::ProjectVision, "Parcels arrive, people know when", "That is all of it."),
    ];
    for (category, title, text) in items {
        let draft = MemoryDraft {
            category: Some(category),
            title: Some(title.to_owned()),
            text: Some(text.to_owned()),
            ..MemoryDraft::default()
        };
        engine.memory_add(&draft).expect("an item");
    }
}

/// A loop in round two whose gate is shut, with an agent at work.
fn stuck(engine: &Engine) {
    let mut request = OpenRequest::new(Kind::Ideation, "Extract the dispatcher into a package");
    request.proposal =
        Some("Move the dispatcher out of the core, so it can be tested alone.".into());
    let slot = |role: &str, agent: Option<&str>| NewSlot {
        role: role.into(),
        agent: agent.map(Into::into),
        ..NewSlot::default()
    };
    request.slots = vec![slot("champion", None), slot("critic", Some("codex"))];
    let done = engine.open_loop(&request, &Write::operator()).expect("a loop");
    let id = done.state.id.clone();
    let agent = Write { actor: Actor::Agent("codex".into()), ..Write::operator() };
    let say = |kind: &str, subtype: Option<&str>, body: &str, write: &Write| {
        let artifact = NewArtifact {
            artifact_type: kind.into(),
            subtype: subtype.map(Into::into),
            content: Content::Body(body.into()),
            ..NewArtifact::default()
        };
        engine.execute(&id, Command::AddArtifact(artifact), write).expect("filed");
    };
    let advance = || Command::Advance { to: None, force: false, reason: None };
    run(engine, &id, advance());
    say("critique", Some("memory_conflict"), "Splitting drops the shared cache.", &agent);
    say("critique", Some("coverage_gap"), "No plan for the retry path.", &agent);
    say("critique", None, "Who owns the package?", &Write::operator());
    run(engine, &id, advance());
    say("revision", None, "The cache stays in the core and is handed over.", &Write::operator());
    run(engine, &id, advance());
    let turn = Command::Turn { slot: SlotSelector::Role("critic".into()), input: None };
    run(engine, &id, turn);
    say("critique", None, "A cache handed over lives as long as the core.", &agent);
    say("critique", None, "The tests stay where they were.", &agent);
    say("critique", None, "  ", &agent);
    let refused = engine.execute(&id, advance(), &Write::operator());
    assert_eq!(refused.map(|_| ()).map_err(|e| e.code()), Err("gate_unmet"));
}
