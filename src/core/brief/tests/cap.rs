//! What gives way at the cap, and that nothing passes it.

use proptest::prelude::*;

use super::*;

#[test]
fn an_empty_bundle_is_said_aloud() {
    let mut desk = Desk::open(Kind::Ideation, "Split the cache");
    desk.advance(None);
    let brief = desk.brief(&MemoryIndex::default());
    let warning = "no memory in traps, feedback, runtime_notes: this critique has no adversary; seed memory first";
    assert_eq!(brief.warnings, [warning]);
    assert!(brief.text.contains(warning));
    assert!(!brief.truncated);
}

#[test]
fn memory_gives_way_first_lowest_ranked_first_and_whole() {
    let mut desk = Desk::open(Kind::Ideation, "cache lock queue");
    desk.advance(None);
    let critique = desk.add("critique", &"The argument. ".repeat(50));
    let filler = "lorem ".repeat(600);
    let index = MemoryIndex::of([
        item("trp_00000001", &format!("cache lock queue {filler}")),
        item("trp_00000002", &format!("cache lock {filler}")),
        item("trp_00000003", &format!("cache {filler}")),
        item("not_00000001", &format!("nothing of it {filler}")),
    ]);
    let whole = desk.brief(&index);
    assert!(!whole.truncated);
    for (less, dropped) in [(500, 1), (4_500, 2)] {
        let cap = whole.chars - less;
        let brief = desk.brief_within(&index, cap);
        let kept: Vec<bool> = brief.items.iter().map(|item| item.included).collect();
        assert_eq!(kept, [true, true, dropped < 2, false]);
        assert!(brief.chars <= cap);
        let items = if dropped == 1 { "item" } else { "items" };
        let tail = format!("\n---\nmemory bundle truncated: {dropped} {items} dropped\n");
        assert!(brief.text.ends_with(&tail), "{}", brief.text);
        assert!(brief.text.contains(critique.as_str()));
        assert!(!brief.text.contains("not_00000001") && !brief.text.contains("### runtime_notes"));
        assert_eq!(
            (brief.dropped_items, brief.truncated, brief.warnings.len()),
            (dropped, true, 1)
        );
    }
}

#[test]
fn an_item_that_cannot_fit_does_not_take_the_others_with_it() {
    let mut desk = Desk::open(Kind::Ideation, "cache");
    desk.advance(None);
    let index = MemoryIndex::of([
        item("trp_00000001", &"cache ".repeat(20_000)),
        item("trp_00000002", "a cache of ours"),
    ]);
    let brief = desk.brief(&index);
    assert!(brief.text.contains("[trp_00000002]") && !brief.text.contains("[trp_00000001]"));
    assert_eq!(brief.dropped_items, 1);
}

#[test]
fn a_long_proposal_is_cut_at_a_line_and_named() {
    let line = "a line of the proposal\n";
    let mut desk = Desk::open(Kind::Ideation, "short");
    let proposal = desk.state.artifacts[0].artifact_id.clone();
    desk.bodies.insert(proposal.clone(), line.repeat(1_000));
    desk.advance(None);
    for n in 0..6 {
        desk.add("critique", &format!("critique {n} {}", "x".repeat(3_000)));
    }
    let ids: Vec<ArtifactId> = desk.state.artifacts.iter().map(|a| a.artifact_id.clone()).collect();
    let brief = desk.brief_within(&memory(), 12_000);
    assert!(brief.chars <= 12_000, "{}", brief.chars);
    let shown = brief.text.matches(line).count();
    let part = shown * line.len();
    assert!((5_700..=6_000).contains(&part), "about half of the cap: {part}");
    let left_out = line.len() * (1_000 - shown);
    assert_order(
        &brief.text,
        &[
            "a line of the proposal\n[cut here]\n",
            "\n---\nmemory bundle truncated: 3 items dropped\nthis round truncated: ",
            &format!("{}, {}", ids[0], ids[1]),
            // The last line feed of the body is no part of what is said.
            &format!("shortened: {proposal} cut, {left_out} characters left out\n"),
        ],
    );
    assert!(brief.text.contains(&format!("[{}]", ids[6])), "the newest stays");
}

#[test]
fn a_body_that_cannot_be_read_is_said() {
    let mut desk = Desk::open(Kind::Ideation, "Split the cache");
    desk.bodies.clear();
    let brief = desk.brief(&memory());
    assert!(brief.text.contains("Split the cache (the rest could not be read)"));
    assert_eq!(brief.warnings, ["1 body could not be read in full: only the beginning is shown"]);
}

/// A loop with arbitrary contents, somewhere between its proposal and its end.
fn any_desk() -> impl Strategy<Value = Desk> {
    let text = prop_oneof!["\\PC{1,40}", "[a-zé日本 \n]{0,3000}", "(cache )(queue\n){0,900}"];
    let said = prop::collection::vec(text, 1..14);
    (said, 0usize..4, "\\PC{1,1500}").prop_map(|(said, rounds, goal)| {
        let mut desk = Desk::open(Kind::Ideation, "start");
        let first = desk.state.artifacts[0].artifact_id.clone();
        desk.bodies.insert(first, said[0].clone());
        desk.run(Command::Amend(Amend { goal: Some(format!("g{goal}")), ..Amend::default() }), "");
        desk.advance(None);
        for (i, text) in said.iter().enumerate() {
            let kind = ["critique", "revision", "finding", "verify_note"][i % 4];
            desk.add(kind, text);
            if rounds > 0 && i % (5 - rounds) == 0 && desk.state.iteration_count < 2 {
                desk.advance(Some("critique"));
            }
        }
        if said.len() % 3 == 0 {
            desk.advance(Some("synthesis"));
        }
        desk
    })
}

fn any_memory() -> impl Strategy<Value = Vec<Arc<MemoryItem>>> {
    let one = (0usize..9, prop_oneof!["[a-e ]{0,40}", "(cache |日本){1,400}"]);
    prop::collection::vec(one, 0..40).prop_map(|rows| {
        let made = |(i, (c, text)): (usize, (usize, String))| {
            item(&format!("{}{i:08x}", Category::USER[c].id_prefix()), &text)
        };
        rows.into_iter().enumerate().map(made).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_brief_is_never_longer_than_its_cap(desk in any_desk(), items in any_memory(), cap in 4_000usize..30_000) {
        let brief = desk.brief_within(&MemoryIndex::of(items), cap);
        prop_assert!(brief.text.chars().count() <= cap, "{} > {cap}", brief.chars);
        prop_assert_eq!(brief.chars, brief.text.chars().count());
        prop_assert_eq!(brief.included_items + brief.dropped_items, brief.items.len());
        let shown = |item: &RankedItem| brief.text.contains(&format!("- [{}]", item.id));
        for item in &brief.items {
            prop_assert_eq!(shown(item), item.included);
        }
        prop_assert!(brief.text.contains("## what to produce"));
    }

    #[test]
    fn the_order_of_the_memory_changes_nothing(desk in any_desk(), items in any_memory().prop_shuffle(), cap in 4_000usize..20_000) {
        let mut sorted = items.clone();
        sorted.sort_by(|a, b| a.id.cmp(&b.id));
        let (a, b) = (MemoryIndex::of(items), MemoryIndex::of(sorted));
        let brief = desk.brief_within(&a, cap);
        prop_assert_eq!(&brief, &desk.brief_within(&a, cap));
        prop_assert_eq!(&brief, &desk.brief_within(&b, cap));
    }
}
