//! What each part holds, and for whom.

use super::*;

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
        ..NewSlot::default()
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
