//! BM25 against a slow second opinion, and what the order must not depend on.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::super::tokens::tokens;
use super::*;
use crate::core::time::Timestamp;

fn item(id: &str, category: Category, text: &str, day: i64) -> Arc<MemoryItem> {
    Arc::new(MemoryItem {
        id: id.into(),
        category,
        title: String::new(),
        text: text.to_owned(),
        tags: Vec::new(),
        paths: Vec::new(),
        source: None,
        created_at: Timestamp::from_millis(day * 86_400_000),
    })
}

fn ids(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| &*hit.item.id).collect()
}

fn rank_all(index: &MemoryIndex, query: &str, top_k: usize) -> Vec<(Category, Vec<Hit>)> {
    index.rank(query, &Ranking { categories: &Category::USER, top_k, scope_hints: &[] })
}

#[test]
fn a_query_in_any_script_finds_its_item() {
    let texts = [
        "Кэш нельзя делить между потоками",
        "缓存失效会导致数据不一致",
        "データベースの移行は夜間に行う",
        "캐시를 공유하면 안 된다",
        "Le déploiement a échoué à cause du certificat",
        "HttpServer times out under load",
    ];
    let index = MemoryIndex::of(
        texts
            .iter()
            .enumerate()
            .map(|(i, text)| item(&format!("trp_{i}"), Category::Traps, text, 1)),
    );
    for (query, id) in [
        ("делить КЭШ", "trp_0"),
        ("失效的缓存", "trp_1"),
        ("データベース移行", "trp_2"),
        ("캐시 공유", "trp_3"),
        ("DEPLOIEMENT échoue", "trp_4"),
        ("http_server", "trp_5"),
    ] {
        let hits = index.search(query, &[Category::Traps]);
        assert_eq!(hits.first().map(|hit| &*hit.item.id), Some(id), "{query}");
    }
}

#[test]
fn matches_come_before_recent_ones_and_ties_go_to_the_newer() {
    let index = MemoryIndex::of([
        item("trp_1", Category::Traps, "cache", 1),
        item("trp_2", Category::Traps, "lock", 9),
        item("trp_3", Category::Traps, "cache!", 2),
        item("trp_4", Category::Traps, "queue", 9),
        item("fb_1", Category::Feedback, "nothing here", 1),
    ]);
    let ranked = rank_all(&index, "the cache", 3);
    assert_eq!(ids(&ranked[0].1), ["trp_3", "trp_1", "trp_2"]);
    assert_eq!(ranked[0].1[2].score, 0.0);
    assert_eq!(ranked[0].1[0].matched_terms, ["cache"]);
    assert_eq!((ranked[1].0, ids(&ranked[1].1)), (Category::Feedback, vec!["fb_1"]));
}

#[test]
fn only_the_wanted_categories_count_and_show() {
    let index = MemoryIndex::of([
        item("trp_1", Category::Traps, "cache", 1),
        item("dec_1", Category::Decisions, "cache", 1),
    ]);
    let hits = index.search("cache", &[Category::Traps]);
    assert_eq!(ids(&hits), ["trp_1"]);
    assert!((hits[0].score - idf(1.0, 1.0)).abs() < 1e-9);
}

#[test]
fn items_of_other_paths_and_repetitions_are_left_out() {
    let scoped = |id: &str, path: &str| {
        let mut scoped = (*item(id, Category::Traps, "cache", 1)).clone();
        scoped.text = format!("cache {id}");
        scoped.paths = vec![path.to_owned()];
        Arc::new(scoped)
    };
    let index = MemoryIndex::of([
        scoped("trp_1", "src/core"),
        scoped("trp_2", "src/tui/**"),
        item("trp_3", Category::Traps, "cache", 1),
        item("trp_4", Category::Traps, "cache", 1),
    ]);
    let hints = ["src/core/brief".to_owned()];
    let ranking = Ranking { categories: &[Category::Traps], top_k: 8, scope_hints: &hints };
    let ranked = index.rank("cache", &ranking);
    let found: BTreeSet<&str> = ids(&ranked[0].1).into_iter().collect();
    assert_eq!(found, BTreeSet::from(["trp_1", "trp_3"]));
}

