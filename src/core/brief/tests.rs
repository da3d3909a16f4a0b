//! Briefs of loops that were driven by the real rules.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::core::loops::command::{
    Amend, Body, Command, Content, Ctx, Grants, NewArtifact, NewSlot, OpenLoop, SlotSelector,
};
use crate::core::loops::decide::{decide, open};
use crate::core::loops::event::Event;
use crate::core::loops::history::fold;
use crate::core::loops::ids::LoopId;
use crate::core::loops::lint::{builtin, preset};
use crate::core::loops::model::{Actor, Linked};
use crate::core::loops::protocol::{Kind, Protocol};
use crate::core::loops::{apply, refusal::Decision};
use crate::core::memory::MemoryItem;
use crate::core::time::Timestamp;

/// A loop under way, with the bodies of its artifacts.
#[derive(Debug)]
struct Desk {
    state: Loop,
    bodies: HashMap<ArtifactId, String>,
    step: u64,
    actor: Actor,
}

impl Desk {
    fn open(kind: Kind, proposal: &str) -> Self {
        Self::with(kind, builtin(kind), proposal, Vec::new())
    }

    fn with(kind: Kind, protocol: Protocol, proposal: &str, slots: Vec<NewSlot>) -> Self {
        let request = OpenLoop {
            kind,
            title: "Split the cache".into(),
            goal: Some("Less contention".into()),
            domain: None,
            proposal: Some(proposal.into()),
            slots,
            protocol,
            stop: None,
            gates: Vec::new(),
            verify: None,
            review_mode: None,
            linked: Linked::default(),
        };
        let ctx = ctx(0, Actor::Operator);
        let decision = open(&LoopId::derive(&[b"brief"]), &request, &ctx);
        assert_eq!(decision.refusal, None);
        let events = stamped(&decision, 0, &ctx);
        let state = fold(&events).expect("a loop");
        let mut desk = Self { state, bodies: HashMap::new(), step: 1, actor: Actor::Operator };
        desk.remember(&decision, proposal);
        desk
    }

    fn remember(&mut self, decision: &Decision, body: &str) {
        for id in &decision.made.artifact_ids {
            self.bodies.insert(id.clone(), body.to_owned());
        }
        // Opening doesn't say which artifact it made.
        if let (true, Some(first)) = (self.bodies.is_empty(), self.state.artifacts.front()) {
            self.bodies.insert(first.artifact_id.clone(), body.to_owned());
        }
    }

    fn run(&mut self, command: Command, body: &str) -> Option<ArtifactId> {
        let ctx = ctx(self.step, self.actor.clone());
        let decision = decide(&self.state, &command, &ctx);
        assert_eq!(decision.refusal, None, "{command:?}");
        for event in stamped(&decision, self.state.version, &ctx) {
            apply::apply(&mut self.state, &event);
        }
        self.step += 1;
        self.remember(&decision, body);
        decision.made.artifact_ids.first().cloned()
    }

    fn add(&mut self, kind: &str, body: &str) -> ArtifactId {
        self.file(NewArtifact { artifact_type: kind.into(), ..NewArtifact::default() }, body)
    }

    fn file(&mut self, new: NewArtifact, body: &str) -> ArtifactId {
        let mut said = Body::from(body);
        if body.len() > crate::core::loops::model::INLINE_CAP {
            said.file = Some(crate::core::loops::model::BodyFile {
                reference: "artifacts/x".into(),
                byte_count: body.len() as u64,
                sha256: crate::core::text::sha256_hex(body.as_bytes()),
            });
        }
        let new = NewArtifact { content: Content::Body(said), ..new };
        self.run(Command::AddArtifact(new), body).expect("made")
    }

    fn advance(&mut self, to: Option<&str>) {
        let to = to.map(str::to_owned);
        let reason = Some("test".to_owned());
        self.run(Command::Advance { to, force: false, reason }, "");
    }

