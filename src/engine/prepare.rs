//! What a command needs of the world before it is decided: long bodies in
//! files, referenced files measured, earlier artifacts looked up, cites checked.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use super::api::{Error, Result};
use super::inner::Inner;
use super::refs::measure;
use crate::core::loops::Command;
use crate::core::loops::attempt::AttemptCommand;
use crate::core::loops::command::{Body, Content, NewArtifact};
use crate::core::loops::ids::{LoopId, Name};
use crate::core::loops::model::{BodyFile, INLINE_CAP};
use crate::store::bodies;
use crate::store::layout::LoopFiles;

/// A command with all that the world adds to it.
pub(super) struct Prepared {
    /// The command.
    pub command: Command,
    /// The texts that are to stand in files.
    pub bodies: Vec<String>,
    /// Those of the cited names that exist.
    pub known_cites: BTreeSet<Name>,
}

impl Prepared {
    /// Puts the long texts into their files and flushes them.
    pub fn write_bodies(&self, files: &LoopFiles) -> Result<()> {
        for text in &self.bodies {
            bodies::write(&files.dir, text)?;
        }
        Ok(())
    }
}

impl Inner {
    /// Prepares a command on a loop. Writes nothing.
    pub fn prepare(&self, id: &LoopId, mut command: Command) -> Result<Prepared> {
        let mut bodies = Vec::new();
        for content in contents(&mut command) {
            self.prepare_content(id, content, &mut bodies)?;
        }
        if let Command::Link(change) = &mut command
            && let Some(session) = &mut change.session
        {
            *session = self.session_named(session)?;
        }
        if let Command::Bind { plans, sequence } = &mut command {
            for plan in plans {
                *plan = self.plan(id, plan)?;
            }
            if let Some(sequence) = sequence {
                *sequence = self.sequence(id, sequence)?;
            }
        }
        let mut known_cites = BTreeSet::new();
        for cite in cites(&mut command) {
            // The rules look at what is cited without the blanks around it.
            let name = cite.trim();
            if self.cite_exists(name) {
                known_cites.insert(Name::from(name));
            } else if let Some(full) = self.memory_id_of(name) {
                known_cites.insert(Name::from(&*full));
                *cite = full;
            }
        }
        Ok(Prepared { command, bodies, known_cites })
    }

    fn prepare_content(
        &self,
        id: &LoopId,
        content: &mut Content,
        bodies: &mut Vec<String>,
    ) -> Result<()> {
        match content {
            Content::Body(body) => bodies.extend(move_to_file(body)),
            Content::File(file) => {
                let root = self.layout.root();
                *file = measure(root, &root.join(&file.reference))?;
                self.refuse_own(file)?;
            }
            Content::From { artifact, body } => {
                let view = self.view(id)?;
                // Whether there is such an artifact is for the core to say.
                if let Some(head) = view.state.artifact(artifact.as_str()) {
                    body.text = self.body_of(id, &view, head)?;
                    body.file.clone_from(&head.body_file);
                    if body.file.is_none() {
                        bodies.extend(move_to_file(body));
                    }
                }
            }
            Content::None | Content::Object(_) => {}
        }
        Ok(())
    }

    /// Refuses a file of the program's own: what it says changes with the loop.
    fn refuse_own(&self, file: &BodyFile) -> Result<()> {
        let full = self.layout.root().join(&file.reference);
        let full = full.canonicalize().unwrap_or(full);
        let own = self.own_stores().into_iter().map(|own| own.canonicalize().unwrap_or(own));
        match own.into_iter().any(|own| full.starts_with(own)) {
            false => Ok(()),
            true => Err(Error::new(
                "invalid_ref",
                format!(
                    "{} is one of the program's own files: file what it says as a body, or a file \
                     of your work",
                    file.reference
                ),
            )),
        }
    }

    /// Whether a cited name is a memory item, a dream's insight or a path of the
    /// workspace.
    fn cite_exists(&self, name: &str) -> bool {
        self.memory.exists(name) || self.insight_exists(name) || self.path_exists(name)
    }

    fn path_exists(&self, name: &str) -> bool {
        // `src/lib.rs:12` cites a line of a file.
        let path = name.rsplit_once(':').map_or(name, |(path, line)| {
            if line.bytes().all(|b| b.is_ascii_digit() || b == b'-') { path } else { name }
        });
        let is_inside =
            |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        !path.is_empty()
            && Path::new(path).components().all(is_inside)
            && self.layout.root().join(path).exists()
    }
}

/// Gives a body over the inline cap its place in a file; its text then has to be
/// written there.
pub(super) fn move_to_file(body: &mut Body) -> Option<String> {
    (body.text.len() > INLINE_CAP).then(|| {
        body.file = Some(bodies::place(&body.text));
        body.text.clone()
    })
}

/// What a command's artifacts cite.
fn cites(command: &mut Command) -> Vec<&mut String> {
    match command {
        Command::AddArtifact(new) => new.cites.iter_mut().collect(),
        Command::CompleteTurn { artifacts, .. } => {
            artifacts.iter_mut().flat_map(|new| &mut new.cites).collect()
        }
        Command::Supersede { new, .. } => new.cites.iter_mut().flatten().collect(),
        Command::Attempt(AttemptCommand::Accept { evidence, .. }) => {
            evidence.artifacts.iter_mut().flat_map(|new| &mut new.cites).collect()
        }
        _ => Vec::new(),
    }
}

fn contents(command: &mut Command) -> Vec<&mut Content> {
    match command {
        Command::AddArtifact(new) => vec![&mut new.content],
        Command::Supersede { new, .. } => vec![&mut new.content],
        Command::CompleteTurn { artifacts, .. } => {
            artifacts.iter_mut().map(|new: &mut NewArtifact| &mut new.content).collect()
        }
        Command::Attempt(AttemptCommand::Accept { evidence, .. }) => {
            evidence.artifacts.iter_mut().map(|new| &mut new.content).collect()
        }
        _ => Vec::new(),
    }
}
