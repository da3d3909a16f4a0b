//! The person's own settings of the deck: `deck.toml`, `keys.toml` and
//! `themes/*.toml` in the user's folder. What can't be used is told with file and
//! line, and the default holds; nothing is ever written there.

mod deck;

use std::path::Path;

pub use crate::core::settings::Fault;
use crate::engine::{Engine, Options, Problem, UserFile};

use super::keymap::KeyMap;
use super::theme::{self, BUILT_IN, Colours, Glyphs, Theme};

pub use deck::{Habits, Mouse, Notify};

/// A theme by its name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTheme {
    /// The name: that of its file without `.toml`.
    pub name: String,
    /// The theme, as this terminal can show it.
    pub theme: Theme,
}

/// Everything that a person can set for the deck.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The keys that hold.
    pub keys: KeyMap,
    /// The themes there are, ours first.
    pub themes: Vec<NamedTheme>,
    /// Which of them is on.
    pub theme: usize,
    /// The rest of `deck.toml`.
    pub habits: Habits,
    /// What of the files is not followed.
    pub problems: Vec<Problem>,
}

impl Settings {
    /// What holds without any file, on a terminal with sixteen colours.
    pub fn usual() -> Self {
        Self::of(Files::default(), Colours::Ansi, Glyphs::Unicode)
    }

    /// Reads the user's files.
    pub fn load(options: &Options, env: impl Fn(&str) -> Option<String>) -> Self {
        let files = Files::read(&Engine::user_files(options));
        Self::of(files, Colours::detect(&env), Glyphs::detect(&env))
    }

    fn of(files: Files, colours: Colours, glyphs: Glyphs) -> Self {
        let mut problems = files.problems;
        let mut tell = |path: &Path, faults: Vec<Fault>| {
            problems.extend(faults.into_iter().map(|fault| problem(path, &fault)));
        };
        let keys = match &files.keys {
            Some(file) => {
                let (keys, faults) = KeyMap::with(&file.text);
                tell(&file.path, faults);
                keys
            }
            None => KeyMap::default(),
        };
        let mut habits = Habits::default();
        let mut deck_text = None;
        if let Some(file) = &files.deck {
            let (read, faults) = deck::parse(&file.text);
            tell(&file.path, faults);
            habits = read;
            deck_text = Some(file);
        }
        let glyphs = habits.glyphs.unwrap_or(glyphs);
        let mut themes: Vec<NamedTheme> = BUILT_IN
            .iter()
            .map(|(name, text)| NamedTheme {
                name: (*name).to_owned(),
                theme: theme::parse(text).0.shown_with(colours, glyphs),
            })
            .collect();
        for file in &files.themes {
            let (theme, faults) = theme::parse(&file.text);
            tell(&file.path, faults);
            let name = file.stem();
            themes.retain(|known| known.name != name);
            themes.push(NamedTheme { name, theme: theme.shown_with(colours, glyphs) });
        }
        let wanted = habits.theme.as_ref();
        let found = wanted.and_then(|(name, _)| themes.iter().position(|t| t.name == *name));
        if let (Some((name, at)), None, Some(file)) = (wanted, found, deck_text) {
            let known: Vec<&str> = themes.iter().map(|t| t.name.as_str()).collect();
            let said = format!("no theme is called {name}; there are {}", known.join(", "));
            tell(&file.path, vec![Fault::at(&file.text, *at, said)]);
        }
        Self { keys, theme: found.unwrap_or(0), themes, habits, problems }
    }

    /// The theme that is on.
    pub fn theme(&self) -> Theme {
        self.themes.get(self.theme).map(|named| named.theme.clone()).unwrap_or_default()
    }
}

fn problem(path: &Path, fault: &Fault) -> Problem {
    let Fault { line, column, message } = fault;
    Problem {
        path: path.to_owned(),
        code: "invalid_setting",
        message: format!("{}:{line}:{column}: {message}", path.display()),
    }
}

/// The files of the user's folder that concern the deck.
#[derive(Default)]
struct Files {
    keys: Option<UserFile>,
    deck: Option<UserFile>,
    themes: Vec<UserFile>,
    problems: Vec<Problem>,
}

impl Files {
    fn read(all: &[Result<UserFile, Problem>]) -> Self {
        let mut files = Self::default();
        for file in all {
            match file {
                Err(problem) => files.problems.push(problem.clone()),
                Ok(file) if file.name == "keys.toml" => files.keys = Some(file.clone()),
                Ok(file) if file.name == "deck.toml" => files.deck = Some(file.clone()),
                Ok(file) => files.themes.push(file.clone()),
            }
        }
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> Result<UserFile, Problem> {
        let path = Path::new("/home/dev/.config/loopdeck").join(name);
        Ok(UserFile { name: name.to_owned(), path, text: text.to_owned() })
    }

    fn settings(files: &[Result<UserFile, Problem>]) -> Settings {
        Settings::of(Files::read(files), Colours::True, Glyphs::Unicode)
    }

    #[test]
    fn a_theme_of_ones_own_is_found_by_its_file_name() {
        let mine = file("themes/mine.toml", "[styles]\nok = \"#00ff00\"\n");
        let settings = settings(&[file("deck.toml", "theme = \"mine\"\n"), mine]);
        assert_eq!(settings.problems, []);
        assert_eq!(settings.themes[settings.theme].name, "mine");
        assert_ne!(settings.theme().ok, Theme::default().ok);
    }

    #[test]
    fn every_fault_names_its_file_and_line_and_the_rest_holds() {
        let settings = settings(&[
            file("deck.toml", "mouse = \"off\"\ntheme = \"darkk\"\n"),
            file("keys.toml", "[gate]\nnothing = \"x\"\nadvance = \"+\"\n"),
            file("themes/mine.toml", "[styles]\nok = \"greenish\"\n"),
        ]);
        let said: Vec<&str> = settings.problems.iter().map(|p| p.message.as_str()).collect();
        assert_eq!(said.len(), 3, "{said:#?}");
        let has = |start: &str| said.iter().any(|s| s.contains(start));
        assert!(has("keys.toml:2:1: there is no action nothing"), "{said:#?}");
        assert!(has("mine.toml:2:6: \"greenish\""), "{said:#?}");
        assert!(has("deck.toml:2:9: no theme is called darkk; there are terminal, dark"));
        assert_eq!(settings.habits.mouse, Mouse::Off);
        assert_eq!(settings.theme, 0);
    }
}
