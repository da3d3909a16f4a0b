//! What to call next: the steps of the engine's own explanation, as calls.

use serde_json::{Map, Value, json};

use super::answer::Call;
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::Actor;
use crate::core::loops::refusal::NextStep;

/// What to call next on a loop, the nearest first: by the evaluator of `why`.
pub(super) fn expected(call: &Call<'_>, id: &LoopId) -> Vec<Value> {
    let steps = call.engine.next_steps_for(id, call.actor).unwrap_or_default();
    steps.iter().map(|step| shown(step, call.actor)).collect()
}

/// A step as a call with its ids; what is the operator's alone is marked so.
pub(super) fn shown(step: &NextStep, actor: &Actor) -> Value {
    let Some((tool, arguments)) = as_call(&step.command) else {
        return json!({ "text": step.text, "command": step.command });
    };
    let mut out = json!({ "text": step.text, "tool": tool, "arguments": arguments });
    if *actor != Actor::Operator && is_the_operators(&step.command) {
        out["operator_only"] = true.into();
    }
    out
}

fn is_the_operators(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    let verb = words.get(2).copied().unwrap_or_default();
    matches!(verb, "amend" | "reopen" | "close")
        || words.contains(&"--force")
        || (verb == "undo" && words.contains(&"--to"))
        || words.get(1) == Some(&"trust")
}

/// A command line as a call of a tool.
fn as_call(command: &str) -> Option<(&'static str, Value)> {
    let words = shell_words::split(command).ok()?;
    let mut words = words.iter().map(String::as_str);
    let (_, noun, verb) = (words.next()?, words.next()?, words.next()?);
    let (tool, intent) = match (noun, verb) {
        ("loop", "why") => ("loop_why", None),
        ("loop", "brief") => ("loop_brief", None),
        ("loop", "add") => ("bclaw_loop", Some("add_artifact")),
        ("loop", "complete") => ("bclaw_loop", Some("complete_turn")),
        ("loop", "answer") => ("bclaw_loop", Some("provide_input")),
        ("loop", "ask") => ("bclaw_loop", Some("request_input")),
        ("loop", "show" | "log") => ("bclaw_loop", Some("get")),
        ("loop", "list") => ("bclaw_loop", Some("list")),
        ("turn", "dispatch") => ("bclaw_loop", Some("turn")),
        ("turn", "harvest") => ("bclaw_loop", Some("harvest")),
        ("turn", "takeover") => ("bclaw_loop", Some("takeover")),
        ("turn", "sweep") => ("bclaw_loop", Some("sweep")),
        ("loop", known) => ("bclaw_loop", Some(intent_of(known)?)),
        _ => return None,
    };
    let mut arguments = Map::new();
    if let Some(intent) = intent {
        arguments.insert("intent".to_owned(), intent.into());
    }
    if (noun, verb) == ("turn", "dispatch") {
        arguments.insert("dispatch".to_owned(), true.into());
    }
    let mut bare = 0;
    while let Some(word) = words.next() {
        match word.strip_prefix("--") {
            Some(switch @ ("force" | "integrate" | "continue" | "skip")) => {
                arguments.insert(switch.to_owned(), true.into());
            }
            Some(flag) => {
                let (name, value) = argument(verb, flag, words.next()?);
                arguments.insert(name.to_owned(), value);
            }
            None => {
                let name = match (bare, verb) {
                    (0, _) => "loop_id",
                    (_, "answer") => "question_id",
                    _ => "artifact_id",
                };
                bare += 1;
                arguments.insert(name.to_owned(), word.into());
            }
        }
    }
    Some((tool, Value::Object(arguments)))
}

fn intent_of(verb: &str) -> Option<&'static str> {
    let same = [
        "open",
        "turn",
        "advance",
        "supersede",
        "retract",
        "waive",
        "link",
        "pause",
        "resume",
        "close",
        "amend",
        "reopen",
        "undo",
        "verify",
        "bind",
    ];
    same.into_iter().find(|known| *known == verb)
}

/// A flag of the command line as a field of the tool.
fn argument<'a>(verb: &str, flag: &'a str, value: &str) -> (&'a str, Value) {
    match (verb, flag) {
        (_, "addresses" | "cites") => {
            (flag, value.split(',').map(str::to_owned).collect::<Vec<_>>().into())
        }
        (_, "evidence") => (flag, json!([value])),
        (_, "slot") => ("slot_id", value.into()),
        ("ask", "question") => ("text", value.into()),
        ("answer", "choose") => ("option", value.into()),
        ("undo", "to") => ("to_seq", value.parse::<u64>().map_or(Value::Null, Value::from)),
        (_, "rounds") => (flag, value.parse::<u64>().map_or(Value::Null, Value::from)),
        _ => (flag, value.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_a_call_with_its_ids() {
        let call = |line: &str| as_call(line).expect("a call");
        let add = call(
            "loopdeck loop add lop_1 --type plan_draft --body 'YOUR PLAN' --addresses art_1,art_2",
        );
        assert_eq!(
            add,
            (
                "bclaw_loop",
                json!({
                    "intent": "add_artifact", "loop_id": "lop_1", "type": "plan_draft",
                    "body": "YOUR PLAN", "addresses": ["art_1", "art_2"],
                })
            )
        );
        let answer = call("loopdeck loop answer lop_1 art_9 --choose approve").1;
        assert_eq!(answer["question_id"], "art_9");
        assert_eq!(answer["option"], "approve");
        assert_eq!(call("loopdeck turn dispatch lop_1 --slot slt_1").1["dispatch"], true);
        let force = NextStep::new("force", "loopdeck loop advance lop_1 --force --reason 'R'");
        let agent = Actor::Agent("codex".into());
        assert_eq!(shown(&force, &agent)["operator_only"], true);
        assert_eq!(as_call("loopdeck trust approve x"), None);
    }
}
