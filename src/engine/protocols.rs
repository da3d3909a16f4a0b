//! The protocols that a loop may be opened with: built in, or the workspace's.

use std::io;
use std::path::{Path, PathBuf};

use strum::IntoEnumIterator;

use super::api::{Error, OpenRequest, Problem, ProtocolInfo, Result};
use super::inner::{Engine, Inner};
use crate::core::loops::lint::{PRESETS, builtin, lint, parse_protocol, preset};
use crate::core::loops::protocol::{Kind, Protocol};
use crate::core::loops::refusal::Refusal;
use crate::core::text::nearest;
use crate::seam::fs;
use crate::store;

/// A protocol as it was found.
struct Found {
    name: String,
    kind: Kind,
    protocol: Protocol,
    from_workspace: bool,
}

impl Engine {
    /// The protocols that a loop may be opened with, and files that cannot be
    /// used. The workspace's own win over built-in ones of the same name.
    pub fn protocols(&self) -> (Vec<ProtocolInfo>, Vec<Problem>) {
        let (own, problems) = self.inner.own_protocols();
        let mut found: Vec<Found> = built_in();
        for one in own {
            match found.iter_mut().find(|f| f.name == one.name) {
                Some(place) => *place = one,
                None => found.push(one),
            }
        }
        (found.into_iter().map(info).collect(), problems)
    }
}

fn info(found: Found) -> ProtocolInfo {
    ProtocolInfo {
        lint: lint(found.kind, &found.protocol),
        phases: found.protocol.phases.iter().map(|phase| phase.name.clone()).collect(),
        name: found.name,
        kind: found.kind,
        from_workspace: found.from_workspace,
    }
}

fn built_in() -> Vec<Found> {
    let kinds = Kind::iter().map(|kind| Found {
        name: kind.to_string(),
        kind,
        protocol: builtin(kind),
        from_workspace: false,
    });
    let presets = PRESETS.iter().filter_map(|name| {
        let (kind, protocol) = preset(name)?;
        Some(Found { name: (*name).to_owned(), kind, protocol, from_workspace: false })
    });
    kinds.chain(presets).collect()
}

impl Inner {
    /// The workspace's own protocols and what is wrong with some.
    fn own_protocols(&self) -> (Vec<Found>, Vec<Problem>) {
        let folder = self.layout.protocols();
        let mut paths: Vec<PathBuf> = match fs::read_dir(&folder) {
            Ok(entries) => entries.filter_map(|e| Some(e.ok()?.path())).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                let error = Error::from(store::Error::read(&folder, error));
                return (Vec::new(), vec![error.problem(folder)]);
            }
        };
        paths.retain(|path| path.extension().is_some_and(|e| e == "toml"));
        paths.sort();
        let (mut found, mut problems) = (Vec::new(), Vec::new());
        for path in paths {
            match read(&path) {
                Ok(one) => found.push(one),
                Err(error) => problems.push(error.problem(path)),
            }
        }
        (found, problems)
    }

    /// The protocol that a new loop is to run by: that of the file or the
    /// preset that was named, else that of its kind.
    pub fn protocol_for(&self, request: &OpenRequest) -> Result<Protocol> {
        let (name, found) = match (&request.protocol_file, &request.preset) {
            (Some(path), _) => (path.display().to_string(), read(path)?),
            (None, Some(name)) => (name.clone(), self.named(name)?),
            (None, None) => match self.own_file(request.kind.as_ref()) {
                Some(path) => (request.kind.to_string(), read(&path)?),
                None => return Ok(builtin(request.kind)),
            },
        };
        if found.kind != request.kind {
            return Err(Refusal::new(
                "preset_kind_mismatch",
                format!("{name} makes loops of kind {}, not {}", found.kind, request.kind),
            )
            .detail("kind", found.kind.as_ref())
            .detail("wanted", request.kind.as_ref())
            .into());
        }
        let mut protocol = found.protocol;
        if request.protocol_file.is_none() {
            protocol.preset = request.preset.as_deref().map(Into::into);
        }
        Ok(protocol)
    }

    fn named(&self, name: &str) -> Result<Found> {
        if let Some(path) = self.own_file(name) {
            return read(&path);
        }
        let mut known = built_in();
        if let Some(at) = known.iter().position(|f| f.name == name) {
            return Ok(known.swap_remove(at));
        }
        let (own, _) = self.own_protocols();
        let names: Vec<String> = known.into_iter().chain(own).map(|f| f.name).collect();
        let hint = match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("there are: {}", names.join(", ")),
        };
        Err(Refusal::new("unknown_preset", format!("there is no preset {name:?}; {hint}"))
            .detail("given", name)
            .detail("known", names)
            .into())
    }

    /// The workspace's protocol file of a name, if there is one.
    fn own_file(&self, name: &str) -> Option<PathBuf> {
        let is_plain = !name.is_empty()
            && !name.starts_with('.')
            && !name.contains(|c: char| matches!(c, '/' | '\\' | ':') || c.is_control());
        let path = self.layout.protocols().join(format!("{name}.toml"));
        (is_plain && path.is_file()).then_some(path)
    }
}

fn read(path: &Path) -> Result<Found> {
    let text = store::plain::text(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => Error::from(
            Refusal::new("io", format!("there is no protocol file {}", path.display()))
                .detail("path", path.display().to_string())
                .step("or take a preset, or the kind's own", "loopdeck loop open --help"),
        ),
        _ => Error::from(store::Error::read(path, e)),
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let (kind, protocol) = parse_protocol(text).map_err(|reason| {
        Error::from(
            Refusal::new("invalid_protocol", format!("{}: {reason}", path.display()))
                .detail("path", path.display().to_string()),
        )
    })?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Found { name, kind, protocol, from_workspace: true })
}
