//! A deck in a pseudo-terminal, and the folder that it runs in. All use of the
//! terminal harness is here.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::mpsc;
use std::time::Duration;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use termlens::{Color, ExitStatus, Key, MouseMode, Screen, Terminal};

pub use termlens::Signal;

/// How long a screen may take: generous, for machines under load.
const PATIENCE: Duration = Duration::from_secs(15);

/// A folder of its own, with a home that nothing else uses.
pub struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    /// An empty folder.
    pub fn empty() -> Self {
        let place = Self { dir: tempfile::tempdir().expect("a temporary folder") };
        std::fs::create_dir_all(place.root()).expect("a folder");
        std::fs::create_dir_all(place.home()).expect("a folder");
        place
    }

    /// A workspace.
    pub fn workspace() -> Self {
        let place = Self::empty();
        place.run(&["init"]);
        place
    }

    /// The folder that everything runs in.
    pub fn root(&self) -> PathBuf {
        self.dir.path().join("my-app")
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// Where the person's state is kept.
    pub fn state(&self) -> PathBuf {
        self.home().join("state/loopdeck")
    }

    /// The environment: nothing of the machine's own.
    fn env(&self) -> Vec<(&'static str, String)> {
        let home = self.home().display().to_string();
        vec![
            ("HOME", home.clone()),
            ("XDG_CONFIG_HOME", format!("{home}/config")),
            ("XDG_STATE_HOME", format!("{home}/state")),
            ("XDG_CACHE_HOME", format!("{home}/cache")),
            ("XDG_DATA_HOME", format!("{home}/data")),
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("TMPDIR", home),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "xterm-256color".to_owned()),
        ]
    }

    /// Runs the command line.
    pub fn cli(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loopdeck"));
        command.args(args).current_dir(self.root()).env_clear().envs(self.env());
        command.output().expect("the program starts")
    }

    /// Runs the command line at a moment; its result.
    pub fn at(&self, now: &str, args: &[&str]) -> serde_json::Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loopdeck"));
        command.args(args).arg("--json").current_dir(self.root()).env_clear().envs(self.env());
        let output = command.env("LOOPDECK_NOW", now).output().expect("the program starts");
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        answer["result"].clone()
    }

    /// Runs the command line, which must do it; what it prints.
    pub fn run(&self, args: &[&str]) -> String {
        let output = self.cli(args);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {error}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// Runs the command line with `--json`; its result.
    pub fn json(&self, args: &[&str]) -> serde_json::Value {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let output = self.cli(&args);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("{args:?}: {error}: {}", String::from_utf8_lossy(&output.stdout))
        })
    }

    /// Opens a loop from the command line; its id.
    pub fn open_loop(&self, args: &[&str]) -> String {
        let args: Vec<&str> = ["loop", "open"].iter().chain(args).copied().collect();
        let answer = self.json(&args);
        answer["result"]["id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// Copies a folder into this one.
    pub fn copy_in(&self, from: &Path, to: &str) {
        let target = self.root().join(to);
        std::fs::create_dir_all(&target).expect("a folder");
        for entry in std::fs::read_dir(from).expect("the folder") {
            let entry = entry.expect("an entry");
            std::fs::copy(entry.path(), target.join(entry.file_name())).expect("a copy");
        }
    }

    /// Starts the deck at 120 × 36.
    pub fn deck(&self) -> Deck {
        self.deck_with(120, 36, &[])
    }

    /// Starts the deck at a size, with more in its environment.
    pub fn deck_with(&self, columns: u16, rows: u16, env: &[(&str, &str)]) -> Deck {
        self.start(&[], (columns, rows), env)
    }

    /// Starts the program with arguments, in a terminal of a size.
    pub fn start(&self, args: &[&str], (columns, rows): (u16, u16), env: &[(&str, &str)]) -> Deck {
        let terminal = Terminal::builder()
            .args(args)
            .size(columns, rows)
            .timeout(PATIENCE)
            .env_clear()
            .envs(self.env())
            .envs(env.iter().copied())
            .current_dir(self.root())
            .spawn(env!("CARGO_BIN_EXE_loopdeck"))
            .expect("the deck starts");
        Deck { terminal }
    }

    /// Starts the deck, waits until it has drawn a text, takes its terminal
    /// away, and waits for its end; its exit status.
    pub fn hang_up(&self, drawn: &str) -> u32 {
        let size = PtySize { rows: 36, cols: 120, ..PtySize::default() };
        let pair = native_pty_system().openpty(size).expect("a terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_loopdeck"));
        command.env_clear();
        command.cwd(self.root());
        self.env().into_iter().for_each(|(name, value)| command.env(name, value));
        let mut child = pair.slave.spawn_command(command).expect("the deck starts");
        drop(pair.slave);
        let mut killer = child.clone_killer();
        let (say, told) = mpsc::channel();
        let reader = pair.master.try_clone_reader().expect("a reader");
        let (drawn, ended) = (drawn.to_owned(), say.clone());
        std::thread::spawn(move || {
            // The reader goes with this thread, so that nothing holds the terminal.
            read_until(reader, &drawn);
            let _ = say.send(None);
        });
        let patient = |what: &str| {
            told.recv_timeout(PATIENCE).unwrap_or_else(|_| {
                let _ = killer.kill();
                panic!("waiting for {what}");
            })
        };
        let mut patient = patient;
        assert_eq!(patient("the first frame"), None);
        drop(pair.master);
        std::thread::spawn(move || {
            let status = child.wait().expect("it can be waited for");
            let _ = ended.send(Some(status.exit_code()));
        });
        patient("the end").expect("a status")
    }
}

