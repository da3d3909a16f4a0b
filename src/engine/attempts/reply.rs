//! Reading a worker's reply with care: it was written by somebody else.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::super::inner::Inner;
use super::faults;
use crate::core::loops::attempt::{Evidence, Proof, ReviewVerdict};
use crate::core::loops::command::{Body, Content, NewArtifact};
use crate::core::loops::event::Outcome;
use crate::core::loops::model::BodyFile;
use crate::core::text::sha256_hex;
use crate::core::time::Timestamp;
use crate::runner::Redactor;
use crate::runner::worker::files;
use crate::store;
use crate::store::plain::{self, Links};

/// Bytes that a reply has at most.
pub(super) const MAX_BYTES: u64 = 1024 * 1024;

/// The reply as a worker writes it (attempts.md, "Verbs").
#[derive(Debug, Deserialize)]
struct Written {
    turn_id: String,
    run_id: String,
    nonce: String,
    #[serde(default)]
    outcome: Outcome,
    artifact_type: Option<String>,
    body: Option<String>,
    #[serde(default)]
    artifacts: Vec<WrittenArtifact>,
    review_verdict: Option<ReviewVerdict>,
    review_summary: Option<String>,
    summary: Option<String>,
}

#[derive(Debug, Deserialize)]
struct WrittenArtifact {
    #[serde(alias = "type")]
    artifact_type: String,
    subtype: Option<String>,
    body: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    #[serde(default, alias = "addresses")]
    addresses_critique: Vec<String>,
    #[serde(default)]
    waives: BTreeMap<String, String>,
    #[serde(default)]
    cites: Vec<String>,
}

/// What stands where a reply is looked for.
pub(super) enum Found {
    /// Nothing.
    Nothing,
    /// A reply.
    Reply(PathBuf, Box<Evidence>),
    /// Something that is none: why, and a hash of it.
    Bad {
        /// Where.
        path: PathBuf,
        /// Why it is none.
        why: String,
        /// What tells it from others.
        sha256: String,
    },
}

/// Looks for a reply in some folders; the first that is there counts.
pub(super) fn look(folders: &[&Path], redactor: &Redactor) -> Found {
    for folder in folders {
        let path = folder.join(files::RESULT);
        let Ok(metadata) = path.symlink_metadata() else { continue };
        return match read(&path) {
            Ok(bytes) => {
                let sha256 = sha256_hex(&bytes);
                match parse(&bytes, &sha256, redactor) {
                    Ok(evidence) => Found::Reply(path, Box::new(evidence)),
                    Err(why) => Found::Bad { path, why: placed(&why), sha256 },
                }
            }
            Err(why) => {
                let identity =
                    format!("{} {} {:?}", path.display(), metadata.len(), metadata.modified());
                let why = placed(&why);
                Found::Bad { path, why, sha256: sha256_hex(identity.as_bytes()) }
            }
        };
    }
    Found::Nothing
}

/// Why a file is no reply, with its name, and where its form is told.
fn placed(why: &str) -> String {
    format!("{}: {why} (the brief shows how a reply is written)", files::RESULT)
}

/// Reads a file that is no link, also where one was put there a moment ago. Twice, if
/// need be: what is told here turns a result away for good, and a disk may fail for a
/// moment only.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    let once = || plain::read_up_to(path, MAX_BYTES, Links::Refuse);
    once().or_else(|_| once()).map_err(|error| match error.kind() {
        ErrorKind::InvalidInput => error.to_string(),
        _ => format!("it cannot be read: {error}"),
    })
}

/// Reads a worker's reply as a harvest does, without looking whether anybody waits
/// for it.
///
/// # Errors
/// Why it is none, in words.
pub fn read_reply(bytes: &[u8]) -> Result<Evidence, String> {
    parse(bytes, &sha256_hex(bytes), &Redactor::default())
}

fn parse(bytes: &[u8], sha256: &str, redactor: &Redactor) -> Result<Evidence, String> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let written = written(bytes)?;
    let clean = |text: String| redactor.redacted(text.into());
    let mut artifacts = Vec::new();
    if let (Some(kind), body) = (written.artifact_type, written.body) {
        artifacts.push(NewArtifact {
            artifact_type: kind,
            content: body.map_or(Content::None, |body| Content::Body(Body::from(clean(body)))),
            ..NewArtifact::default()
        });
    }
    for one in written.artifacts {
        artifacts.push(NewArtifact {
            content: content(one.body.map(clean), one.reference)?,
            artifact_type: one.artifact_type,
            subtype: one.subtype,
            phase: None,
            round: None,
            addresses: one.addresses_critique,
            waives: one.waives,
            cites: one.cites,
        });
    }
    Ok(Evidence {
        turn_id: written.turn_id,
        proof: Proof { run_id: written.run_id, nonce: written.nonce },
        outcome: written.outcome,
        artifacts,
        verdict: written.review_verdict,
        review_summary: written.review_summary.map(clean),
        summary: written.summary.map(clean),
        failure: None,
        sha256: sha256.to_owned(),
        integrated: false,
        found_in: None,
    })
}

/// Reads the object, each fault by its place.
fn written(bytes: &[u8]) -> Result<Written, String> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| faults::of_syntax(bytes, &error))?;
    if let Err(what) = faults::of_reply(&value) {
        return Err(match line_of_fault(bytes, &what) {
            Some(line) => format!("line {line}: {what}"),
            None => what,
        });
    }
    // Every fault of form was told above: what is left is the reader's own.
    serde_json::from_value(value).map_err(|error| format!("it is not as wanted: {error}"))
}

