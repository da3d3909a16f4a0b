//! `loopdeck keys`: the keys that hold in the deck.

use serde_json::{Value, json};
use strum::IntoEnumIterator;

use super::call::{Answer, Call};
use super::errors::Result;
use super::page::{Cell, Entry, Tone, plain, span};
use crate::tui::action::{Action, Group, Spec, actions};
use crate::tui::keymap::KeyMap;
use crate::tui::settings::Settings;

/// Keys that hold in so many panes at most are listed with them.
const FEW: usize = 3;

/// Lists every action with its keys, the person's own among them.
pub fn run(call: &Call) -> Result<Answer> {
    call.refuse_conditions()?;
    let settings = Settings::load(&call.options(), |name| std::env::var(name).ok());
    let keys = &settings.keys;
    let warnings = settings.problems.iter().map(|problem| problem.message.clone()).collect();
    let result = || {
        let all: Vec<Value> = actions().map(|spec| of_action(keys, spec.action)).collect();
        json!({ "keys": all, "total": all.len(), "next_offset": null })
    };
    let text = |page: &mut super::page::Page| {
        let groups = Group::iter().map(|group| {
            let heading: &str = group.into();
            let rows = actions().filter(|spec| spec.group == group);
            (Some(heading), rows.map(|spec| row(keys, spec)).collect())
        });
        page.groups(2, &[2], groups.collect());
    };
    Ok(call.answer(result, text, warnings))
}

fn row(keys: &KeyMap, spec: &Spec) -> Entry {
    let shown: Vec<String> = keys.keys(spec.action).iter().map(ToString::to_string).collect();
    let shown = if shown.is_empty() { "palette".to_owned() } else { shown.join("  ") };
    let here = keys.contexts(spec.action);
    let where_few = match here.len() {
        1..=FEW => here.iter().map(|context| context.name()).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    };
    let columns: Vec<Cell> = vec![
        span(Tone::Command, shown).into(),
        plain(spec.action.name()).into(),
        span(Tone::Muted, spec.name).into(),
        span(Tone::Muted, where_few).into(),
    ];
    columns.into()
}

/// An action with its keys by context, as `keys.toml` writes them.
fn of_action(keys: &KeyMap, action: Action) -> Value {
    let mut contexts: serde_json::Map<String, Value> = serde_json::Map::new();
    for binding in keys.bindings().iter().filter(|binding| binding.action == action) {
        let here = contexts.entry(binding.context.name()).or_insert_with(|| json!([]));
        if let Some(list) = here.as_array_mut() {
            list.push(json!(binding.keys.written()));
        }
    }
    json!({ "action": action.name(), "name": action.spec().name, "keys": contexts })
}
