//! What a launch needs before it is crossed: the folder of its run, the brief,
//! and the job with its placeholders filled in.

use std::io::Write as _;
use std::path::Path;

use super::super::api::{Error, Result};
use super::super::inner::Engine;
use super::brief::Signature;
use crate::core::loops::attempt::{Attempt, Generation};
use crate::core::loops::ids::LoopId;
use crate::runner::worker::{WorkerJob, files};
use crate::seam::fs;
use crate::store;

impl Engine {
    /// Everything that the worker and later readers need, before the crossing.
    pub(super) fn bind(
        &self,
        id: &LoopId,
        attempt: &Attempt,
        generation: &Generation,
        nonce: &str,
        command: &[String],
    ) -> Result<Vec<String>> {
        let inner = &self.inner;
        let run_dir = inner.run_dir(id, generation);
        make_private_dir(&run_dir)?;
        let result = run_dir.join(files::RESULT);
        let brief_file = run_dir.join(files::BRIEF);
        let signature = Signature { run_id: &generation.run_id, nonce };
        let (brief, warnings) = self.worker_brief(id, attempt, &signature, &result)?;
        write_private(&brief_file, brief.as_bytes())?;
        let dir = match &generation.worktree {
            Some(tree) => inner.place_in(Path::new(&tree.path)),
            None => inner.layout.root().to_owned(),
        };
        let filled = filled(
            command,
            &[
                ("{brief_file}", &brief_file.to_string_lossy()),
                ("{run_dir}", &run_dir.to_string_lossy()),
                ("{result_file}", &result.to_string_lossy()),
                ("{workdir}", &dir.to_string_lossy()),
                ("{loop}", id.as_str()),
                ("{slot}", attempt.slot_id.as_str()),
                ("{phase}", &attempt.phase),
            ],
        );
        let on_stdin = !command.iter().any(|word| word.contains("{brief_file}"));
        let job = WorkerJob {
            argv: filled,
            dir,
            stdin: on_stdin.then_some(brief_file),
            redact: inner.settings.now().config.redact.clone(),
        };
        let text = serde_json::to_vec(&job).map_err(|e| Error::new("io", e.to_string()))?;
        write_private(&run_dir.join(files::JOB), &text)?;
        Ok(warnings)
    }
}

/// A command with its placeholders filled in, word by word: what is filled in is
/// never split and never looked at again.
fn filled(command: &[String], values: &[(&str, &str)]) -> Vec<String> {
    command.iter().map(|word| fill(word, values)).collect()
}

fn fill(word: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = word;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match values.iter().find(|(name, _)| rest.starts_with(name)) {
            Some((name, value)) => {
                out.push_str(value);
                rest = &rest[name.len()..];
            }
            None => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

fn make_private_dir(path: &Path) -> Result<()> {
    let failed = |source| Error::from(store::Error::write(path, source));
    fs::create_dir_all(path).map_err(failed)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(failed)?;
    }
    Ok(())
}

/// Writes a file that only its owner may read, and flushes it.
fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |source| Error::from(store::Error::write(path, source));
    let mut options = fs::OpenOptions::new();
    options.create(true).truncate(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_once_and_braces_stay() {
        let command = ["a", "{loop}:{slot}", "{\"x\": {loop}}", "{other}"].map(str::to_owned);
        let values = [("{loop}", "{slot}"), ("{slot}", "s p")];
        assert_eq!(filled(&command, &values), ["a", "{slot}:s p", "{\"x\": {slot}}", "{other}"]);
    }
}
