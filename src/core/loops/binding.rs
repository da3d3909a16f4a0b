//! What an implementation carries out: plans, and sequences of steps in lanes
//! (engine.md §6, bind).

use serde::{Deserialize, Serialize};

/// One step of a sequence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Its id; `step_1`, `step_2`, … where none is given.
    #[serde(default)]
    pub id: String,
    /// The plan that it carries out.
    pub plan: String,
    /// The lane that it runs in.
    #[serde(default)]
    pub lane: Option<String>,
    /// Paths that its work touches.
    #[serde(default)]
    pub paths: Vec<String>,
}

/// A sequence file of the workspace, with its steps once it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sequence {
    /// The file, below the workspace's root.
    pub path: String,
    /// Its steps, in order.
    pub steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    steps: Vec<Step>,
}

/// Reads the steps of a sequence file: TOML with `[[steps]]`, or JSON with
/// `steps`.
///
/// # Errors
/// A sentence that says what is wrong and where.
pub fn parse_steps(text: &str) -> Result<Vec<Step>, String> {
    let file: File = if text.trim_start().starts_with('{') {
        serde_json::from_str(text).map_err(|error| error.to_string())?
    } else {
        toml::from_str(text).map_err(|error| super::lint::located(text, &error))?
    };
    let mut steps = file.steps;
    if steps.is_empty() {
        return Err("a sequence has at least one step".to_owned());
    }
    for position in 0..steps.len() {
        if steps[position].id.trim().is_empty() {
            steps[position].id = format!("step_{}", position + 1);
        }
        let (before, rest) = steps.split_at(position);
        if before.iter().any(|step| step.id == rest[0].id) {
            return Err(format!("two steps are called {:?}", rest[0].id));
        }
        if rest[0].lane.as_ref().is_some_and(|lane| !is_lane(lane)) {
            return Err(format!("step {:?} has a lane without a name", rest[0].id));
        }
    }
    let in_lanes = steps.iter().filter(|step| step.lane.is_some()).count();
    if in_lanes != 0 && in_lanes != steps.len() {
        return Err("either every step has a lane, or none has".to_owned());
    }
    Ok(steps)
}

fn is_lane(text: &str) -> bool {
    text.trim() == text && (1..=64).contains(&text.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_is_read_from_toml_and_from_json() {
        let toml = "[[steps]]\nplan = \"pln_1\"\nlane = \"api\"\npaths = [\"src/api\"]\n";
        let json = r#"{"steps":[{"plan":"pln_1","lane":"api","paths":["src/api"]}]}"#;
        let steps = parse_steps(toml).expect("reads");
        assert_eq!(steps[0].id, "step_1");
        assert_eq!(parse_steps(json), Ok(steps));
    }

    #[test]
    fn what_is_no_sequence_says_why() {
        let wrong = [
            "steps = []",
            "[[steps]]\nlane = \"a\"",
            "[[steps]]\nplan = \"a\"\nid = \"x\"\n[[steps]]\nplan = \"a\"\nid = \"x\"",
            "[[steps]]\nplan = \"a\"\nlane = \"x\"\n[[steps]]\nplan = \"a\"",
            "[[steps]]\nplan = \"a\"\nlane = \" \"",
            "{",
        ];
        for text in wrong {
            assert!(parse_steps(text).is_err(), "{text}");
        }
    }
}
