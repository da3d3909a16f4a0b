//! `keys.toml`: the person's own keys. A table `[everywhere]` changes an action
//! wherever it is; a table named like a context changes it there alone:
//!
//! ```toml
//! [everywhere]
//! advance = ["A", "ctrl-a"]   # in place of its keys
//! waive = "g w"               # keys one after the other
//!
//! [memory]
//! add-memory = []             # none
//! ```

use std::ops::Range;

use strum::IntoEnumIterator as _;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Binding, KeyMap, Sequence};
use crate::core::settings::Fault;
use crate::core::text::{did_you_mean, nearest};
use crate::tui::action::{Action, Context, Contexts, Group};

/// The table that holds in every context.
const EVERYWHERE: &str = "everywhere";

/// Keys that can't be taken from their action: the way back and the way out.
const FIXED: [(&str, Action); 2] = [("esc", Action::Back), ("ctrl-c", Action::Quit)];

impl KeyMap {
    /// The keys that hold with the person's file, and what of it is not followed.
    /// A setting that clashes with another key is not followed.
    pub fn with(text: &str) -> (Self, Vec<Fault>) {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = Reader { text, wishes: Vec::new(), faults: Vec::new() };
        match DeTable::parse(text) {
            Ok(table) => reader.file(table.get_ref()),
            Err(error) => {
                let at = error.span().unwrap_or(0..0);
                reader.fault(at, format!("{}; the usual keys hold", error.message()));
            }
        }
        let Reader { wishes, mut faults, .. } = reader;
        let map = follow(wishes, &mut faults);
        faults.sort_by_key(|fault| (fault.line, fault.column));
        (map, faults)
    }
}

/// What one line of the file asks for.
struct Wish {
    action: Action,
    contexts: Contexts,
    keys: Vec<Sequence>,
    at: Fault,
}

/// Carries out the wishes that clash with nothing.
///
/// All of them take their old keys away first, so that two actions may swap keys.
fn follow(wishes: Vec<Wish>, faults: &mut Vec<Fault>) -> KeyMap {
    let default = KeyMap::default();
    let mut refused: Vec<bool> = vec![false; wishes.len()];
    loop {
        let (map, clash) = attempt(&default, &wishes, &refused);
        let Some((wish, said)) = clash else { return KeyMap::of(map) };
        refused[wish] = true;
        faults.push(Fault { message: said, ..wishes[wish].at.clone() });
    }
}

/// The bindings with those wishes that are not refused, or the first clash: the
/// wish that brought it, in words.
fn attempt(
    default: &KeyMap,
    wishes: &[Wish],
    refused: &[bool],
) -> (Vec<Binding>, Option<(usize, String)>) {
    let live = || wishes.iter().enumerate().filter(|(at, _)| !refused[*at]);
    let mut map: Vec<Binding> = default
        .bindings()
        .iter()
        .filter(|binding| {
            let fixed = is_fixed(&binding.keys, binding.action);
            let replaced = live().any(|(_, wish)| {
                wish.action == binding.action && wish.contexts.contains(binding.context)
            });
            fixed || !replaced
        })
        .cloned()
        .collect();
    for (at, wish) in live() {
        for context in Context::iter().filter(|context| wish.contexts.contains(*context)) {
            // A later line about the same action there holds in place of an earlier one.
            let later = live().any(|(other, w)| {
                other > at && w.action == wish.action && w.contexts.contains(context)
            });
            if later {
                continue;
            }
            for keys in &wish.keys {
                if let Some(said) = clash(&map, context, keys, wish.action) {
                    return (map, Some((at, said)));
                }
                let binding = Binding { context, keys: keys.clone(), action: wish.action };
                if !map.contains(&binding) {
                    map.push(binding);
                }
            }
        }
    }
    let order: Vec<Action> = crate::tui::action::actions().map(|spec| spec.action).collect();
    map.sort_by_key(|binding| order.iter().position(|action| *action == binding.action));
    (map, None)
}

fn clash(map: &[Binding], context: Context, keys: &Sequence, action: Action) -> Option<String> {
    let first = keys.chords().first().and_then(|chord| chord.typed());
    if context.takes_text() && first.is_some() {
        let where_ = context.name();
        return Some(format!("{keys} is text in {where_}; choose a key with ctrl or alt"));
    }
    let other =
        map.iter().find(|b| b.context == context && b.action != action && b.keys.hides(keys))?;
    let (other_keys, name, place) = (&other.keys, other.action.name(), context.name());
    let free = if is_fixed(other_keys, other.action) {
        "it always does that".to_owned()
    } else {
        format!("give {name} another key, or none: {name} = []")
    };
    Some(format!("{keys} clashes with {other_keys}, which is {name} in {place}; {free}"))
}

