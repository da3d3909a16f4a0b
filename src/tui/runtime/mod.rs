//! The deck's runtime: the terminal, the event loop, the engine's threads.
//!
//! Everything that waits happens here and comes back as a message. All messages
//! that are there are taken in, then one frame is drawn, if something changed;
//! when nothing happens nothing is drawn and nothing wakes.

mod draft;
mod dream;
mod editor;
mod looks;
mod newest;
mod pager;
pub(in crate::tui) mod queue;
mod run;
mod sessions;
mod signals;
mod submit;
mod terminal;
pub(in crate::tui) mod worker;
mod workers;

use std::io::{self, IsTerminal, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use crossterm::event::{Event, EventStream, KeyCode, KeyEventKind};
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::core::time::Timestamp;
use crate::engine::{self, Engine};
use crate::tui::app::{App, Setup};
use crate::tui::kept::Kept;
use crate::tui::msg::{Answer, Call, EditPurpose, Effect, Msg, ScreenClock, Zone};
use crate::tui::settings::Settings;

use draft::Drafts;
use signals::Signals;
use terminal::Screen;
use worker::{Job, Shared, Workers};

/// The least time between two frames: 60 a second.
const FRAME: Duration = Duration::from_micros(16_600);

/// How long after the terminal came back an interrupt is another's.
const ECHO: Duration = Duration::from_millis(250);

/// Makes the demo workspace; its root.
pub type DemoMaker = Arc<dyn Fn() -> engine::Result<PathBuf> + Send + Sync>;

/// How the deck is started.
#[derive(Clone, Default)]
pub struct RunOptions {
    /// How the engine is opened.
    pub engine: engine::Options,
    /// Makes the demo, if it can be offered outside a workspace.
    pub demo: Option<DemoMaker>,
    /// Whether the deck begins with the tour.
    pub tour: bool,
}

/// Why the deck could not run, or ended before it was told to.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Standard input or output is no terminal.
    #[error(
        "the deck needs a terminal for its input and output: run it in one, or use `loopdeck status`"
    )]
    NotATerminal,
    /// The terminal failed.
    #[error("the terminal can't be used: {0}")]
    Terminal(#[from] io::Error),
    /// The terminal went away, or a signal ended the deck.
    #[error("the deck was ended by {name}")]
    Ended {
        /// What ended it.
        name: &'static str,
        /// The exit status that says so, 128 + the signal's number.
        status: u8,
    },
}

/// Runs the deck until the person quits.
///
/// # Errors
/// See [`Error`]. The terminal is given back in every case.
pub fn run(options: RunOptions) -> Result<(), Error> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(Error::NotATerminal);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(Deck::run(options));
    // A reader that the terminal left hanging must not keep the program.
    runtime.shutdown_background();
    result
}

/// What became of the deck after a message.
enum Go {
    On,
    Quit,
}

struct Deck {
    app: App,
    screen: Screen,
    events: Option<EventStream>,
    inbox: UnboundedReceiver<Msg>,
    workers: Workers,
    shared: Shared,
    signals: Signals,
    drafts: Drafts,
    started: Instant,
    /// The moment before which no frame is drawn.
    next_frame: Instant,
    /// Whether what the screen is about has been read.
    is_read: bool,
    dirty: bool,
    suspend: bool,
    /// When the terminal was last taken back.
    back: Option<Instant>,
}

impl Deck {
    async fn run(options: RunOptions) -> Result<(), Error> {
        let paths = Engine::paths(&options.engine);
        let logs = paths.state.join("logs");
        terminal::install_panic_hook(logs.clone());
        let signals = Signals::new()?;
        let folder = std::env::current_dir().unwrap_or_default();
        let workspace = paths.workspace.as_deref().unwrap_or(&folder);
        let kept = Kept::of(&paths.state, workspace);
        let drafts = Drafts::new(kept.clone());
        let shared = Shared::default();
        let started = Instant::now();
        let mut settings = Settings::load(&options.engine, |name| std::env::var(name).ok());
        let place = kept.read_place().unwrap_or_else(|problem| {
            settings.problems.push(problem);
            None
        });
        let (app, effects) = App::new(Setup {
            settings,
            clock: clock(&shared, started),
            folder: folder.clone(),
            has_demo: options.demo.is_some(),
            draft: None,
            place: place.filter(|_| !options.tour),
            tour: options.tour,
        });
        let mut screen = Screen::take(app.mouse)?;
        let mut app = app;
        // The first frame, before anything is read.
        screen.draw(&mut app)?;
        let (answers, inbox) = unbounded_channel();
        signals::watch_hang_up(answers.clone());
        let workers = Workers::start(Job {
            options: options.engine,
            folder,
            demo: options.demo,
            answers,
            shared: shared.clone(),
            logs,
        })?;
        app.draft = drafts.left().unwrap_or_else(|problem| {
            app.settings.problems.push(problem);
            None
        });
        let mut deck = Self {
            app,
            screen,
            events: Some(EventStream::new()),
            inbox,
            workers,
            shared,
            signals,
            drafts,
            started,
            next_frame: Instant::now() + FRAME,
            is_read: false,
            dirty: false,
            suspend: false,
            back: None,
        };
        deck.carry_out(effects)?;
        let result = deck.turn().await;
        // The terminal first: nobody should wait for it.
        drop(deck.screen);
        deck.workers.end_runs();
        if result.is_ok() {
            deck.workers.finish();
            if deck.app.loops.loaded {
                // What can't be written is not kept: nobody is to be held up by it.
                draft::write(&kept.place, &deck.app.place());
            }
        }
        result
    }