/// Reads until a text has come by, as bytes between which no colour changes.
fn read_until(mut reader: Box<dyn Read + Send>, text: &str) {
    let mut seen = Vec::new();
    let mut buffer = [0; 4_096];
    while let Ok(count) = reader.read(&mut buffer) {
        seen.extend_from_slice(&buffer[..count]);
        let come = seen.windows(text.len()).any(|window| window == text.as_bytes());
        if come || count == 0 {
            return;
        }
    }
}

/// A running deck.
pub struct Deck {
    terminal: Terminal,
}

impl Deck {
    /// Waits until a condition on the screen holds.
    #[track_caller]
    pub fn until(&mut self, what: &str, condition: impl FnMut(&Screen) -> bool) {
        if let Err(error) = self.terminal.wait_until(condition) {
            panic!("waiting for {what}: {error}");
        }
    }

    /// Waits until the screen shows a text.
    #[track_caller]
    pub fn sees(&mut self, text: &str) -> &mut Self {
        self.until(text, |screen| screen.contains(text));
        self
    }

    /// Waits until the screen no longer shows a text.
    #[track_caller]
    pub fn sees_no(&mut self, text: &str) -> &mut Self {
        self.until(&format!("no {text}"), |screen| !screen.contains(text));
        self
    }

    /// Whether any cell has a colour.
    pub fn has_colours(&self) -> bool {
        let screen = self.screen();
        let mut cells = (0..screen.rows())
            .flat_map(|row| (0..screen.cols()).map(move |column| (row, column)))
            .filter_map(|(row, column)| screen.cell(row, column));
        cells.any(|c| c.style().fg != Color::Default || c.style().bg != Color::Default)
    }

    /// The screen as it is.
    pub fn screen(&self) -> Screen {
        self.terminal.screen()
    }

    /// The screen, once it stands still, as a picture with a name for those who can't
    /// see it. What the terminal's title says is left out: it is not on the screen.
    pub fn picture(&mut self, name: &str) -> String {
        self.stays_still(Duration::from_millis(150));
        let svg = in_cells(&self.screen().to_svg());
        match (svg.find("<title>"), svg.find("</title>")) {
            (Some(from), Some(to)) => format!("{}<title>{name}{}", &svg[..from], &svg[to..]),
            _ => svg,
        }
    }