#[test]
fn an_update_reads_only_what_is_new() {
    let old = item("trp_1", Category::Traps, "cache lock", 1);
    let first = MemoryIndex::of([old.clone(), item("trp_2", Category::Traps, "gone", 1)]);
    let second = first.updated([old.clone(), item("trp_3", Category::Traps, "new", 1)]);
    assert!(Arc::ptr_eq(&first.docs[0].terms, &second.docs[0].terms));
    assert!(second.search("gone", &Category::USER).is_empty());
    assert_eq!(ids(&second.search("new", &Category::USER)), ["trp_3"]);
    let fresh = MemoryIndex::of([old, item("trp_3", Category::Traps, "new", 1)]);
    assert_eq!(rank_all(&second, "new cache", 8), rank_all(&fresh, "new cache", 8));
}

/// BM25 straight from its formula, over plain token lists.
fn slow_scores(
    items: &[Arc<MemoryItem>],
    query: &str,
    categories: &[Category],
) -> Vec<(String, f64)> {
    let docs: Vec<(&Arc<MemoryItem>, Vec<String>)> = items
        .iter()
        .filter(|item| categories.contains(&item.category))
        .map(|item| (item, tokens(&format!("{}\n{}", item.title, item.text))))
        .collect();
    let total = docs.len() as f64;
    let average = docs.iter().map(|(_, t)| t.len()).sum::<usize>() as f64 / total;
    let terms: BTreeSet<String> = tokens(query).into_iter().collect();
    let mut scores = Vec::new();
    for (item, doc) in &docs {
        let mut score = 0.0;
        for term in &terms {
            let count = doc.iter().filter(|t| *t == term).count() as f64;
            let with = docs.iter().filter(|(_, other)| other.contains(term)).count() as f64;
            let idf = ((total - with + 0.5) / (with + 0.5) + 1.0).ln();
            let norm = 1.5 * (0.25 + 0.75 * doc.len() as f64 / average);
            score += idf * count * 2.5 / (count + norm);
        }
        if score > 0.0 {
            scores.push((item.id.to_string(), score));
        }
    }
    scores
}

fn any_items() -> impl Strategy<Value = Vec<Arc<MemoryItem>>> {
    let one = ("[a-e ]{0,24}", 0usize..3, 0i64..4);
    prop::collection::vec(one, 0..24).prop_map(|rows| {
        rows.into_iter()
            .enumerate()
            .map(|(i, (text, category, day))| {
                let spaced: String = text.chars().flat_map(|c| [c, ' ']).collect();
                item(&format!("x_{i:02}"), Category::USER[category], &spaced, day)
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn agrees_with_the_formula(items in any_items(), query in "[a-g ]{0,8}") {
        let query: String = query.chars().flat_map(|c| [c, ' ']).collect();
        let categories = [Category::Traps, Category::RuntimeNotes];
        let index = MemoryIndex::of(items.clone());
        let mut fast: Vec<(String, f64)> = index
            .search(&query, &categories)
            .into_iter()
            .map(|hit| (hit.item.id.to_string(), hit.score))
            .collect();
        let mut slow = slow_scores(&items, &query, &categories);
        fast.sort_by(|a, b| a.0.cmp(&b.0));
        slow.sort_by(|a, b| a.0.cmp(&b.0));
        prop_assert_eq!(fast.len(), slow.len());
        for (f, s) in fast.iter().zip(&slow) {
            prop_assert_eq!(&f.0, &s.0);
            prop_assert!((f.1 - s.1).abs() < 1e-9, "{f:?} {s:?}");
        }
    }

    #[test]
    fn the_order_of_the_items_changes_nothing(items in any_items().prop_shuffle(), query in "[a-e] [a-e]") {
        let mut sorted = items.clone();
        sorted.sort_by(|a, b| a.id.cmp(&b.id));
        // Which of two that say the same is shown follows from their order by rank alone.
        let (a, b) = (MemoryIndex::of(items), MemoryIndex::of(sorted));
        prop_assert_eq!(rank_all(&a, &query, 3), rank_all(&b, &query, 3));
    }
}
