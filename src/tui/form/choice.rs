//! What can be chosen, and which of it matches what is typed.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// Something that can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    /// What is submitted.
    pub value: String,
    /// What is shown.
    pub label: String,
    /// What stands beside it, muted.
    pub note: String,
    /// What is shown of it while it is highlighted, one paragraph each.
    pub detail: Vec<String>,
}

impl Choice {
    /// A choice that is shown as what it is.
    pub fn plain(value: impl Into<String>) -> Self {
        let value = value.into();
        Self { label: value.clone(), value, ..Self::default() }
    }

    /// A choice with a label of its own.
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self { value: value.into(), label: label.into(), ..Self::default() }
    }

    /// Adds what stands beside it.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// Adds what is shown of it while it is highlighted.
    pub fn detail(mut self, paragraph: impl Into<String>) -> Self {
        self.detail.push(paragraph.into());
        self
    }

    fn haystack(&self) -> String {
        let id = if self.value == self.label { "" } else { &self.value };
        format!("{} {} {id}", self.label, self.note)
    }
}

/// The positions of the options that match, best first, else in their order.
pub(super) fn ranked(options: &[Choice], filter: &str) -> Vec<usize> {
    if filter.is_empty() {
        return (0..options.len()).collect();
    }
    let pattern = Pattern::new(filter, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut hits: Vec<(u32, usize)> = options
        .iter()
        .enumerate()
        .filter_map(|(i, option)| {
            let haystack = option.haystack();
            let score = pattern.score(Utf32Str::new(&haystack, &mut buffer), &mut matcher)?;
            Some((score, i))
        })
        .collect();
    hits.sort_by_key(|(score, i)| (std::cmp::Reverse(*score), *i));
    hits.into_iter().map(|(_, i)| i).collect()
}