fn is_fixed(keys: &Sequence, action: Action) -> bool {
    FIXED.iter().any(|(key, fixed)| *fixed == action && Sequence::parse(key).as_ref() == Some(keys))
}

/// Where an action can have keys that has none by default.
fn contexts_of(action: Action) -> Contexts {
    let bound = action
        .spec()
        .binds
        .iter()
        .map(|bind| bind.contexts)
        .reduce(Contexts::and)
        .unwrap_or(Contexts::of(&[]));
    match action.spec().group {
        Group::Loop => bound.and(crate::tui::action::ON_LOOP),
        Group::Memory => bound.and(crate::tui::action::ON_MEMORY),
        _ if action.spec().binds.is_empty() => crate::tui::action::SCREENS,
        _ => bound,
    }
}

type Value<'a> = Spanned<DeValue<'a>>;

struct Reader<'a> {
    text: &'a str,
    wishes: Vec<Wish>,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn fault(&mut self, at: Range<usize>, message: String) {
        self.faults.push(Fault::at(self.text, at.start, message));
    }

    fn file(&mut self, table: &DeTable<'_>) {
        // The file's own order: a later line holds in place of an earlier one.
        let mut sections: Vec<_> = table.iter().collect();
        sections.sort_by_key(|(name, _)| (&**name.get_ref() != EVERYWHERE, name.span().start));
        for (name, value) in sections {
            let place = name.get_ref();
            let context = Context::iter().find(|context| context.name() == **place);
            if context.is_none() && **place != *EVERYWHERE {
                let known: Vec<String> = Context::iter().map(|c| c.name()).collect();
                let near = nearest(place, known.iter().map(String::as_str).chain([EVERYWHERE]));
                let near = near.map(|near| format!("; did you mean [{near}]?")).unwrap_or_default();
                self.fault(name.span(), format!("there is no pane {place}{near}"));
                continue;
            }
            let Some(table) = value.get_ref().as_table() else {
                self.fault(value.span(), format!("{place} should be a table [{place}]"));
                continue;
            };
            for (key, value) in table.iter() {
                self.line(context, key, value);
            }
        }
    }

    fn line(
        &mut self,
        context: Option<Context>,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Value<'_>,
    ) {
        let name: &str = key.get_ref();
        let Some(action) = Action::iter().find(|action| action.name() == name) else {
            let known: Vec<String> = Action::iter().map(Action::name).collect();
            let near = did_you_mean(name, known.iter().map(String::as_str));
            return self.fault(key.span(), format!("there is no action {name}{near}"));
        };
        let Some(keys) = self.keys(name, value) else { return };
        let contexts = match context {
            Some(context) => Contexts::of(&[context]),
            None => contexts_of(action),
        };
        let at = Fault::at(self.text, key.span().start, String::new());
        self.wishes.push(Wish { action, contexts, keys, at });
    }

    /// The keys of a line; none, with a fault, if one can't be read.
    fn keys(&mut self, name: &str, value: &Value<'_>) -> Option<Vec<Sequence>> {
        let one = |value: &Value<'_>| match value.get_ref() {
            DeValue::String(text) => Sequence::parse(text),
            _ => None,
        };
        let values: Vec<&Value<'_>> = match value.get_ref() {
            DeValue::Array(list) => list.iter().collect(),
            _ => vec![value],
        };
        let mut out = Vec::new();
        for value in values {
            match one(value) {
                Some(keys) => out.push(keys),
                None => {
                    let said = format!(
                        "{name} should be a key like \"a\", \"ctrl-d\", \"enter\" or \", w\", or a list of them; its usual keys hold"
                    );
                    self.fault(value.span(), said);
                    return None;
                }
            }
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::keymap::Found;

    fn find(map: &KeyMap, context: Context, keys: &str) -> Found {
        map.find(context, Sequence::parse(keys).expect("keys").chords())
    }

    fn faults(text: &str) -> Vec<String> {
        let (_, faults) = KeyMap::with(text);
        faults.iter().map(|f| format!("{}:{}: {}", f.line, f.column, f.message)).collect()
    }

    #[test]
    fn a_key_of_ones_own_stands_in_place_of_the_usual_ones() {
        let (map, faults) = KeyMap::with(
            "\u{feff}[everywhere]\r\nadvance = [\"ctrl-a\", \"g o\"]\r\ntop = \"home\"\r\nwaive = \"g w\"\r\n",
        );
        assert_eq!(faults, []);
        assert_eq!(find(&map, Context::Gate, "ctrl-a"), Found::Action(Action::Advance));
        assert_eq!(find(&map, Context::Gate, "g o"), Found::Action(Action::Advance));
        assert_eq!(find(&map, Context::Gate, "g w"), Found::Action(Action::Waive));
        assert_eq!(find(&map, Context::Gate, "A"), Found::Nothing);
        assert_eq!(
            map.key(Action::Advance, Context::Gate).map(|k| k.to_string()),
            Some("^a".into())
        );
        assert_eq!(find(&map, Context::Memory, "g w"), Found::Nothing, "no loop is chosen there");
    }

    #[test]
    fn a_pane_can_differ_and_two_actions_can_swap() {
        let (map, faults) = KeyMap::with(
            "[gate]\nadvance = \"+\"\n[everywhere]\nturn = \"c\"\ncomplete = \"t\"\n[memory]\nadd-memory = []\n",
        );
        assert_eq!(faults, []);
        assert_eq!(find(&map, Context::Gate, "+"), Found::Action(Action::Advance));
        assert_eq!(find(&map, Context::Slots, "A"), Found::Action(Action::Advance));
        assert_eq!(find(&map, Context::Slots, "c"), Found::Action(Action::Turn));
        assert_eq!(find(&map, Context::Slots, "t"), Found::Action(Action::Complete));
        assert_eq!(find(&map, Context::Memory, "a"), Found::Nothing);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place_and_the_usual_key_holds() {
        let text = "[everywhere]\nadvanc = \"x\"\nadvance = \"nonsense\"\nturn = \"a\"\n\
                    [lops]\nturn = \"+\"\n[palette]\ndown = \"j\"\n[gate]\nwaive = \"esc\"\npause = 3\n";
        let said = faults(text);
        let starts = [
            "2:1: there is no action advanc; did you mean advance?",
            "3:11: advance should be a key like",
            "4:1: a clashes with a, which is add-artifact in",
            "5:2: there is no pane lops; did you mean [loops]?",
            "8:1: j is text in palette",
            "10:1: Esc clashes with Esc, which is back in gate; it always does that",
            "11:9: pause should be a key",
        ];
        assert_eq!(said.len(), starts.len(), "{said:#?}");
        for start in starts {
            assert!(said.iter().any(|s| s.starts_with(start)), "{start} in {said:#?}");
        }
        let (map, _) = KeyMap::with(text);
        assert_eq!(find(&map, Context::Gate, "A"), Found::Action(Action::Advance));
        assert_eq!(find(&map, Context::Gate, "t"), Found::Action(Action::Turn));
        assert_eq!(find(&map, Context::Palette, "down"), Found::Action(Action::Down));
    }

    #[test]
    fn the_way_back_and_the_way_out_stay() {
        let (map, faults) = KeyMap::with("[everywhere]\nback = \"ctrl-g\"\nquit = []\n");
        assert_eq!(faults, []);
        for context in Context::iter() {
            assert_eq!(find(&map, context, "esc"), Found::Action(Action::Back), "{context:?}");
            assert_eq!(find(&map, context, "ctrl-c"), Found::Action(Action::Quit), "{context:?}");
        }
        assert_eq!(find(&map, Context::Gate, "q"), Found::Nothing);
    }

    #[test]
    fn what_is_no_toml_leaves_the_usual_keys() {
        assert!(faults("[everywhere\n")[0].starts_with("1:"), "{:?}", faults("[everywhere\n"));
        let (map, _) = KeyMap::with("[everywhere\n");
        assert_eq!(map.bindings(), KeyMap::default().bindings());
    }

    #[test]
    fn the_default_map_can_be_written_as_a_file_and_read_back() {
        let default = KeyMap::default();
        let mut text = String::new();
        for context in Context::iter() {
            text.push_str(&format!("[{}]\n", context.name()));
            for action in Action::iter() {
                let keys: Vec<String> = default
                    .bindings()
                    .iter()
                    .filter(|b| b.context == context && b.action == action)
                    .map(|b| format!("{:?}", b.keys.written()))
                    .collect();
                if !keys.is_empty() {
                    text.push_str(&format!("{} = [{}]\n", action.name(), keys.join(", ")));
                }
            }
        }
        let (map, faults) = KeyMap::with(&text);
        assert_eq!(faults, []);
        let all = |map: &KeyMap| {
            let one = |b: &Binding| format!("{} {} {}", b.context.name(), b.action.name(), b.keys);
            map.bindings().iter().map(one).collect::<std::collections::BTreeSet<String>>()
        };
        assert_eq!(all(&map), all(&default));
    }
}
