//! Which memory items fit a text best: BM25 over an inverted index
//! (engine.md §8, "Ranking").

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use super::paths;
use super::tokens::each_token;
use crate::core::memory::{Category, MemoryItem};
use crate::core::text::first_chars;

/// How fast repetitions of a term stop counting.
const K1: f64 = 1.5;
/// How much longer items are held back.
const B: f64 = 0.75;
/// A query is read to this many characters; a longer one adds nothing to the ranking.
const QUERY_CHARS: usize = 200_000;

/// The position of a term in the vocabulary.
type Term = u32;

/// One item as the index holds it.
#[derive(Clone, Debug)]
struct Doc {
    item: Arc<MemoryItem>,
    /// Its terms with how often each occurs, by term.
    terms: Arc<[(Term, u32)]>,
    /// How many terms it has, repetitions included.
    length: u32,
}

/// An occurrence of a term: in which document, how often.
#[derive(Clone, Copy, Debug)]
struct Posting {
    doc: u32,
    count: u32,
}

impl Posting {
    fn doc(self) -> usize {
        self.doc as usize
    }
}

/// What a query found.
#[derive(Default)]
struct Found<'a> {
    /// The terms of the query that the index knows, with their weights.
    terms: HashMap<Term, (&'a str, f64)>,
    /// The score of every document; 0 where it has no term of the query.
    scores: Vec<f64>,
}

impl Found<'_> {
    /// Every weight is over 0, so a score of 0 means: no term in common.
    fn has(&self, doc: usize) -> bool {
        self.scores[doc] > 0.0
    }
}

/// An item with its score; the greater one is the better one.
struct Placed<'a> {
    score: f64,
    item: &'a MemoryItem,
    doc: usize,
}

impl Ord for Placed<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then_with(|| newer_first(other.item, self.item))
    }
}

impl PartialOrd for Placed<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Placed<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Placed<'_> {}

/// An inverted index over memory items. Immutable once built: readers share it
/// while a newer one is made from it with [`MemoryIndex::updated`].
#[derive(Clone, Debug, Default)]
pub struct MemoryIndex {
    vocabulary: HashMap<Arc<str>, Term>,
    postings: Vec<Vec<Posting>>,
    docs: Vec<Doc>,
}

/// An item that a text found, or a recent one that fills up.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The item.
    pub item: Arc<MemoryItem>,
    /// Its BM25 score; 0 for a recent one that didn't match.
    pub score: f64,
    /// The terms of the query that it has, the weightiest first.
    pub matched_terms: Vec<String>,
}

/// What [`MemoryIndex::rank`] is to look at.
#[derive(Clone, Copy, Debug)]
pub struct Ranking<'a> {
    /// The categories, in the order in which they are wanted.
    pub categories: &'a [Category],
    /// At most so many items of each.
    pub top_k: usize,
    /// The paths that the work touches; empty = all of the workspace.
    pub scope_hints: &'a [String],
}

impl MemoryIndex {
    /// The index of some items. Their order doesn't matter.
    pub fn of(items: impl IntoIterator<Item = Arc<MemoryItem>>) -> Self {
        Self::default().updated(items)
    }

    /// The index of some items, of which those that this one holds already (the
    /// same allocation) are not read again.
    #[must_use]
    pub fn updated(&self, items: impl IntoIterator<Item = Arc<MemoryItem>>) -> Self {
        let known: HashMap<*const MemoryItem, &Doc> =
            self.docs.iter().map(|doc| (Arc::as_ptr(&doc.item), doc)).collect();
        let mut vocabulary = self.vocabulary.clone();
        let docs: Vec<Doc> = items
            .into_iter()
            .map(|item| match known.get(&Arc::as_ptr(&item)) {
                Some(doc) => (*doc).clone(),
                None => Doc::read(item, &mut vocabulary),
            })
            .collect();
        let mut postings = vec![Vec::new(); vocabulary.len()];
        for (position, doc) in (0u32..).zip(&docs) {
            for (term, count) in doc.terms.iter() {
                postings[*term as usize].push(Posting { doc: position, count: *count });
            }
        }
        Self { vocabulary, postings, docs }
    }

    /// The items that it holds.
    pub fn items(&self) -> impl ExactSizeIterator<Item = &Arc<MemoryItem>> {
        self.docs.iter().map(|doc| &doc.item)
    }

