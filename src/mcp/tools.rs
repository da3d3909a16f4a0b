//! The table of tools.

use std::sync::Arc;

use rmcp::model::Tool;
use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::answer::{Answer, Call, error};
use super::{coordinate, loop_args, loops, sessions, stores};
use crate::engine::Result;

type Arguments = Map<String, Value>;

/// One tool.
pub(super) struct Entry {
    pub name: &'static str,
    about: &'static str,
    reads: bool,
    schema: fn() -> Arguments,
    run: fn(&Call<'_>, &Arguments) -> Answer,
}

fn schema<T: JsonSchema>() -> Arguments {
    let mut schema = schemars::schema_for!(T);
    let object = std::mem::take(schema.ensure_object());
    object.into_iter().filter(|(key, _)| key != "$schema").collect()
}

/// A tool whose errors have the form of all others.
macro_rules! tool {
    ($name:literal, $args:ty, $run:path, $reads:literal, $about:literal) => {
        Entry {
            name: $name,
            about: $about,
            reads: $reads,
            schema: schema::<$args>,
            run: |call, given| or_error(call, $run(call, given)),
        }
    };
}

fn or_error(call: &Call<'_>, answer: Result<Answer>) -> Answer {
    answer.unwrap_or_else(|refused| error(call, None, &refused))
}

/// All tools.
pub(super) const TOOLS: &[Entry] = &[
    Entry {
        name: "bclaw_loop",
        about: "Drive a structured loop (ideation, review, research, implementation, debug): \
                open it, take turns, file artifacts, advance, ask, close. Answers name what to \
                call next, with ids.",
        reads: false,
        schema: schema::<loop_args::LoopArgs>,
        run: loops::bclaw_loop,
    },
    Entry {
        name: "bclaw_coordinate",
        about: "Open a loop and hand out its first turns in one call: ideate (a proposal is \
                criticised) or review (a change is reviewed).",
        reads: false,
        schema: schema::<coordinate::CoordinateArgs>,
        run: coordinate::coordinate,
    },
    Entry {
        name: "bclaw_dispatch",
        about: "The same as bclaw_coordinate, under its older name.",
        reads: false,
        schema: schema::<coordinate::CoordinateArgs>,
        run: coordinate::coordinate,
    },
    tool!(
        "loop_why",
        loops::LookArgs,
        loops::loop_why,
        true,
        "Why a loop stands where it stands, and what would help."
    ),
    tool!(
        "loop_brief",
        loops::LookArgs,
        loops::loop_brief,
        true,
        "What a slot is to read before it works."
    ),
    tool!(
        "memory_search",
        stores::SearchArgs,
        stores::memory_search,
        true,
        "Search the project's memory: traps, decisions, constraints, and more."
    ),
    tool!(
        "memory_add",
        stores::AddArgs,
        stores::memory_add,
        false,
        "Keep something for later briefs in the project's memory."
    ),
    tool!(
        "reward_add",
        stores::RewardArgs,
        stores::reward_add,
        false,
        "Record how good the work in a phase was."
    ),
    tool!(
        "dream_run",
        stores::DreamArgs,
        stores::dream_run,
        false,
        "Find insights in the reward records."
    ),
    tool!(
        "dream_status",
        stores::NoArgs,
        stores::dream_status,
        true,
        "Whether a dream is due, and why."
    ),
    tool!(
        "dream_insights",
        stores::InsightArgs,
        stores::dream_insights,
        true,
        "What the newest dream found."
    ),
    tool!(
        "whetstone_start_iteration_session",
        sessions::StartArgs,
        sessions::start,
        false,
        "Start a session: the record of closing one gap, attempt by attempt."
    ),
    tool!(
        "whetstone_record_attempt",
        sessions::RecordArgs,
        sessions::record,
        false,
        "Record an attempt and what it showed."
    ),
    tool!(
        "whetstone_get_session_state",
        sessions::StateArgs,
        sessions::state,
        true,
        "A session with its attempts, its gap and its status."
    ),
];

impl Entry {
    /// The tool as clients are told of it.
    pub fn tool(&self) -> Tool {
        let mut hints = rmcp::model::ToolAnnotations::new();
        hints.read_only_hint = Some(self.reads);
        hints.destructive_hint = Some(false);
        hints.open_world_hint = Some(false);
        Tool::new(self.name, self.about, Arc::new((self.schema)())).with_annotations(hints)
    }

    /// Carries a call out.
    pub fn call(&self, call: &Call<'_>, given: &Arguments) -> Answer {
        (self.run)(call, given)
    }
}

/// A tool by name.
pub(super) fn find(name: &str) -> Option<&'static Entry> {
    TOOLS.iter().find(|tool| tool.name == name)
}
