//! Whatever is recorded, the rules hold.

use proptest::prelude::*;

use super::super::*;
use super::fixture::*;

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 128,
        max_shrink_iters: 500,
        failure_persistence: None,
        ..Default::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_session_ends_once_and_says_why(
        max in 1_u32..6,
        steps in prop::collection::vec((0_u64..4, any::<bool>(), any::<bool>()), 1..12),
    ) {
        let mut session = session(max);
        for (n, (failures, error, recoverable)) in steps.into_iter().enumerate() {
            let was_final = session.status.is_final();
            let mut new = attempt(&session, u8::try_from(n).expect("few"));
            new.attempt.outcome = if error { Outcome::Error } else { Outcome::Failure };
            new.attempt.recoverable = recoverable;
            new.gap = Some(NewGap::to_zero(MetricType::TestFailureCount, failures));
            let before = session.clone();
            match record(&mut session, new, at(60)) {
                Ok(_) => prop_assert!(!was_final),
                Err(refusal) => {
                    prop_assert!(was_final && refusal.code == "session_closed");
                    prop_assert_eq!(&session, &before);
                }
            }
            prop_assert!(session.attempts.len() <= max as usize);
            let expected = if failures == 0 { Status::Converged }
                else if session.attempts.len() == max as usize { Status::Escalated }
                else if error && !recoverable { Status::Failed }
                else { Status::Active };
            if !was_final {
                prop_assert_eq!(&session.status, &expected);
            }
            let last = session.transitions.last().expect("the first attempt is logged");
            prop_assert_eq!(&last.to, &session.status);
        }
        let text = written(&session);
        prop_assert_eq!(written(&read::<Session>(&text)), text);
    }

    #[test]
    fn a_cut_text_fits_and_accounts_for_every_byte(text in "\\PC{0,400}", times in 1_usize..400) {
        let text = text.repeat(times);
        let (kept, truncated) = capped(&text);
        prop_assert!(kept.len() <= RAW_CAP);
        prop_assert_eq!(truncated, text.len() > RAW_CAP);
        if truncated {
            let (head, rest) = kept.split_once("[… ").expect("the line");
            let head = if text.starts_with(head) { head } else { &head[..head.len() - 1] };
            let (missing, tail) = rest.split_once(" bytes are left out here …]\n").expect("the line");
            let missing: usize = missing.parse().expect("a number");
            prop_assert_eq!(head.len() + missing + tail.len(), text.len());
            prop_assert!(text.ends_with(tail));
        }
    }
}
