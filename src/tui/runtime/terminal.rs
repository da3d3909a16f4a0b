//! The terminal: taken with every mode that the deck needs, and always given
//! back with every one of them undone.

use std::io::{self, Stdout, Write};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste,
    EnableFocusChange, EnableMouseCapture,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    SetTitle, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use crate::tui::app::App;
use crate::tui::view;

/// Whether the terminal is ours now; for the panic hook, which may run anywhere.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Keeps and gives back the window's title (xterm's title stack).
const KEEP_TITLE: &str = "\x1b[22;2t";
const OLD_TITLE: &str = "\x1b[23;2t";

/// The terminal while the deck has it. Dropping it gives it back.
pub(super) struct Screen {
    /// Never dropped: its own drop prints where the cursor can't be shown, and
    /// printing to a terminal that is gone panics. All it does, `give_back` does.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<Stdout>>>,
    mouse: bool,
    title: String,
}

impl Screen {
    /// Takes the terminal.
    pub fn take(mouse: bool) -> io::Result<Self> {
        // Size and cursor are asked for only once raw mode is on.
        enter(mouse)?;
        let terminal = Terminal::new(CrosstermBackend::new(io::stdout())).inspect_err(|_| {
            give_back();
        })?;
        Ok(Self { terminal: ManuallyDrop::new(terminal), mouse, title: String::new() })
    }

    /// Takes the terminal again after [`Screen::leave`]; everything is drawn anew.
    pub fn enter(&mut self) -> io::Result<()> {
        enter(self.mouse)?;
        self.title.clear();
        self.repaint()
    }

    /// Gives the terminal back for a while.
    pub fn leave(&self) {
        give_back();
    }

    /// Forgets what is on the screen, so that every cell is drawn.
    ///
    /// By way of a resize, for `clear` asks the terminal where the cursor is,
    /// and the answer would go to the reader of events.
    pub fn repaint(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.terminal.resize(size.into())
    }

    /// Captures the mouse, or leaves it to the terminal.
    pub fn capture_mouse(&mut self, on: bool) -> io::Result<()> {
        self.mouse = on;
        if on {
            execute!(io::stdout(), EnableMouseCapture)
        } else {
            execute!(io::stdout(), DisableMouseCapture)
        }
    }

    /// Draws a frame, which terminals that can show at once.
    pub fn draw(&mut self, app: &mut App) -> io::Result<()> {
        queue!(io::stdout(), BeginSynchronizedUpdate)?;
        let title = app.window_title();
        if title != self.title {
            queue!(io::stdout(), SetTitle(&title))?;
            self.title = title;
        }
        self.terminal.draw(|frame| view::draw(app, frame))?;
        execute!(io::stdout(), EndSynchronizedUpdate)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn enter(mouse: bool) -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    let mut out = io::stdout();
    queue!(
        out,
        crossterm::style::Print(KEEP_TITLE),
        EnterAlternateScreen,
        EnableBracketedPaste,
        EnableFocusChange
    )
    .inspect_err(|_| give_back())?;
    if mouse {
        queue!(out, EnableMouseCapture)?;
    }
    queue!(out, cursor::Hide)?;
    out.flush()
}

/// Undoes every mode; harmless if none is on. Errors are of no use here: what
/// can be undone is.
pub(super) fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout();
    let _ = queue!(
        out,
        EndSynchronizedUpdate,
        DisableMouseCapture,
        DisableFocusChange,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        cursor::Show,
        crossterm::style::Print(OLD_TITLE),
    );
    let _ = out.flush();
    let _ = disable_raw_mode();
}

/// Makes a panic give the terminal back first, write a report to the log
/// folder, and say where it is. In the engine's threads, whose panics come back
/// as answers, it only writes the report.
pub(super) fn install_panic_hook(logs: PathBuf) {
    std::panic::set_hook(Box::new(move |info| {
        let worker = std::thread::current()
            .name()
            .is_some_and(|name| name.starts_with(super::worker::THREADS));
        if !worker {
            give_back();
        }
        let report = format!(
            "loopdeck {}\n{info}\n\n{}\n",
            env!("CARGO_PKG_VERSION"),
            std::backtrace::Backtrace::force_capture()
        );
        let written = write_report(&logs, &report);
        if worker {
            return;
        }
        let said = match written {
            Ok(path) => format!("The report is in {}", path.display()),
            Err(error) => {
                format!("No report could be written to {}: {error}\n{info}", logs.display())
            }
        };
        // Not eprintln: where stderr is gone it would panic again, and abort.
        let _ = writeln!(
            io::stderr(),
            "loopdeck: a fault in the program ended the deck; your loops are as they were. {said}"
        );
    }));
}

fn write_report(logs: &Path, report: &str) -> io::Result<PathBuf> {
    std::fs::create_dir_all(logs)?;
    let name = format!("panic-{}.txt", chrono::Utc::now().format("%Y%m%dT%H%M%S%3f"));
    let path = logs.join(name);
    std::fs::write(&path, report)?;
    Ok(path)
}