    /// Types keys: `text<Enter><C-s>`. An Esc must be the last of a line, for
    /// with a key right behind it a terminal reads Alt.
    #[track_caller]
    pub fn keys(&mut self, keys: &str) -> &mut Self {
        let mut rest = keys;
        while let Some(c) = rest.chars().next() {
            let key = match rest.strip_prefix('<').and_then(|r| r.split_once('>')) {
                Some((name, after)) => {
                    rest = after;
                    named(name)
                }
                None => {
                    rest = &rest[c.len_utf8()..];
                    Key::Char(c)
                }
            };
            assert!(key != Key::Esc || rest.is_empty(), "an Esc in the middle of {keys:?}");
            self.terminal.send(key).expect("the deck reads its terminal");
        }
        self
    }

    /// Pastes a text, in brackets if the deck asked for them.
    pub fn paste(&mut self, text: &str) -> &mut Self {
        self.terminal.paste(text).expect("the deck reads its terminal");
        self
    }

    /// Gives the terminal another size.
    pub fn resize(&mut self, columns: u16, rows: u16) -> &mut Self {
        self.terminal.resize(columns, rows).expect("a size");
        self
    }

    /// Checks that nothing is drawn for a while in which nothing happens.
    #[track_caller]
    pub fn stays_still(&mut self, how_long: Duration) {
        // What was still being read, or a new minute, may come in between: not each time.
        let still = (0..5).any(|_| {
            let before = self.settled().repaints();
            self.terminal.wait_until_for(|screen| screen.repaints() > before, how_long).is_err()
        });
        assert!(still, "draws though nothing happens: {}", self.screen());
    }

    /// The screen once it has held still.
    fn settled(&mut self) -> Screen {
        match self.terminal.wait_stable(Duration::from_millis(200)) {
            Ok(screen) => screen,
            Err(error) => panic!("waiting for stillness: {error}"),
        }
    }

    /// Clicks on the first cell of a text.
    #[track_caller]
    pub fn clicks(&mut self, text: &str) -> &mut Self {
        self.sees(text);
        let (row, column) = self.settled().find(text).expect("seen above");
        self.terminal.click(column, row).expect("the deck reads the mouse");
        self
    }

    /// Sends a signal.
    pub fn signal(&mut self, signal: Signal) {
        self.terminal.signal(signal).expect("the deck runs");
    }

    /// Waits until the deck has ended; its exit status.
    #[track_caller]
    pub fn ends(&mut self) -> ExitStatus {
        match self.terminal.wait_exit() {
            Ok(status) => status,
            Err(error) => panic!("waiting for the end: {error}"),
        }
    }

    /// Checks that the terminal is as it was before the deck.
    #[track_caller]
    pub fn left_clean(&self) {
        let screen = self.screen();
        assert!(!screen.alternate_screen(), "still on the alternate screen");
        assert!(!screen.bracketed_paste(), "still brackets pastes");
        assert!(!screen.focus_events(), "still reports the focus");
        assert_eq!(screen.mouse_mode(), MouseMode::None, "still reports the mouse");
        assert!(screen.cursor_visible(), "the cursor is still hidden");
    }
}

fn named(name: &str) -> Key {
    match name {
        "Enter" => Key::Enter,
        "Tab" => Key::Tab,
        "S-Tab" => Key::BackTab,
        "Esc" => Key::Esc,
        "Space" => Key::Char(' '),
        "Up" => Key::Up,
        "Down" => Key::Down,
        "Left" => Key::Left,
        "Right" => Key::Right,
        "Back" => Key::Backspace,
        "F12" => Key::F(12),
        other => match other.strip_prefix("C-").and_then(|r| r.chars().next()) {
            Some(letter) => Key::Ctrl(letter),
            None => panic!("no key is called {other:?}"),
        },
    }
}

/// How wide a cell is in a picture.
const CELL: usize = 9;

/// The picture with the width of every run of text said, so that columns stay
/// columns whichever font the reader has.
fn in_cells(svg: &str) -> String {
    let mut out = String::new();
    for line in svg.lines() {
        let run = line.strip_prefix("<text ").and_then(|rest| rest.split_once('>'));
        match run.and_then(|(head, rest)| Some((head, rest.strip_suffix("</text>")?))) {
            Some((head, text)) => {
                let shown = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
                let wide = unicode_width::UnicodeWidthStr::width(&*shown.replace("&amp;", "&"));
                let said =
                    format!("textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", wide * CELL);
                out.push_str(&format!("<text {head} {said}>{text}</text>"));
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}
