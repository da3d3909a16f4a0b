//! Templates of the workspace: what a new loop may start from.

use std::io;
use std::path::{Path, PathBuf};

use super::api::{Error, OpenRequest, Problem, Result};
use super::inner::{Engine, Inner};
use crate::core::loops::refusal::Refusal;
use crate::core::loops::template::{Template, parse};
use crate::core::text::{nearest, with_article};
use crate::seam::fs;
use crate::store;

impl Engine {
    /// The workspace's templates by name, and files that cannot be used.
    pub fn templates(&self) -> (Vec<Template>, Vec<Problem>) {
        let folder = self.inner.layout.templates();
        let mut paths: Vec<PathBuf> = match fs::read_dir(&folder) {
            Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                let error = Error::from(store::Error::read(&folder, error));
                return (Vec::new(), vec![error.problem(folder)]);
            }
        };
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
        paths.sort();
        let (mut found, mut problems) = (Vec::new(), Vec::new());
        for path in paths {
            match read(&path, &self.inner) {
                Ok(template) => found.push(template),
                Err(error) => problems.push(error.problem(path)),
            }
        }
        (found, problems)
    }

    /// Fills a request in from a template: what it leaves open. The kind is the
    /// request's own where one was chosen.
    ///
    /// # Errors
    /// `unknown_template`, with those that there are; `damaged`, `io` if its file
    /// can't be used; `invalid_kind` if it is for another kind.
    pub fn start_from(&self, name: &str, request: &mut OpenRequest, chosen: bool) -> Result<()> {
        let (known, problems) = self.templates();
        let Some(template) = known.iter().find(|template| template.name == name) else {
            return Err(missing(name, &known, problems));
        };
        match template.kind {
            Some(kind) if chosen && kind != request.kind => {
                let wanted = with_article(&format!("{} loop", request.kind));
                return Err(Error::new(
                    "invalid_kind",
                    format!("the template {name} is for {kind} loops, not for {wanted}"),
                ));
            }
            Some(kind) => request.kind = kind,
            None => {}
        }
        let Template { title, goal, domain, preset, verify, review_mode, slots, text, .. } =
            template.clone();
        if request.title.is_empty() {
            request.title = title.unwrap_or_default();
        }
        request.goal = request.goal.take().or(goal);
        request.domain = request.domain.take().or(domain);
        request.preset = request.preset.take().or(preset);
        request.verify = request.verify.take().or(verify);
        request.review_mode = request.review_mode.or(review_mode);
        request.proposal = request.proposal.take().or((!text.is_empty()).then_some(text));
        if request.slots.is_empty() {
            request.slots = slots;
        }
        Ok(())
    }
}

/// A template that leads out of the workspace would file somebody's own text.
fn read(path: &Path, inner: &Inner) -> Result<Template> {
    let root = fs::canonicalize(inner.layout.root()).into_iter().collect::<Vec<_>>();
    if store::plain::leads_out(path, &root) {
        let said = "is a link that leads out of the workspace, so it is not read";
        return Err(Error::new("io", format!("{} {said}", path.display())));
    }
    let text = store::plain::text(path).map_err(|error| store::Error::read(path, error))?;
    let damaged = |why: String| Error::new("damaged", format!("{}: {why}", path.display()));
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    parse(&name.unwrap_or_default(), &text).map_err(damaged)
}

fn missing(name: &str, known: &[Template], problems: Vec<Problem>) -> Error {
    let of_name = |path: &Path| path.file_stem().is_some_and(|stem| stem.to_string_lossy() == name);
    if let Some(problem) = problems.into_iter().find(|problem| of_name(&problem.path)) {
        return Error::new(problem.code, problem.message);
    }
    let names: Vec<&str> = known.iter().map(|template| template.name.as_str()).collect();
    let hint = match (nearest(name, names.iter().copied()), names.as_slice()) {
        (Some(near), _) => format!("did you mean {near}?"),
        (None, []) => "there are none: a Markdown file in .loopdeck/templates is one".to_owned(),
        (None, names) => format!("there are {}", names.join(", ")),
    };
    let refusal =
        Refusal::new("unknown_template", format!("there is no template {name:?}; {hint}"));
    refusal.detail("given", name).into()
}