/// The line where the reader of the bytes meets the field that a fault names first.
fn line_of_fault(bytes: &[u8], what: &str) -> Option<usize> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = serde_path_to_error::deserialize::<_, Written>(&mut reader);
    let error = read.err()?;
    let path = error.path().to_string();
    // Of a field that is missing the reader knows the object alone.
    let is_it = what.starts_with(&path) || path == ".";
    is_it.then(|| error.into_inner().line())
}

fn content(body: Option<String>, reference: Option<String>) -> Result<Content, String> {
    match (body, reference) {
        (Some(_), Some(_)) => Err("an artifact has a body or a ref, not both".to_owned()),
        (Some(body), None) => Ok(Content::Body(Body::from(body))),
        (None, Some(path)) => {
            let inside = |part: Component<'_>| matches!(part, Component::Normal(_));
            if path.is_empty() || !Path::new(&path).components().all(inside) {
                return Err(format!("the ref {path:?} leads out of the workspace"));
            }
            let file = BodyFile { reference: path, byte_count: 0, sha256: String::new() };
            Ok(Content::File(file))
        }
        (None, None) => Ok(Content::None),
    }
}

impl Inner {
    /// Puts a reply that was turned away into the quarantine.
    pub(super) fn quarantine_reply(
        &self,
        run: &str,
        path: &Path,
        now: Timestamp,
    ) -> store::Result<PathBuf> {
        self.quarantine().part("replies").take_as(path, &format!("{run}.json"), now)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn bad(dir: &Path) -> String {
        match look(&[dir], &Redactor::default()) {
            Found::Bad { why, .. } => why,
            Found::Reply(..) => panic!("a reply"),
            Found::Nothing => panic!("nothing"),
        }
    }

    #[test]
    fn what_is_no_reply_is_said_to_be_none() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join(files::RESULT);
        assert!(matches!(look(&[dir.path()], &Redactor::default()), Found::Nothing));
        let ids = r#""turn_id":"t","run_id":"r","nonce":"n""#;
        for (text, said) in [
            ("", "LANE-RESULT.json: it is empty"),
            ("not json", "line 1, column 2: it is not written as JSON is"),
            (r#"{"turn_id":"t","run_id":"r","#, "line 1, column 28: it ends in the middle"),
            ("{\"turn_id\":\"t\"\n\"run_id\":\"r\"}", "line 2, column 1: a comma or"),
            ("{\"turn_id\":\"a\nb\"}", "line 2, column 0: a text holds a line break"),
            (r#"{"turn_id":"t","run_id":"r"}"#, "line 1: nonce is missing"),
            ("[]", "it is a list, but has to be an object"),
            (r#"["t","r","n"]"#, "it is a list, but has to be an object"),
            (
                &format!(r#"{{{ids},"artifacts":[["critique"]]}}"#),
                "artifacts[0] is a list, but has to be an object",
            ),
            (
                &format!("{{{ids},\n\"artifacts\":[\n{{\"type\":\"x\",\n\"body\":3}}]}}"),
                "line 4: artifacts[0].body is a number, but has to be a text",
            ),
            (
                &format!(r#"{{{ids},"artifacts":[{{"type":"x","waives":{{"art_1":[]}}}}]}}"#),
                "artifacts[0].waives[\"art_1\"] is a list, but has to be a text",
            ),
            (&format!(r#"{{{ids},"artifacts":{{}}}}"#), "artifacts is an object, but has to be a"),
            (
                &format!(r#"{{{ids},"outcome":"maybe"}}"#),
                "outcome is \"maybe\", but has to be one of done, failed, cancelled",
            ),
            (
                &format!(
                    r#"{{{ids},"artifacts":[{{"artifact_type":"x","ref":"../../etc/passwd"}}]}}"#
                ),
                "leads out",
            ),
            (
                &format!(r#"{{{ids},"artifacts":[{{"artifact_type":"x","ref":"/etc/passwd"}}]}}"#),
                "leads out",
            ),
        ] {
            fs::write(&path, text).expect("written");
            let why = bad(dir.path());
            assert!(why.contains(said), "{text}: {why}");
            assert!(why.starts_with("LANE-RESULT.json: "), "{why}");
        }
        fs::write(&path, vec![b' '; MAX_BYTES as usize + 1]).expect("written");
        assert!(bad(dir.path()).contains("longer than 1 MiB"));
        fs::remove_file(&path).expect("removed");
        fs::create_dir(&path).expect("made");
        assert!(bad(dir.path()).contains("no regular file"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let good =
            r#"{"turn_id":"t","run_id":"r","nonce":"n","artifact_type":"critique","body":"b"}"#;
        fs::write(dir.path().join("elsewhere.json"), good).expect("written");
        let path = dir.path().join(files::RESULT);
        std::os::unix::fs::symlink("elsewhere.json", &path).expect("linked");
        assert!(bad(dir.path()).contains("is a link"));
        fs::remove_file(&path).expect("removed");
        fs::write(&path, good).expect("written");
        let Found::Reply(_, evidence) = look(&[dir.path()], &Redactor::default()) else {
            panic!("no reply")
        };
        assert_eq!(evidence.artifacts[0].artifact_type, "critique");
    }
}