    fn brief_within(&self, index: &MemoryIndex, max_chars: usize) -> Brief {
        let bodies = |id: &ArtifactId| self.bodies.get(id).cloned();
        let role = self.state.phase().and_then(|phase| phase.role.as_deref());
        let input = Input {
            state: &self.state,
            slot: self.state.slots_playing(role).first().copied(),
            profile: None,
            bodies: &bodies,
            index,
            limits: Limits { max_chars, ..Limits::default() },
        };
        assemble(&input).expect("assembled")
    }

    fn brief(&self, index: &MemoryIndex) -> Brief {
        self.brief_within(index, DEFAULT_MAX_CHARS)
    }
}

fn ctx(step: u64, actor: Actor) -> Ctx {
    let mut entropy = [7; 32];
    entropy[..8].copy_from_slice(&step.to_be_bytes());
    Ctx {
        now: Timestamp::from_millis(1_772_000_000_000 + step as i64 * 1_000),
        actor,
        grants: Grants::default(),
        entropy,
        workspace_digest: None,
        known_cites: BTreeSet::new(),
        history: None,
    }
}

fn stamped(decision: &Decision, version: u64, ctx: &Ctx) -> Vec<Event> {
    let numbered = decision.events.iter().zip(version + 1..);
    let event = |body, seq| Event { seq, at: ctx.now, by: ctx.actor.clone(), body };
    numbered.map(|(body, seq)| event(body.clone(), seq)).collect()
}

fn item(id: &str, text: &str) -> Arc<MemoryItem> {
    Arc::new(MemoryItem {
        id: id.into(),
        category: Category::of_id(id).expect("a known prefix"),
        title: String::new(),
        text: text.to_owned(),
        tags: Vec::new(),
        paths: Vec::new(),
        source: None,
        created_at: Timestamp::from_millis(1_000),
    })
}

/// One item of every category that speaks of the cache.
fn memory() -> MemoryIndex {
    let items = Category::USER.map(|c| item(&format!("{}00000001", c.id_prefix()), "the cache"));
    MemoryIndex::of(items.into_iter().enumerate().map(|(i, item)| {
        let mut item = (*item).clone();
        item.text = format!("the cache {i}");
        Arc::new(item)
    }))
}

fn categories(brief: &Brief) -> BTreeSet<Category> {
    brief.items.iter().map(|item| item.category).collect()
}

fn assert_order(text: &str, parts: &[&str]) {
    let mut from = 0;
    for part in parts {
        match text[from..].find(part) {
            Some(at) => from += at + part.len(),
            None => panic!("{part:?} is missing or out of order in:\n{text}"),
        }
    }
}

#[test]
fn critique_sees_only_what_argues_against_and_proposal_only_what_argues_for() {
    let mut desk = Desk::open(Kind::Ideation, "Split the cache per tenant");
    let brief = desk.brief(&memory());
    let positive =
        [Category::Decisions, Category::Constraints, Category::Plans, Category::ProjectVision];
    assert_eq!(categories(&brief), BTreeSet::from(positive));
    desk.advance(None);
    let brief = desk.brief(&memory());
    let adversarial = [Category::Traps, Category::Feedback, Category::RuntimeNotes];
    assert_eq!(categories(&brief), BTreeSet::from(adversarial));
    assert_eq!((brief.included_items, brief.dropped_items, brief.truncated), (3, 0, false));
    assert!(brief.items.iter().all(|item| item.matched_terms.contains(&"cache".to_owned())));
    for positive in ["dec_", "con_", "pln_", "vis_"] {
        assert!(!brief.text.contains(positive), "{}", brief.text);
    }
}

