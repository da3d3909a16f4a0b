//! Artifacts as they are given on the command line.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Args, FromArgMatches};

use crate::cli::args::pair;
use crate::cli::call::Call;
use crate::cli::errors::Result;
use crate::core::loops::command::{Body, Content, NewArtifact};
use crate::core::loops::ids::LoopId;
use crate::engine::Engine;

/// Where an artifact's content comes from; at most one of them.
#[derive(Clone, Debug, Default, Args)]
#[group(multiple = false)]
pub struct Source {
    /// The text (@FILE, - for standard input)
    #[arg(long, value_name = "TEXT")]
    pub body: Option<String>,
    /// A file of the workspace that it stands for
    #[arg(long = "ref", value_name = "PATH")]
    pub file: Option<PathBuf>,
    /// An earlier artifact whose content is filed again
    #[arg(long, value_name = "ARTIFACT")]
    pub from: Option<String>,
    /// The git diff of a range of commits, or of what is not committed yet
    #[arg(long, value_name = "REV..REV", num_args = 0..=1)]
    pub diff: Option<Option<String>>,
}

/// A source whose text was read, before anything was looked up: what is wrong
/// with the arguments themselves counts first.
#[derive(Clone, Debug)]
pub enum Given {
    /// Nothing.
    None,
    /// A text.
    Text(String),
    /// A file of the workspace.
    File(PathBuf),
    /// An earlier artifact.
    From(String),
    /// The git diff of a range, or of what is not committed yet.
    Diff(Option<String>),
}

impl Source {
    /// What was given; a text is read to the byte.
    pub fn read(&self, call: &Call) -> Result<Given> {
        Ok(match (&self.body, &self.file, &self.from) {
            (Some(body), ..) => Given::Text(call.text("body", body)?),
            (None, Some(path), _) => Given::File(path.clone()),
            (None, None, Some(artifact)) => Given::From(artifact.clone()),
            (None, None, None) => self.diff.clone().map_or(Given::None, Given::Diff),
        })
    }
}

impl Given {
    /// The content: files are looked at, ids are looked up.
    pub fn content(self, engine: &Engine, id: &LoopId) -> Result<Content> {
        Ok(match self {
            Given::None => Content::None,
            Given::Text(text) => Content::Body(text.into()),
            Given::Diff(range) => Content::Body(engine.git_diff(range.as_deref())?.into()),
            Given::File(path) => Content::File(engine.workspace_file(&path)?),
            Given::From(artifact) => {
                let artifact = engine.resolve_artifact(id, &artifact)?;
                Content::From { artifact, body: Body::default() }
            }
        })
    }
}

/// What an artifact says of others.
#[derive(Clone, Debug, Default, Args)]
pub struct Ties {
    /// The critiques that it answers
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub addresses: Vec<String>,
    /// A critique that it sets aside, and why (may be repeated)
    #[arg(long, value_name = "ID=REASON", value_parser = waived)]
    pub waive: Vec<(String, String)>,
    /// Memory ids or paths that it relies on
    #[arg(long, value_name = "M,N", value_delimiter = ',')]
    pub cites: Vec<String>,
}

impl Ties {
    /// The critiques that are set aside, with the reasons as texts.
    pub fn waives(&self, call: &Call) -> Result<BTreeMap<String, String>> {
        self.waive.iter().map(|(id, why)| Ok((id.clone(), call.text("waive", why)?))).collect()
    }
}

fn waived(text: &str) -> std::result::Result<(String, String), String> {
    pair("ID=REASON", text)
}

/// One artifact of several: `--type T` and the flags that follow it.
#[derive(Clone, Debug, Default)]
pub struct Piece {
    artifact_type: String,
    subtype: Option<String>,
    source: Source,
    ties: Ties,
}

/// A piece whose texts were read.
#[derive(Clone, Debug)]
pub struct ReadPiece {
    given: Given,
    artifact: NewArtifact,
}

impl Piece {
    /// Reads its texts.
    pub fn read(&self, call: &Call) -> Result<ReadPiece> {
        let artifact = NewArtifact {
            artifact_type: self.artifact_type.clone(),
            subtype: self.subtype.clone(),
            addresses: self.ties.addresses.clone(),
            waives: self.ties.waives(call)?,
            cites: self.ties.cites.clone(),
            ..NewArtifact::default()
        };
        Ok(ReadPiece { given: self.source.read(call)?, artifact })
    }
}

impl ReadPiece {
    /// The artifact: files are looked at, ids are looked up.
    pub fn artifact(self, engine: &Engine, id: &LoopId) -> Result<NewArtifact> {
        Ok(NewArtifact { content: self.given.content(engine, id)?, ..self.artifact })
    }
}

