//! What is to go wrong, and where: `17:die`, `flush@3:enospc+`,
//! `write~journal.jsonl:torn` (an operation, which of them, a part of the path).

use std::io;
use std::str::FromStr;

use crate::seam::Op;

/// What happens at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The operation isn't done and fails with this kind of error.
    Fail(io::ErrorKind),
    /// Half of it is done, and that is said: the rest is up to the caller. Only
    /// for reads and writes; elsewhere nothing happens.
    Short,
    /// Half of it is written, then the disk is full.
    Torn,
    /// The process ends, before the operation. For a plan of this process's own
    /// nothing more is done below its folder instead, and all fails.
    Die,
    /// Half of it is written, then the process ends.
    TornDie,
    /// As `Die`, and what was never flushed is gone, as after a power cut. Only
    /// for plans of this process's own.
    PowerCut,
}

impl What {
    const NAMES: [(&str, What); 10] = [
        ("enospc", What::Fail(io::ErrorKind::StorageFull)),
        ("eio", What::Fail(io::ErrorKind::Other)),
        ("eacces", What::Fail(io::ErrorKind::PermissionDenied)),
        ("erofs", What::Fail(io::ErrorKind::ReadOnlyFilesystem)),
        ("eintr", What::Fail(io::ErrorKind::Interrupted)),
        ("short", What::Short),
        ("torn", What::Torn),
        ("die", What::Die),
        ("torn-die", What::TornDie),
        ("power", What::PowerCut),
    ];

    /// The name by which a plan calls it.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, what)| *what == self).map_or("eio", |(name, _)| name)
    }
}

/// At which points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct When {
    /// Only at such an operation.
    pub op: Option<Op>,
    /// Only where the path holds this.
    pub path: Option<String>,
    /// At the nth of those, from 1; at the first if absent.
    pub nth: u64,
    /// At that one and all that follow, not only once.
    pub onwards: bool,
}

/// One thing that is to go wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Where.
    pub when: When,
    /// What.
    pub what: What,
}

/// All that is to go wrong; nothing, for a plan that only counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The rules; the first that applies is followed.
    pub rules: Vec<Rule>,
}

impl Plan {
    /// Only counts the points.
    pub fn count() -> Self {
        Self::default()
    }

    /// One thing at the nth point, from 1.
    pub fn at(nth: u64, what: What) -> Self {
        let when = When { nth, ..When::default() };
        Self { rules: vec![Rule { when, what }] }
    }

    /// One thing at the nth point and at all that follow.
    pub fn from(nth: u64, what: What) -> Self {
        let when = When { nth, onwards: true, ..When::default() };
        Self { rules: vec![Rule { when, what }] }
    }
}

impl FromStr for Plan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rules = text.split(',').map(str::trim).filter(|rule| !rule.is_empty());
        rules.map(rule).collect::<Result<_, _>>().map(|rules| Self { rules })
    }
}

/// `[op][~part of the path][@nth]:what[+]`, or `nth:what[+]`.
fn rule(text: &str) -> Result<Rule, String> {
    let refused = || format!("“{text}” is no fault: write e.g. 17:die or flush@3:enospc+");
    let (place, what) = text.rsplit_once(':').ok_or_else(refused)?;
    let (what, onwards) = match what.strip_suffix('+') {
        Some(what) => (what, true),
        None => (what, false),
    };
    let named = |(name, _): &&(&str, What)| *name == what;
    let what = What::NAMES.iter().find(named).ok_or_else(refused)?.1;
    if let Ok(nth) = place.parse() {
        return Ok(Rule { when: When { nth, onwards, ..When::default() }, what });
    }
    let (place, nth) = match place.rsplit_once('@') {
        Some((place, nth)) => (place, nth.parse().map_err(|_| refused())?),
        None => (place, 1),
    };
    let (op, path) = match place.split_once('~') {
        Some((op, path)) => (op, Some(path.to_owned())),
        None => (place, None),
    };
    let op = match op {
        "" => None,
        op => Some(Op::named(op).ok_or_else(refused)?),
    };
    Ok(Rule { when: When { op, path, nth, onwards }, what })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_read_from_a_line() {
        let plan: Plan = "17:die, flush@3:enospc+,write~journal.jsonl:torn".parse().expect("valid");
        assert_eq!(plan.rules[0], Plan::at(17, What::Die).rules[0]);
        let flush = When { op: Some(Op::Flush), nth: 3, onwards: true, path: None };
        let full = What::Fail(io::ErrorKind::StorageFull);
        assert_eq!(plan.rules[1], Rule { when: flush, what: full });
        let journal = Some("journal.jsonl".to_owned());
        let write = When { op: Some(Op::Write), path: journal, nth: 1, onwards: false };
        assert_eq!(plan.rules[2], Rule { when: write, what: What::Torn });
        for wrong in ["17", "17:explode", "shout@2:die", "flush@x:die", ":"] {
            assert!(wrong.parse::<Plan>().is_err(), "{wrong}");
        }
        assert_eq!("".parse::<Plan>(), Ok(Plan::count()));
    }
}
