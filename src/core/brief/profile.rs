//! Profiles: a voice for a slot, and what of the memory it looks at (engine.md §8).

use serde::Deserialize;

use crate::core::loops::protocol::FilterItem;
use crate::core::memory::Category;
use crate::core::settings::position;
use crate::core::text::{has_visible, trim_invisible};

/// A voice that a slot may speak with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name, as `--slot critic@pessimist` gives it.
    pub name: String,
    /// What it looks at, within what the phase shows; absent = all of that.
    pub filter: Option<Vec<FilterItem>>,
    /// How it is to speak: one paragraph.
    pub instruction: String,
}

/// Why a profile file could not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ProfileError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

/// The keys of a profile file. Others are left for later versions.
#[derive(Deserialize)]
struct File {
    name: Option<String>,
    filter: Option<Vec<FilterItem>>,
    instruction: String,
}

impl Profile {
    /// The profiles that are always there.
    pub fn built_in() -> Vec<Profile> {
        let filter = |categories: &[Category]| {
            Some(categories.iter().map(|category| FilterItem::Category(*category)).collect())
        };
        vec![
            Profile {
                name: "champion".into(),
                filter: None,
                instruction: "Carry the proposal. Say plainly what it gains and for whom, take \
                    every objection seriously, change what does not hold, and keep what does. \
                    Name what you give up and why it is worth it."
                    .into(),
            },
            Profile {
                name: "simplifier".into(),
                filter: filter(&[
                    Category::Decisions,
                    Category::Constraints,
                    Category::Feedback,
                    Category::RuntimeNotes,
                    Category::Plans,
                    Category::ProjectVision,
                ]),
                instruction: "Look for what can be left out. For each part ask what would break \
                    without it; if nothing would, say so. Prefer what is there already over what \
                    would be new, and one way of doing a thing over two."
                    .into(),
            },
            Profile {
                name: "pessimist".into(),
                filter: filter(&[
                    Category::Traps,
                    Category::Feedback,
                    Category::RuntimeNotes,
                    Category::Constraints,
                    Category::Handoffs,
                ]),
                instruction: "Assume that this has failed, and tell how. Go by what has gone \
                    wrong here before and cite it. One failure a critique: what happens, what \
                    sets it off, who notices, and what it costs."
                    .into(),
            },
        ]
    }

    /// The profile that a file of `profiles/` describes.
    ///
    /// `file_name` is its name without `.toml`, which the profile bears if the
    /// file gives it no other.
    ///
    /// # Errors
    /// If the text is no TOML, has no instruction, or names an unknown or empty filter.
    pub fn parse(file_name: &str, text: &str) -> Result<Profile, ProfileError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let file: File = toml::from_str(text).map_err(|error| {
            let (line, column) = position(text, error.span().map_or(0, |span| span.start));
            ProfileError { line, column, message: error.message().to_owned() }
        })?;
        let wrong =
            |message: &str| Err(ProfileError { line: 1, column: 1, message: message.to_owned() });
        if !has_visible(&file.instruction) {
            return wrong("instruction is empty: say in a paragraph how the slot is to speak");
        }
        if file.filter.as_ref().is_some_and(Vec::is_empty) {
            return wrong("filter is empty: name categories, or leave it out to see them all");
        }
        let name = file.name.unwrap_or_else(|| file_name.to_owned());
        if !has_visible(&name) {
            return wrong("name is empty");
        }
        Ok(Profile {
            name: trim_invisible(&name).to_owned(),
            filter: file.filter,
            instruction: trim_invisible(&file.instruction).to_owned(),
        })
    }

    /// Those of a phase's categories that the profile looks at. Parts of the
    /// loop's own history are not the profile's to hide.
    pub fn within(&self, categories: &[Category]) -> Vec<Category> {
        let sees = |category: &Category| {
            self.filter.as_ref().is_none_or(|filter| {
                filter.iter().any(|item| {
                    *item == FilterItem::All || *item == FilterItem::Category(*category)
                })
            })
        };
        categories.iter().copied().filter(|c| !c.is_user() || sees(c)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_file_and_falls_back_to_its_name() {
        let text =
            "filter = [\"traps\"]\r\ninstruction = \"\"\"\nBe kind.\n\"\"\"\r\nlater = 1\r\n";
        let profile = Profile::parse("kind", text).expect("valid");
        assert_eq!(profile.name, "kind");
        assert_eq!(profile.instruction, "Be kind.");
        assert_eq!(
            profile.within(&[Category::Traps, Category::Feedback, Category::CritiqueHistory]),
            [Category::Traps, Category::CritiqueHistory]
        );
    }

    #[test]
    fn says_where_a_file_is_wrong() {
        let error = Profile::parse("x", "name = \"x\"\nfilter = [\"trap\"]\ninstruction = \"y\"")
            .expect_err("unknown category");
        assert_eq!(error.line, 2);
        assert!(error.message.contains("trap"), "{error}");
        assert_eq!(Profile::parse("x", "name = ").expect_err("cut off").line, 1);
        assert!(Profile::parse("x", "instruction = \" \"").is_err());
        assert!(Profile::parse("x", "instruction = \"y\"\nfilter = []").is_err());
    }

    #[test]
    fn every_built_in_has_a_voice() {
        let names: Vec<String> = Profile::built_in().into_iter().map(|p| p.name).collect();
        assert_eq!(names, ["champion", "simplifier", "pessimist"]);
        assert!(Profile::built_in().iter().all(|p| p.instruction.chars().count() <= 1_000));
    }

    #[test]
    fn positions_count_characters() {
        assert_eq!(position("a\nдб=", 6), (2, 3));
        assert_eq!(position("", 9), (1, 1));
    }
}