    /// The event loop.
    async fn turn(&mut self) -> Result<(), Error> {
        loop {
            let frame = self.dirty.then_some(self.next_frame);
            let tick = self.app.next_tick().map(Duration::from_millis);
            tokio::select! {
                biased;
                signal = self.signals.next() => {
                    match signal {
                        Some(ended) if self.was_for_another(&ended) => {}
                        Some(ended) => return Err(ended),
                        None => self.go_on()?,
                    }
                }
                event = next_event(&mut self.events) => {
                    let event = event.ok_or(signals::GONE)?.map_err(|_| signals::GONE)?;
                    if let Go::Quit = self.take_in(message(event))? {
                        return Ok(());
                    }
                }
                msg = self.inbox.recv() => {
                    let Some(msg) = msg else { return Ok(()) };
                    if let Go::Quit = self.take_in(Some(msg))? {
                        return Ok(());
                    }
                }
                () = until(frame) => {}
                () = after(tick) => {
                    if let Go::Quit = self.take_in(Some(Msg::Tick))? {
                        return Ok(());
                    }
                }
            }
            if let Go::Quit = self.drain().await? {
                return Ok(());
            }
            self.suspend_if_asked().await?;
            self.draw_if_due()?;
        }
    }

    /// Takes in all that is there already, so that one frame shows it all.
    async fn drain(&mut self) -> Result<Go, Error> {
        // A storm of messages must not keep a frame from being drawn.
        let until = Instant::now() + FRAME;
        while Instant::now() < until {
            let event = event_at_hand(&mut self.events).await;
            let msg = match event {
                Some(None) | Some(Some(Err(_))) => return Err(signals::GONE),
                Some(Some(Ok(event))) => match message(event) {
                    Some(msg) => msg,
                    None => continue,
                },
                None => match self.inbox.try_recv() {
                    Ok(msg) => msg,
                    Err(_) => break,
                },
            };
            if let Go::Quit = self.take_in(Some(msg))? {
                return Ok(Go::Quit);
            }
        }
        Ok(Go::On)
    }

    fn take_in(&mut self, msg: Option<Msg>) -> Result<Go, Error> {
        let Some(msg) = msg else { return Ok(Go::On) };
        if matches!(msg, Msg::HungUp) {
            return Err(signals::GONE);
        }
        if matches!(msg, Msg::Resize(..)) {
            // A terminal forgets what it had to cut off. Of sizes that come and
            // go between two frames, the drawing itself would not know.
            self.screen.repaint().map_err(|_| signals::GONE)?;
        }
        self.app.clock = clock(&self.shared, self.started);
        // The list follows an opened workspace within milliseconds: a frame of its
        // own would only make the list wait for the next one's time.
        self.dirty |= !matches!(msg, Msg::Answer(Answer::Opened(Ok(_))));
        let effects = self.app.update(msg);
        if !self.is_read && self.app.is_read() {
            // What was waited for is shown at once: no time has to pass after the
            // empty frame.
            self.is_read = true;
            self.next_frame = Instant::now();
        }
        self.carry_out(effects)
    }

    fn draw_if_due(&mut self) -> Result<(), Error> {
        if !self.dirty || Instant::now() < self.next_frame {
            return Ok(());
        }
        self.app.clock = clock(&self.shared, self.started);
        // A terminal that can't be written to has gone.
        self.screen.draw(&mut self.app).map_err(|_| signals::GONE)?;
        self.next_frame = Instant::now() + FRAME;
        self.dirty = false;
        Ok(())
    }

