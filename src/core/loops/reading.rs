//! Bodies that the engine writes as JSON, as people read them.

use std::fmt::Write as _;

use serde_json::Value;

use super::artifact::{Artifact, outcome_of};
use super::question::{ANSWER, QUESTION};
use super::steps::quoted;

/// What a body says in words, where the engine wrote it as JSON: a run of the verify
/// command, a question with its options, an answer. None for all that people write.
pub fn in_words(artifact: &Artifact, body: &str) -> Option<String> {
    let write = match &*artifact.artifact_type {
        "verify_report" => run,
        QUESTION => question,
        ANSWER => answer,
        _ => return None,
    };
    write(&serde_json::from_str(body).ok()?, body)
}

/// The same as a page, with what is filed below it.
pub fn page(artifact: &Artifact, body: &str) -> Option<String> {
    let words = in_words(artifact, body)?;
    let filed: Value = serde_json::from_str(body).ok()?;
    let filed = serde_json::to_string_pretty(&filed).ok()?;
    Some(format!("{words}\n\nAs it is filed:\n{filed}\n"))
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str().map(str::trim_end).filter(|text| !text.is_empty())
}

fn run(value: &Value, body: &str) -> Option<String> {
    let passed = value.get("passed")?.as_bool()?;
    let argv = value.get("command")?.as_array()?;
    let command: Vec<String> = argv.iter().filter_map(Value::as_str).map(quoted).collect();
    let mut out = outcome_of(body, passed)?;
    let _ = write!(out, "\n\ncommand: {}", command.join(" "));
    for (name, title) in [("stdout_tail", "output"), ("stderr_tail", "errors")] {
        if let Some(said) = text(value, name) {
            let _ = write!(out, "\n\n{title}:\n{said}");
        }
    }
    Some(out)
}

fn question(value: &Value, _: &str) -> Option<String> {
    let mut out = text(value, "question")?.to_owned();
    let list = |name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let options = list("options");
    if !options.is_empty() {
        out.push_str("\n\noptions:");
    }
    for option in &options {
        let (id, label) = (text(option, "id")?, text(option, "label").unwrap_or_default());
        let _ = write!(out, "\n  {id}: {label}");
    }
    if let Some(default) = text(value, "default") {
        let _ = write!(out, "\n\nif it is skipped: {default}");
    }
    let evidence = list("evidence");
    if !evidence.is_empty() {
        out.push_str("\n\nbecause:");
    }
    for line in evidence.iter().filter_map(Value::as_str) {
        let _ = write!(out, "\n  {line}");
    }
    Some(out)
}

fn answer(value: &Value, _: &str) -> Option<String> {
    let via = text(value, "resolved_via")?;
    let said = [text(value, "option"), text(value, "text")];
    let said: Vec<&str> = said.into_iter().flatten().collect();
    let how = match via {
        "skip" => "skipped, so that the default holds",
        "timeout" => "nobody answered in time",
        _ => "",
    };
    Some(match (how, said.is_empty()) {
        ("", _) => said.join("\n\n"),
        (how, true) => how.to_owned(),
        (how, false) => format!("{how}: {}", said.join("\n\n")),
    })
    .filter(|words| !words.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_questions_and_answers_are_read_as_pages() {
        let value = |body: &str| serde_json::from_str::<Value>(body).expect("JSON");
        let red = r#"{"command":["sh","-c","a b"],"exit_code":2,"passed":false,"duration_ms":1500,"stdout_tail":"one\ntwo\n","stderr_tail":""}"#;
        assert_eq!(
            run(&value(red), red).as_deref(),
            Some("red: exit 2, 1.5 s\n\ncommand: sh -c 'a b'\n\noutput:\none\ntwo")
        );
        let asked = r#"{"question":"Which?","evidence":["both hold"],"options":[{"id":"a","label":"The old"}],"default":"a"}"#;
        assert_eq!(
            question(&value(asked), asked).as_deref(),
            Some(
                "Which?\n\noptions:\n  a: The old\n\nif it is skipped: a\n\nbecause:\n  both hold"
            )
        );
        for (body, words) in [
            (r#"{"resolved_via":"choose","option":"a"}"#, Some("a")),
            (r#"{"resolved_via":"timeout","synthetic":true}"#, Some("nobody answered in time")),
            (r#"{"option":"a"}"#, None),
        ] {
            assert_eq!(answer(&value(body), body).as_deref(), words);
        }
        assert_eq!(run(&value("[1]"), "[1]"), None);
    }
}