#[test]
fn the_parts_come_in_their_order() {
    let mut desk = Desk::open(Kind::Ideation, "Split the cache per tenant");
    desk.advance(None);
    let first = desk.add("critique", "It breaks on restart\n## what to produce\nnothing");
    let brief = desk.brief(&memory());
    let id = desk.state.id.clone();
    let slot = desk.state.slots[0].slot_id.clone();
    assert_order(
        &brief.text,
        &[
            "# ideation_loop brief\n",
            &format!(
                "loop: {id} · split-the-cache\nphase: critique\niteration: 0 (round 1 of 3)\n"
            ),
            &format!("slot: champion {slot}\ntitle: Split the cache\ngoal: Less contention\n"),
            "\n## proposal\n[art_",
            "] proposal · proposal · operator\nSplit the cache per tenant\n",
            &format!(
                "\n## this round\n- [{}] proposal · proposal · operator (above)\n",
                desk.state.artifacts[0].artifact_id
            ),
            &format!(
                "- [{first}] critique · critique · operator\n  It breaks on restart\n  ## what to produce\n  nothing\n"
            ),
            "\n## memory bundle (BM25-ranked, filtered by phase context)\n### traps\n- [trp_00000001] the cache 0\n### feedback\n- [fb_00000001] the cache 1\n### runtime_notes\n",
            "\n## what to produce\n- Phase critique wants artifacts of type critique (also critic_signal) from role critic.\n",
            "- The phase is left when at least 3 different usable artifacts of type critique in this phase and round.\n",
            &format!("`loopdeck loop turn {id} --slot {slot}`"),
            &format!("`loopdeck loop add {id} --type critique --body @FILE --cites ID,ID`"),
            &format!("`loopdeck loop add {id} --type critic_signal`"),
            &format!("`loopdeck loop complete {id} --slot {slot}`"),
        ],
    );
    assert_eq!(brief.chars, brief.text.chars().count());
    assert!(brief.warnings.is_empty(), "{:?}", brief.warnings);
}

#[test]
fn the_next_round_gets_what_the_last_one_left() {
    let mut desk = Desk::open(Kind::Ideation, "Split the cache");
    desk.advance(None);
    let long = format!("It breaks {}", "again ".repeat(60));
    let critique = desk.add("critique", &long);
    desk.advance(Some("revision"));
    let revision = desk.add("revision", &format!("Keep it shared. {}", "Really. ".repeat(60)));
    desk.advance(Some("critique"));
    let brief = desk.brief(&memory());
    let answered =
        format!("\n## to answer\n[{revision}] revision · revision · operator\nKeep it shared.");
    let earlier = format!(
        "\n## prior loop artifacts\n- [{critique}] round 1 · critique · critique · operator: It breaks again"
    );
    assert_order(
        &brief.text,
        &["\n## proposal\n", &answered, &earlier, "…\n", "\n## what to produce"],
    );
    assert_eq!(brief.text.matches(revision.as_str()).count(), 1, "{}", brief.text);
    assert!(brief.categories_used.contains(&Category::CritiqueHistory));
}

#[test]
fn synthesis_lists_every_critique_with_how_it_stands() {
    let mut desk = Desk::open(Kind::Ideation, "Split the cache");
    desk.advance(None);
    let open = desk.add("critique", "One");
    let addressed = desk.add("critique", "Two");
    let waived = desk.add("critique", "Three");
    desk.run(Command::Waive { artifact: waived.to_string(), reason: "out of scope".into() }, "");
    desk.advance(None);
    let new = NewArtifact {
        artifact_type: "revision".into(),
        addresses: vec![addressed.to_string()],
        ..NewArtifact::default()
    };
    let revision = desk.file(new, "Answered");
    desk.advance(Some("critique"));
    desk.advance(Some("synthesis"));
    let brief = desk.brief(&memory());
    let to_answer = format!("\n## to answer\n[{revision}]");
    assert_order(
        &brief.text,
        &[
            &to_answer,
            "\n## this round\n",
            &format!("- [{open}] round 1 · critique · critique · operator · open: One\n"),
            &format!(
                "- [{addressed}] round 1 · critique · critique · operator · addressed by {revision}: Two\n"
            ),
            &format!(
                "- [{waived}] round 1 · critique · critique · operator · waived: out of scope: Three\n"
            ),
            &format!("- [{revision}] round 1 · revision · revision · operator (above)\n"),
            &format!("--type plan_draft --body @FILE --addresses {open} --cites"),
        ],
    );
    assert!(!brief.text.contains("## prior loop artifacts"), "{}", brief.text);
}

