//! What makes two insights the same one: never their words, since averages
//! change (dream.md, "Run", 5).

use serde::Serialize;
use strum::{AsRefStr, Display, EnumString, IntoStaticStr};

use super::number::natural;
use crate::core::text::sha256_hex;

/// What an insight is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, AsRefStr, Display, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Kind {
    /// A phase in two domains.
    CrossDomain,
    /// A skill in two domains.
    SkillMismatch,
    /// Two phases in the same cases.
    PhaseCorrelation,
    /// Everything, over time.
    Temporal,
    /// A pattern of the tracker, ours or another tool's.
    Pattern,
}

impl Kind {
    /// The type that a reader of the published format sees; a pattern's is its category.
    pub fn insight_type(self) -> Option<&'static str> {
        match self {
            Kind::CrossDomain | Kind::Temporal => Some("performance"),
            Kind::SkillMismatch => Some("effectiveness"),
            Kind::PhaseCorrelation => Some("anti_pattern"),
            Kind::Pattern => None,
        }
    }

    /// The kind of an insight that does not name it: by its type.
    pub fn of_foreign(insight_type: &str, has_phases: bool) -> Self {
        match insight_type {
            "performance" if has_phases => Kind::CrossDomain,
            "performance" => Kind::Temporal,
            "effectiveness" => Kind::SkillMismatch,
            "anti_pattern" => Kind::PhaseCorrelation,
            _ => Kind::Pattern,
        }
    }
}

/// At most two names, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Two<'a>(pub Option<&'a str>, pub Option<&'a str>);

impl<'a> Two<'a> {
    /// The names of a list in natural order; absent if there are more than two.
    pub fn of(names: &'a [String]) -> Option<Self> {
        match names {
            [] => Some(Self(None, None)),
            [a] => Some(Self(Some(a), None)),
            [a, b] if natural(a, b).is_le() => Some(Self(Some(a), Some(b))),
            [a, b] => Some(Self(Some(b), Some(a))),
            _ => None,
        }
    }

    /// One name, or none.
    pub fn one(name: Option<&'a str>) -> Self {
        Self(name, None)
    }

    /// Two names, which are in order.
    pub fn both(a: &'a str, b: &'a str) -> Self {
        Self(Some(a), Some(b))
    }

    /// The names.
    pub fn list(self) -> Vec<&'a str> {
        self.0.into_iter().chain(self.1).collect()
    }
}

/// Identity without its direction: the same subject, whichever way it points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Core<'a> {
    /// The insight's type.
    pub insight_type: &'a str,
    /// The kind, by name.
    pub kind: &'a str,
    /// The domains that it names.
    pub domains: Two<'a>,
    /// The phases that it names.
    pub phases: Two<'a>,
    /// The skills that it names.
    pub skills: Two<'a>,
}

/// What makes an insight the one it is. Orders part by part, bytewise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity<'a> {
    /// All but the direction.
    pub core: Core<'a>,
    /// The weaker domain, `improving` or `degrading`, the earlier phase, or a
    /// foreign pattern's id.
    pub direction: &'a str,
}

impl Identity<'_> {
    /// The first 16 hexadecimal digits of the SHA-256 of the identity as a JSON array.
    pub fn hash(&self) -> String {
        #[derive(Serialize)]
        struct Parts<'a>(&'a str, &'a str, &'a str, Vec<&'a str>, Vec<&'a str>, Vec<&'a str>);
        let Core { insight_type, kind, domains, phases, skills } = self.core;
        let parts =
            Parts(insight_type, kind, self.direction, domains.list(), phases.list(), skills.list());
        let json = serde_json::to_string(&parts).unwrap_or_default();
        sha256_hex(json.as_bytes())[..16].to_owned()
    }

    /// Part by part, in the order of the array.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        let parts = |i: &Self| (i.core.insight_type.as_bytes(), i.core.kind, i.direction);
        let names = |i: &Self| (i.core.domains, i.core.phases, i.core.skills);
        parts(self).cmp(&parts(other)).then_with(|| names(self).cmp(&names(other)))
    }
}
