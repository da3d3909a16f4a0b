//! What is done with dreams and what they found.

use crate::tui::action::contexts::{ON_DREAMS, ON_LOOP, ON_RECORDS, PANES};
use crate::tui::action::{Action, Bind, Group, Spec};

pub(super) static ROWS: &[Spec] = &[
    spec!(
        DreamNow,
        Dreams,
        "dream now",
        "dream",
        "Looks for insights in the reward records; while a dream is under way, ends it.",
        [(PANES, ["D"])]
    ),
    spec!(
        AcceptInsight,
        Dreams,
        "accept the insight",
        "accept",
        "Marks the insight as right and acted upon; again takes the mark away.",
        [(ON_DREAMS, ["a"])]
    ),
    spec!(
        SnoozeInsight,
        Dreams,
        "snooze the insight",
        "snooze",
        "Puts the insight out of sight for a week; again brings it back.",
        [(ON_DREAMS, ["s"])]
    ),
    spec!(
        DismissInsight,
        Dreams,
        "dismiss the insight",
        "dismiss",
        "Leaves the insight out until its evidence has doubled; again brings it back.",
        [(ON_DREAMS, ["x"])]
    ),
    spec!(
        ShowHidden,
        Dreams,
        "list dismissed and snoozed insights too",
        "hidden",
        "Lists dismissed and snoozed insights too, or leaves them out again.",
        [(ON_DREAMS, ["H"])]
    ),
    spec!(
        LeaveOutRecord,
        Dreams,
        "suppose that the record were not there",
        "leave out",
        "Supposes that the chosen record were not there; again puts it back.",
        [(ON_RECORDS, ["r"])]
    ),
    spec!(
        LeaveOutCase,
        Dreams,
        "suppose that the record's case were not there",
        "its case",
        "Supposes that the case of the chosen record were not there; again puts it back.",
        [(ON_RECORDS, ["c"])]
    ),
    spec!(
        LeaveOutDomain,
        Dreams,
        "suppose that the record's domain were not there",
        "its domain",
        "Supposes that the domain of the chosen record were not there; again puts it back.",
        [(ON_RECORDS, ["d"])]
    ),
    spec!(
        NextLimit,
        Dreams,
        "choose the limit to move",
        "limit",
        "Chooses which limit + and - move: gap, low, cases, impact, confidence.",
        [(ON_DREAMS, ["L"])]
    ),
    spec!(
        LimitUp,
        Dreams,
        "suppose a higher limit",
        "higher",
        "Supposes that the limit were higher.",
        [(ON_DREAMS, ["+"])]
    ),
    spec!(
        LimitDown,
        Dreams,
        "suppose a lower limit",
        "lower",
        "Supposes that the limit were lower.",
        [(ON_DREAMS, ["-"])]
    ),
    spec!(
        PutBack,
        Dreams,
        "suppose nothing any more",
        "put back",
        "Puts back all that was left out and every limit that was moved.",
        [(ON_DREAMS, ["0"])]
    ),
    spec!(
        RateExcellent,
        Dreams,
        "rate the phase 1.0",
        "1.0",
        "Says that the work in the phase in view was excellent: a reward record of your own.",
        [(ON_LOOP, [", 1"])]
    ),
    spec!(
        RateGood,
        Dreams,
        "rate the phase 0.7",
        "0.7",
        "Says that the work in the phase in view was good.",
        [(ON_LOOP, [", 2"])]
    ),
    spec!(
        RateWeak,
        Dreams,
        "rate the phase 0.3",
        "0.3",
        "Says that the work in the phase in view needs to be better.",
        [(ON_LOOP, [", 3"])]
    ),
    spec!(
        RateFailed,
        Dreams,
        "rate the phase 0.0",
        "0.0",
        "Says that the work in the phase in view failed.",
        [(ON_LOOP, [", 4"])]
    ),
];