    /// How many items it holds.
    pub fn len(&self) -> usize {
        self.docs.len()
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    /// Every item of some categories that has a term of the text, best first.
    pub fn search(&self, text: &str, categories: &[Category]) -> Vec<Hit> {
        let found = self.find(text, &[], categories);
        let matching = self.of_categories(categories).filter(|doc| found.has(*doc));
        let mut best: Vec<Placed<'_>> = matching.map(|doc| self.placed(doc, &found)).collect();
        best.sort_unstable_by(|a, b| b.cmp(a));
        best.into_iter().map(|placed| self.hit(placed.doc, &found)).collect()
    }

    /// For each category its best items for a text: matches first, then, if
    /// room is left, the newest others. An item of other paths than the hints
    /// is left out; so is one that says the same as a better placed one. Hints
    /// are part of the query. Categories without items are not listed.
    pub fn rank(&self, text: &str, ranking: &Ranking<'_>) -> Vec<(Category, Vec<Hit>)> {
        let found = self.find(text, ranking.scope_hints, ranking.categories);
        let mut chosen: BTreeMap<Category, Vec<Hit>> = BTreeMap::new();
        let mut said: HashSet<(&str, &str)> = HashSet::new();
        // A heap, since only the first few of many are wanted; those without a
        // match have a score of 0 and so come last, the newest first.
        let mut heap: BinaryHeap<Placed<'_>> =
            self.of_categories(ranking.categories).map(|doc| self.placed(doc, &found)).collect();
        let mut wanted: HashSet<Category> = heap.iter().map(|p| p.item.category).collect();
        while let Some(Placed { item, doc, .. }) = heap.pop() {
            if wanted.is_empty() {
                break;
            }
            if !wanted.contains(&item.category)
                || !paths::in_scope(&item.paths, ranking.scope_hints)
                || !said.insert((item.title.trim(), item.text.trim()))
            {
                continue;
            }
            let hits = chosen.entry(item.category).or_default();
            hits.push(self.hit(doc, &found));
            if hits.len() >= ranking.top_k {
                wanted.remove(&item.category);
            }
        }
        ranking
            .categories
            .iter()
            .filter_map(|category| chosen.remove_entry(category))
            .filter(|(_, hits)| !hits.is_empty())
            .collect()
    }

    fn placed<'a>(&'a self, doc: usize, found: &Found<'_>) -> Placed<'a> {
        Placed { score: found.scores[doc], item: &self.docs[doc].item, doc }
    }

    fn of_categories(&self, categories: &[Category]) -> impl Iterator<Item = usize> {
        (0..self.docs.len()).filter(|doc| categories.contains(&self.docs[*doc].item.category))
    }

    /// Scores the items of some categories that have a term of the query.
    fn find(&self, text: &str, hints: &[String], categories: &[Category]) -> Found<'_> {
        let mut wanted = vec![false; self.docs.len()];
        let (mut total, mut length) = (0u32, 0u64);
        for doc in self.of_categories(categories) {
            wanted[doc] = true;
            total += 1;
            length += u64::from(self.docs[doc].length);
        }
        let average = length as f64 / f64::from(total.max(1));
        let mut found = Found { scores: vec![0.0; self.docs.len()], ..Found::default() };
        for (name, term) in self.query(text, hints) {
            let postings = || self.postings[term as usize].iter().filter(|p| wanted[p.doc()]);
            let weight = idf(f64::from(total), postings().count() as f64);
            found.terms.insert(term, (name, weight));
            for posting in postings() {
                let length = self.docs[posting.doc()].length;
                found.scores[posting.doc()] += weight * saturation(posting.count, length, average);
            }
        }
        found
    }

    fn hit(&self, doc: usize, found: &Found<'_>) -> Hit {
        let Doc { item, terms, .. } = &self.docs[doc];
        let mut matched: Vec<&(&str, f64)> =
            terms.iter().filter_map(|(term, _)| found.terms.get(term)).collect();
        matched.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        Hit {
            item: item.clone(),
            score: found.scores[doc],
            matched_terms: matched.into_iter().map(|(name, _)| (*name).to_owned()).collect(),
        }
    }

    /// The different known terms of a query, in alphabetical order, so that
    /// scores are summed up in the same order whatever the order of the items.
    fn query(&self, text: &str, hints: &[String]) -> BTreeMap<&str, Term> {
        let mut terms = BTreeMap::new();
        let mut take = |token: &str| {
            if let Some((name, term)) = self.vocabulary.get_key_value(token) {
                terms.insert(&**name, *term);
            }
        };
        each_token(first_chars(text, QUERY_CHARS), &mut take);
        hints.iter().for_each(|hint| each_token(hint, &mut take));
        terms
    }
}

impl Doc {
    fn read(item: Arc<MemoryItem>, vocabulary: &mut HashMap<Arc<str>, Term>) -> Self {
        let mut terms: Vec<Term> = Vec::new();
        let mut take = |token: &str| {
            let term = match vocabulary.get(token) {
                Some(term) => *term,
                None => {
                    let term = u32::try_from(vocabulary.len()).unwrap_or(u32::MAX);
                    vocabulary.insert(token.into(), term);
                    term
                }
            };
            terms.push(term);
        };
        each_token(&item.title, &mut take);
        each_token(&item.text, &mut take);
        item.tags.iter().chain(&item.paths).for_each(|label| each_token(label, &mut take));
        let length = u32::try_from(terms.len()).unwrap_or(u32::MAX);
        terms.sort_unstable();
        let counted: Vec<(Term, u32)> =
            terms.chunk_by(PartialEq::eq).map(|run| (run[0], run.len() as u32)).collect();
        Self { item, terms: counted.into(), length }
    }
}

/// How much a term tells that `with` of `total` items have.
fn idf(total: f64, with: f64) -> f64 {
    ((total - with + 0.5) / (with + 0.5) + 1.0).ln()
}

/// How much `count` occurrences in an item of some length weigh.
fn saturation(count: u32, length: u32, average: f64) -> f64 {
    let count = f64::from(count);
    count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * f64::from(length) / average))
}

/// The order of items that nothing else tells apart: newer first, then by id.
pub fn newer_first(a: &MemoryItem, b: &MemoryItem) -> Ordering {
    b.created_at.cmp(&a.created_at).then_with(|| a.id.cmp(&b.id))
}

#[cfg(test)]
#[path = "rank_tests.rs"]
mod tests;