    fn carry_out(&mut self, effects: Vec<Effect>) -> Result<Go, Error> {
        for effect in effects {
            match effect {
                Effect::Ask(request) => self.workers.ask(request),
                Effect::Copy(text) => copy(&text)?,
                Effect::CaptureMouse(on) => self.screen.capture_mouse(on)?,
                Effect::Repaint => self.screen.repaint()?,
                Effect::Call(call) => call_out(&call)?,
                Effect::KeepDraft(draft) => self.drafts.keep(draft),
                Effect::Page(text) => {
                    self.release();
                    let result = pager::read(&text);
                    self.take_back()?;
                    if let Err(reason) = result {
                        let purpose = EditPurpose::Look;
                        self.app.update(Msg::Edited { purpose, result: Err(reason) });
                    }
                }
                Effect::Suspend => self.suspend = true,
                Effect::Edit { purpose, text } => {
                    self.release();
                    let result = editor::edit(&text);
                    self.take_back()?;
                    let effects = self.app.update(Msg::Edited { purpose, result });
                    if let Go::Quit = self.carry_out(effects)? {
                        return Ok(Go::Quit);
                    }
                }
                Effect::Quit => return Ok(Go::Quit),
            }
        }
        Ok(Go::On)
    }

    /// Gives the terminal away, and reads nothing from it meanwhile.
    fn release(&mut self) {
        self.events = None;
        self.screen.leave();
    }

    fn take_back(&mut self) -> Result<(), Error> {
        // A hang-up also wakes what was stopped: then there is no terminal left.
        self.screen.enter().map_err(|_| signals::GONE)?;
        self.events = Some(EventStream::new());
        self.dirty = true;
        self.back = Some(Instant::now());
        Ok(())
    }

    /// Whether a signal was meant for the program that had the terminal: Ctrl-C goes
    /// to all that run in it, and the deck hears of it only afterwards.
    fn was_for_another(&self, ended: &Error) -> bool {
        matches!(ended, Error::Ended { name: signals::INTERRUPT, .. })
            && self.back.is_some_and(|back| back.elapsed() < ECHO)
    }

    /// Goes to the background, if that was asked for, and comes back.
    async fn suspend_if_asked(&mut self) -> Result<(), Error> {
        if !std::mem::take(&mut self.suspend) {
            return Ok(());
        }
        self.release();
        self.signals.stop().await;
        self.take_back()
    }

    /// After a stop from outside the terminal is in modes that nobody knows.
    fn go_on(&mut self) -> Result<(), Error> {
        self.release();
        self.take_back()
    }
}

/// The moment and the zone that are shown.
fn clock(shared: &Shared, started: Instant) -> ScreenClock {
    let uptime = i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX);
    ScreenClock { now: shared.now(), zone: Zone::Wall, uptime: Timestamp::from_millis(uptime) }
}

async fn next_event(events: &mut Option<EventStream>) -> Option<io::Result<Event>> {
    match events {
        Some(events) => events.next().await,
        None => std::future::pending().await,
    }
}

/// The event that is there already, if one is.
///
/// Asked with the loop's own waker: the stream keeps the waker that it was
/// first asked with and wakes no other.
async fn event_at_hand(events: &mut Option<EventStream>) -> Option<Option<io::Result<Event>>> {
    let events = events.as_mut()?;
    std::future::poll_fn(|cx| match events.poll_next_unpin(cx) {
        Poll::Ready(event) => Poll::Ready(Some(event)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}

async fn after(wait: Option<Duration>) {
    match wait {
        Some(wait) => tokio::time::sleep(wait).await,
        None => std::future::pending().await,
    }
}

/// Panics on F12 in debug builds whose environment asks for it: how tests see
/// that a panic gives the terminal back.
fn panic_if_asked(event: &Event) {
    let asked = || std::env::var_os("LOOPDECK_TEST_PANIC").is_some();
    let f12 = matches!(event, Event::Key(key) if key.code == KeyCode::F(12));
    assert!(!(cfg!(debug_assertions) && f12 && asked()), "asked to panic");
}

/// A terminal's event as a message; none for what means nothing.
fn message(event: Event) -> Option<Msg> {
    panic_if_asked(&event);
    match event {
        Event::Key(key) if key.kind == KeyEventKind::Release => None,
        Event::Key(key) => Some(Msg::Key(key)),
        Event::Mouse(mouse) => match mouse.kind {
            crossterm::event::MouseEventKind::Moved => None,
            _ => Some(Msg::Mouse(mouse)),
        },
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(columns, rows) => Some(Msg::Resize(columns, rows)),
        Event::FocusGained => Some(Msg::Focus(true)),
        Event::FocusLost => Some(Msg::Focus(false)),
    }
}

/// Rings, and tells the desktop by OSC 9; the text has no control characters.
fn call_out(call: &Call) -> io::Result<()> {
    let mut out = io::stdout();
    if let Some(text) = &call.desktop {
        write!(out, "\x1b]9;loopdeck: {text}\x1b\\")?;
    }
    if call.bell {
        out.write_all(b"\x07")?;
    }
    out.flush()
}

fn copy(text: &str) -> io::Result<()> {
    crossterm::execute!(
        io::stdout(),
        crossterm::clipboard::CopyToClipboard::to_clipboard_from(text)
    )
}
