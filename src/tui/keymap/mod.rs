//! The keys that hold: those of the table of actions, and in their place what
//! the person's `keys.toml` says.

mod file;
mod sequence;

use std::collections::HashMap;

use strum::IntoEnumIterator as _;

pub use sequence::Sequence;

use super::action::{Action, Context, actions};
use super::keys::Chord;

/// One key, or several one after the other, with what they do in a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Where.
    pub context: Context,
    /// The keys.
    pub keys: Sequence,
    /// What they do.
    pub action: Action,
}

/// What the keys that were typed mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// An action.
    Action(Action),
    /// The beginning of several.
    Prefix,
    /// Nothing.
    Nothing,
}

/// Every binding that holds, in the order of the table.
#[derive(Clone, Debug)]
pub struct KeyMap {
    bindings: Vec<Binding>,
    first: HashMap<(Context, Chord), Vec<usize>>,
}

impl Default for KeyMap {
    /// The keys of the table.
    fn default() -> Self {
        let mut bindings = Vec::new();
        for spec in actions() {
            for bind in spec.binds {
                for context in Context::iter().filter(|context| bind.contexts.contains(*context)) {
                    let keys = bind.keys.iter().filter_map(|key| Sequence::parse(key));
                    bindings.extend(keys.map(|keys| Binding {
                        context,
                        keys,
                        action: spec.action,
                    }));
                }
            }
        }
        Self::of(bindings)
    }
}

impl KeyMap {
    fn of(bindings: Vec<Binding>) -> Self {
        let mut first: HashMap<(Context, Chord), Vec<usize>> = HashMap::new();
        for (at, binding) in bindings.iter().enumerate() {
            if let Some(chord) = binding.keys.chords().first() {
                first.entry((binding.context, *chord)).or_default().push(at);
            }
        }
        Self { bindings, first }
    }

    /// Every binding, in the order of the table.
    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    fn beginning_with(&self, context: Context, typed: &[Chord]) -> impl Iterator<Item = &Binding> {
        let found = typed.first().and_then(|chord| self.first.get(&(context, *chord)));
        found.into_iter().flatten().map(|at| &self.bindings[*at])
    }

    /// What the keys that were typed so far mean in a context.
    pub fn find(&self, context: Context, typed: &[Chord]) -> Found {
        let mut found = Found::Nothing;
        for binding in self.beginning_with(context, typed) {
            if binding.keys.chords() == typed {
                return Found::Action(binding.action);
            }
            if binding.keys.goes_on_from(typed) {
                found = Found::Prefix;
            }
        }
        found
    }

    /// What may follow the keys that were typed so far: the keys that are left,
    /// and what they do.
    pub fn followers(&self, context: Context, typed: &[Chord]) -> Vec<(Sequence, Action)> {
        self.beginning_with(context, typed)
            .filter(|binding| binding.keys.goes_on_from(typed))
            .map(|binding| (binding.keys.after(typed), binding.action))
            .collect()
    }

    /// The keys with which longer sequences begin in a context, each once.
    pub fn prefixes(&self, context: Context) -> Vec<Chord> {
        let mut out: Vec<Chord> = Vec::new();
        for binding in self.bindings.iter().filter(|binding| binding.context == context) {
            if let [first, _, ..] = binding.keys.chords()
                && !out.contains(first)
            {
                out.push(*first);
            }
        }
        out
    }

    /// The keys that hints show for an action in a context.
    pub fn key(&self, action: Action, context: Context) -> Option<Sequence> {
        let here = |binding: &&Binding| binding.action == action && binding.context == context;
        self.bindings.iter().find(here).map(|binding| binding.keys.clone())
    }

    /// The keys that help and palette show for an action, wherever it has them.
    pub fn any_key(&self, action: Action) -> Option<Sequence> {
        self.bindings.iter().find(|b| b.action == action).map(|binding| binding.keys.clone())
    }

    /// The same as text; empty if it has none.
    pub fn any_key_in_words(&self, action: Action) -> String {
        self.any_key(action).map(|keys| keys.to_string()).unwrap_or_default()
    }

    /// Where an action has keys, in the order of the bindings.
    pub fn contexts(&self, action: Action) -> Vec<Context> {
        let mut out = Vec::new();
        for binding in self.bindings.iter().filter(|binding| binding.action == action) {
            if !out.contains(&binding.context) {
                out.push(binding.context);
            }
        }
        out
    }

    /// All the keys of an action, each once.
    pub fn keys(&self, action: Action) -> Vec<Sequence> {
        let mut out: Vec<Sequence> = Vec::new();
        for binding in self.bindings.iter().filter(|binding| binding.action == action) {
            if !out.contains(&binding.keys) {
                out.push(binding.keys.clone());
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::action::hints;

    fn chords(text: &str) -> Vec<Chord> {
        Sequence::parse(text).expect("keys").chords().to_vec()
    }

    #[test]
    fn no_two_actions_share_a_key_and_none_hides_another() {
        let map = KeyMap::default();
        for context in Context::iter() {
            let here: Vec<&Binding> =
                map.bindings().iter().filter(|b| b.context == context).collect();
            for (at, one) in here.iter().enumerate() {
                for other in &here[at + 1..] {
                    let clash = one.keys.hides(&other.keys) && one.action != other.action;
                    assert!(!clash, "{} {one:?} {other:?}", one.keys);
                }
            }
        }
    }

    #[test]
    fn every_hint_resolves_to_its_own_action() {
        let map = KeyMap::default();
        for context in Context::iter() {
            for action in hints(context) {
                let key = map.key(*action, context);
                let key = key.unwrap_or_else(|| panic!("{action:?} has no key in {context:?}"));
                assert_eq!(map.find(context, key.chords()), Found::Action(*action), "{context:?}");
            }
        }
    }

    #[test]
    fn esc_goes_back_and_never_quits_anywhere() {
        let map = KeyMap::default();
        for context in Context::iter() {
            assert_eq!(map.find(context, &chords("esc")), Found::Action(Action::Back));
        }
    }

    #[test]
    fn where_text_is_typed_no_letter_is_a_command() {
        for binding in KeyMap::default().bindings() {
            if binding.context.takes_text() {
                assert_eq!(binding.keys.chords()[0].typed(), None, "{binding:?}");
            }
        }
    }

    #[test]
    fn a_prefix_waits_and_lists_what_may_follow() {
        let map = KeyMap::default();
        let comma = chords(",");
        assert_eq!(map.find(Context::Gate, &comma), Found::Prefix);
        let follow = map.followers(Context::Gate, &comma);
        assert!(follow.iter().any(|(keys, a)| keys.to_string() == "m" && *a == Action::Amend));
        assert_eq!(map.find(Context::Gate, &chords(", m")), Found::Action(Action::Amend));
        assert_eq!(map.find(Context::Gate, &chords(", ~")), Found::Nothing);
        assert_eq!(map.find(Context::Help, &comma), Found::Nothing, "there it is text");
    }
}