/// Several artifacts: each `--type` begins one, the flags after it belong to it.
#[derive(Clone, Debug, Default)]
pub struct Pieces(pub Vec<Piece>);

/// The flags of a piece, with their value names and help.
const FLAGS: &[(&str, &str, &str)] = &[
    ("type", "TYPE", "What it brought: begins an artifact, which the flags after it describe"),
    ("body", "TEXT", "The artifact's text (@FILE, - for standard input)"),
    ("ref", "PATH", "A file of the workspace that the artifact stands for"),
    ("from", "ARTIFACT", "An earlier artifact whose content is filed again"),
    ("subtype", "SUBTYPE", "The artifact's label, only on critiques"),
    ("addresses", "A,B", "The critiques that the artifact answers"),
    ("waive", "ID=REASON", "A critique that the artifact sets aside, and why"),
    ("cites", "M,N", "Memory ids or paths that the artifact relies on"),
];

impl Args for Pieces {
    fn augment_args(command: clap::Command) -> clap::Command {
        FLAGS.iter().fold(command, |command, (name, value, help)| {
            let arg = Arg::new(*name)
                .long(*name)
                .value_name(*value)
                .help(*help)
                .action(clap::ArgAction::Append);
            command.arg(if *name == "type" { arg } else { arg.requires("type") })
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Pieces {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let mut pieces = Vec::new();
        for (_, name, value) in in_order(matches) {
            if name == "type" {
                pieces.push(Piece { artifact_type: value, ..Piece::default() });
                continue;
            }
            let Some(piece) = pieces.last_mut() else {
                return Err(refused(format!("--{name} stands before the --type that it is for")));
            };
            piece.take(name, value).map_err(refused)?;
        }
        Ok(Self(pieces))
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &ArgMatches,
    ) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The flags as they stood on the command line.
fn in_order(matches: &ArgMatches) -> Vec<(usize, &'static str, String)> {
    let mut found = Vec::new();
    for (name, _, _) in FLAGS {
        let values = matches.get_many::<String>(name).into_iter().flatten();
        let places = matches.indices_of(name).into_iter().flatten();
        found.extend(places.zip(values).map(|(place, value)| (place, *name, value.clone())));
    }
    found.sort_by_key(|(place, ..)| *place);
    found
}

fn refused(sentence: String) -> clap::Error {
    clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, sentence + "\n")
}

impl Piece {
    fn take(&mut self, name: &str, value: String) -> std::result::Result<(), String> {
        let list = |value: &str| value.split(',').map(str::to_owned).collect::<Vec<_>>();
        let has_source =
            self.source.body.is_some() || self.source.file.is_some() || self.source.from.is_some();
        match name {
            "body" | "ref" | "from" if has_source => {
                return Err(format!(
                    "the {} has its content already: only one of --body, --ref, --from",
                    self.artifact_type
                ));
            }
            "subtype" if self.subtype.is_some() => {
                return Err(format!("the {} has its --subtype already", self.artifact_type));
            }
            "body" => self.source.body = Some(value),
            "ref" => self.source.file = Some(value.into()),
            "from" => self.source.from = Some(value),
            "subtype" => self.subtype = Some(value),
            "addresses" => self.ties.addresses.extend(list(&value)),
            "cites" => self.ties.cites.extend(list(&value)),
            "waive" => self.ties.waive.push(waived(&value)?),
            other => return Err(format!("--{other} describes no artifact")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(args: &[&str]) -> std::result::Result<Vec<Piece>, clap::Error> {
        let command = Pieces::augment_args(clap::Command::new("x"));
        let matches = command.try_get_matches_from([&["x"], args].concat())?;
        Ok(Pieces::from_arg_matches(&matches)?.0)
    }

    #[test]
    fn flags_belong_to_the_type_before_them() {
        let found = pieces(&[
            "--type",
            "critic_signal",
            "--type",
            "critique",
            "--body",
            "b",
            "--cites",
            "m,n",
            "--type=finding",
            "--body=c",
        ])
        .expect("well formed");
        assert_eq!(found.len(), 3);
        assert_eq!(found[0].source.body, None);
        assert_eq!(found[1].source.body.as_deref(), Some("b"));
        assert_eq!(found[1].ties.cites, ["m", "n"]);
        assert_eq!(
            (&*found[2].artifact_type, found[2].source.body.as_deref()),
            ("finding", Some("c"))
        );
    }

    #[test]
    fn a_flag_without_its_type_is_refused() {
        assert!(pieces(&["--body", "b"]).is_err());
        assert!(pieces(&["--body", "b", "--type", "x"]).is_err());
        assert!(pieces(&["--type", "x", "--body", "b", "--body", "c"]).is_err());
        assert!(pieces(&[]).expect("nothing is well formed").is_empty());
    }
}
