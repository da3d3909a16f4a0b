//! A slot to be made, and the form that people write it in.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// A slot to be made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NewSlot {
    /// Its role.
    pub role: String,
    /// The agent that it belongs to.
    pub agent: Option<String>,
    /// Its profile.
    pub profile: Option<String>,
    /// Whether it may not write.
    pub read_only: bool,
    /// Its lane in an implementation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// Paths that its work touches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scope_hint: Vec<String>,
    /// Plans that it carries out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plan_ids: Vec<String>,
    /// Steps of a sequence that it carries out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub step_ids: Vec<String>,
}

impl FromStr for NewSlot {
    type Err = String;

    /// Reads `ROLE[=AGENT][@PROFILE][:ro]`, as people write a slot.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (text, read_only) = match text.strip_suffix(":ro") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let (text, profile) = match text.split_once('@') {
            Some((rest, profile)) => (rest, Some(profile)),
            None => (text, None),
        };
        let (role, agent) = match text.split_once('=') {
            Some((role, agent)) => (role, Some(agent)),
            None => (text, None),
        };
        if role.is_empty() || agent == Some("") || profile == Some("") {
            return Err("a slot is ROLE[=AGENT][@PROFILE][:ro], none of them empty".to_owned());
        }
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Ok(Self {
            role: role.to_owned(),
            agent: owned(agent),
            profile: owned(profile),
            read_only,
            ..Self::default()
        })
    }
}

impl fmt::Display for NewSlot {
    /// Writes the form that [`NewSlot::from_str`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.role)?;
        if let Some(agent) = &self.agent {
            write!(f, "={agent}")?;
        }
        if let Some(profile) = &self.profile {
            write!(f, "@{profile}")?;
        }
        f.write_str(if self.read_only { ":ro" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_read_from_the_form_that_it_is_written_in() {
        let text = "critic=codex/fast@pessimist:ro";
        let slot: NewSlot = text.parse().expect("well formed");
        assert_eq!((&*slot.role, slot.agent.as_deref()), ("critic", Some("codex/fast")));
        assert_eq!((slot.profile.as_deref(), slot.read_only), (Some("pessimist"), true));
        assert_eq!(slot.to_string(), text);
        assert_eq!(" critic ".parse::<NewSlot>().map(|s| s.to_string()), Ok("critic".to_owned()));
        for wrong in ["", "=codex", "critic=", "critic@"] {
            assert!(wrong.parse::<NewSlot>().is_err(), "{wrong:?}");
        }
    }
}