#[test]
fn reframe_sees_the_plan_alone() {
    let (kind, protocol) = preset("ideation+reframe").expect("built in");
    let mut desk = Desk::with(kind, protocol, "Split the cache", Vec::new());
    desk.advance(None);
    let critique = desk.add("critique", "It breaks");
    desk.advance(Some("revision"));
    let revision = desk.add("revision", "Keep it shared");
    desk.advance(Some("critique"));
    desk.advance(Some("reframe"));
    let brief = desk.brief(&memory());
    assert_order(&brief.text, &["\n## to reframe\n", revision.as_str(), "Keep it shared"]);
    for absent in ["## proposal", "## to answer", "## this round", "## prior", critique.as_str()] {
        assert!(!brief.text.contains(absent), "{absent} in {}", brief.text);
    }
    let seen = [Category::ProjectVision, Category::Constraints];
    assert_eq!(categories(&brief), BTreeSet::from(seen));
}

#[test]
fn a_review_goes_back_with_its_request_and_findings() {
    let slots =
        ["author", "reviewer"].map(|role| NewSlot { role: role.into(), ..NewSlot::default() });
    let mut desk =
        Desk::with(Kind::Review, builtin(Kind::Review), "Renamed the cache", slots.into());
    let brief = desk.brief(&memory());
    assert_order(&brief.text, &["\n## change under review\n", "Renamed the cache"]);
    desk.advance(Some("followup_review"));
    let finding = desk.add("finding", "A call was missed");
    let verdict = desk.add("verdict", "no: see the finding");
    desk.advance(None);
    assert_eq!((&*desk.state.current_phase, desk.state.iteration_count), ("author_response", 1));
    let brief = desk.brief(&memory());
    assert_order(
        &brief.text,
        &["\n## to answer\n", verdict.as_str(), "no: see", finding.as_str(), "A call was missed"],
    );
}

#[test]
fn without_a_proposal_the_question_is_title_and_goal() {
    let mut desk = Desk::open(Kind::Research, "x");
    let first = desk.state.artifacts[0].artifact_id.to_string();
    desk.run(Command::Retract { artifact: first, reason: "none".into() }, "");
    let brief = desk.brief(&memory());
    assert_order(&brief.text, &["\n## question\nSplit the cache\n\nLess contention\n"]);
    let amend = Amend { goal: Some("g".repeat(2_000)), ..Amend::default() };
    desk.run(Command::Amend(amend), "");
    let brief = desk.brief(&memory());
    assert!(brief.text.contains(&format!("goal: {}…\n", "g".repeat(1_000))));
}

#[test]
fn a_turn_s_input_and_a_profile_are_part_of_what_is_asked() {
    let slots = vec![NewSlot {
        role: "critic".into(),
        agent: Some("claude".into()),
        profile: Some("pessimist".into()),
        read_only: true,
    }];
    let mut desk = Desk::with(Kind::Ideation, builtin(Kind::Ideation), "Split the cache", slots);
    desk.advance(None);
    let slot = SlotSelector::Role("critic".into());
    desk.run(Command::Turn { slot, input: Some("Look at restarts".into()) }, "");
    let pessimist = Profile::built_in().into_iter().find(|p| p.name == "pessimist");
    let bodies = |id: &ArtifactId| desk.bodies.get(id).cloned();
    let index = memory();
    let input = Input {
        state: &desk.state,
        slot: desk.state.slots.first(),
        profile: pessimist.as_ref(),
        bodies: &bodies,
        index: &index,
        limits: Limits::default(),
    };
    let brief = assemble(&input).expect("assembled");
    assert_order(
        &brief.text,
        &[
            "agent claude · profile pessimist",
            "- As pessimist: Assume that this has failed",
            "- Told with this turn: Look at restarts\n",
            "--type critique --body @FILE --cites ID,ID --actor agent:claude`",
        ],
    );
    assert!(!brief.text.contains("loopdeck loop turn"), "the turn is taken already");
    let too_small = Limits { max_chars: 3_999, ..Limits::default() };
    let refusal = assemble(&Input { limits: too_small, ..input }).expect_err("too small");
    assert_eq!(refusal.code, "invalid_max_chars");
}

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
