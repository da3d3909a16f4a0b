//! The same input gives the same bytes, in whatever order and place it is read.

use proptest::prelude::*;

use super::*;

fn settings() -> ProptestConfig {
    ProptestConfig {
        cases: 96,
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn one() -> impl Strategy<Value = Value> {
    let pick = |names: &'static [&'static str]| prop::sample::select(names);
    (
        0..40u32,
        pick(&["banking", "retail", "d10", "d2"]),
        pick(&["c1", "c2", "c3"]),
        pick(&["phase-2", "phase-2.5", "phase-10", "banking"]),
        pick(&["banking", "triz", "game"]),
        0..=20u32,
        0..90u32,
        prop::option::of(0..5u32),
    )
        .prop_map(|(id, domain, case, phase, skill, reward, minute, rounds)| {
            let reward = f64::from(reward) / 20.0;
            let mut value = record(&format!("r{id}"), domain, case, phase, skill, reward, minute);
            if let Some(rounds) = rounds {
                value["outcome"] = json!({ "iterations": rounds });
            }
            value
        })
}

fn bytes(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let request = Request { graph: WithGraph::Yes, ..Request::at(now()) };
    let dreamt = dream_of_files(files.iter().cloned(), &request);
    let mut dream = dreamt.dream;
    // Where a file lies is told only of those that are skipped.
    dream.skipped.iter_mut().for_each(|s| s.path.clear());
    dream.skipped.sort();
    let mut bytes = dream.to_bytes();
    bytes.extend(serde_json::to_vec(&dreamt.graph).expect("a graph"));
    bytes
}

proptest! {
    #![proptest_config(settings())]

    #[test]
    fn permuting_files_and_adding_unrelated_ones_changes_nothing(
        records in prop::collection::vec(one(), 0..40),
        seed in any::<u64>(),
    ) {
        let all = files(&records);
        let expected = bytes(&all);
        let mut shuffled = all.clone();
        let mut state = seed | 1;
        for n in (1..shuffled.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            shuffled.swap(n, (state >> 33) as usize % (n + 1));
        }
        shuffled.push(("README.md".to_owned(), b"hello".to_vec()));
        shuffled.push(("_stats/x.json".to_owned(), b"{".to_vec()));
        shuffled.push(("config.json".to_owned(), b"{".to_vec()));
        prop_assert_eq!(bytes(&shuffled), expected.clone());
        // Read in two parts, the second first.
        let (left, right) = all.split_at(all.len() / 2);
        let mut memory = Memory::of(right.iter().cloned());
        memory.absorb(Memory::of(left.iter().cloned()));
        let in_parts = dream(&memory, &Request::at(now())).dream;
        let at_once = dream_of_files(all.iter().cloned(), &Request::at(now())).dream;
        prop_assert_eq!(in_parts, at_once);
    }

    #[test]
    fn splitting_into_folders_changes_nothing(
        records in prop::collection::btree_map("r[0-9]{2}", one(), 0..40),
    ) {
        let records: Vec<Value> = records
            .into_iter()
            .map(|(id, mut record)| { record["id"] = json!(id); record })
            .collect();
        let flat = files(&records);
        let split: Vec<(String, Vec<u8>)> = flat
            .iter()
            .enumerate()
            .map(|(n, (path, file))| (format!("{}/{}/{path}", n % 3, n % 5), file.clone()))
            .collect();
        prop_assert_eq!(bytes(&split), bytes(&flat));
    }

    #[test]
    fn nothing_that_a_file_may_hold_panics(
        text in "\\PC{0,80}",
        json in "[\\[\\]{}:,\"a-z0-9 .-]{0,60}",
    ) {
        let files = [("a.json".to_owned(), text.into_bytes()), ("b.json".to_owned(), json.into_bytes())];
        let memory = Memory::of(files.iter().cloned());
        prop_assert_eq!(memory.rows.len() + memory.skipped.len(), 2);
        let _ = Dream::parse(&files[0].1);
        let _ = crate::core::dream::foreign::read(&files[1].1);
        let _ = crate::core::dream::trigger::State::parse(&files[1].1);
        let _ = Marks::parse(&files[1].1);
    }

    #[test]
    fn a_dream_reads_back_as_it_was_written(records in prop::collection::vec(one(), 5..40)) {
        let dream = dreamt(&records).dream;
        let again = Dream::parse(&dream.to_bytes()).expect("readable");
        prop_assert_eq!(again.to_bytes(), dream.to_bytes());
    }
}
