//! What a loop is bound to: plans and sequences are looked up before it is
//! decided (engine.md §6, bind).

use std::sync::Arc;

use super::api::{Error, Result};
use super::inner::{Engine, Inner};
use super::refs::measure;
use crate::core::loops::binding::{Sequence, parse_steps};
use crate::core::loops::decide::find_artifact;
use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::core::loops::model::Loop;
use crate::core::memory::Category;
use crate::core::text::with_article;

impl Inner {
    /// A sequence file with its steps, each plan looked up.
    pub fn sequence(&self, id: &LoopId, named: &Sequence) -> Result<Sequence> {
        let root = self.layout.root();
        let path = root.join(&named.path);
        let text = crate::store::plain::text(&path).map_err(|error| {
            Error::new("io", format!("the sequence {} cannot be read: {error}", named.path))
        })?;
        let reference = measure(root, &path)?.reference;
        let mut steps = parse_steps(&text)
            .map_err(|fault| Error::new("invalid_sequence", format!("{reference}: {fault}")))?;
        for step in &mut steps {
            step.plan = self.plan(id, &step.plan)?;
        }
        Ok(Sequence { path: reference, steps })
    }

    /// A plan by its whole name: a memory item of `plans`, a plan_draft of this
    /// loop or another, a file of the workspace.
    pub fn plan(&self, id: &LoopId, text: &str) -> Result<String> {
        let text = text.trim();
        if text.starts_with(ArtifactId::PREFIX) {
            let state = Arc::clone(&self.view(id)?.state);
            return Ok(plan_draft(&state, text)?.to_string());
        }
        if let Some((other, artifact)) = text.strip_prefix(LoopId::PREFIX).and_then(|rest| {
            rest.split_once('/')
                .map(|(digits, artifact)| (format!("{}{digits}", LoopId::PREFIX), artifact))
        }) {
            let named = LoopId::parse(&other)
                .map_err(|error| Error::new("loop_not_found", error.to_string()))?;
            let state = Arc::clone(&self.view(&named)?.state);
            return Ok(format!("{named}/{}", plan_draft(&state, artifact)?));
        }
        let snapshot = self.memory.read();
        if let Some(stored) = snapshot.get(text) {
            return match stored.item.category {
                Category::Plans => Ok(stored.item.id.to_string()),
                other => Err(not_a_plan(text, &format!("is of {other}, not of plans"))),
            };
        }
        let path = self.layout.root().join(text);
        if path.is_file() {
            return Ok(measure(self.layout.root(), &path)?.reference);
        }
        if text.starts_with(Category::Plans.id_prefix()) {
            return Err(not_a_plan(text, "is not there"));
        }
        Err(Error::new(
            "io",
            format!("{text:?} is no plan: name a memory item of plans, a plan_draft or a file"),
        ))
    }
}

fn not_a_plan(text: &str, why: &str) -> Error {
    Error::new("item_not_found", format!("the memory item {text} {why}"))
}

fn plan_draft<'a>(state: &'a Loop, text: &str) -> Result<&'a ArtifactId> {
    let artifact = find_artifact(state, text)?;
    if &*artifact.artifact_type == "plan_draft" {
        return Ok(&artifact.artifact_id);
    }
    Err(Error::new(
        "unknown_artifact",
        format!(
            "{} is {}, no plan_draft",
            artifact.artifact_id,
            with_article(&artifact.artifact_type)
        ),
    ))
}

impl Engine {
    /// A sequence file by its path, as bind takes it: below the workspace's root.
    ///
    /// # Errors
    /// `io`, `invalid_ref`.
    pub fn sequence_file(&self, path: &std::path::Path) -> Result<Sequence> {
        if !path.exists() {
            return Err(Error::new("io", format!("there is no sequence {}", path.display())));
        }
        let path = self.workspace_file(path)?.reference;
        Ok(Sequence { path, steps: Vec::new() })
    }
}
