//! Memory, rewards and dreams.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answer::{Answer, Call, arguments, invalid, plain, word};
use crate::core::loops::refusal::Refusal;
use crate::core::memory::Category;
use crate::engine::{
    Cause, DreamRequest, Error, MemoryDraft, MemoryQuery, Result, RewardDraft, SeenInsight,
};

/// Items that a search has at most where nothing else is asked for.
const FOUND: usize = 20;

fn category(field: &str, text: &str) -> Result<Category> {
    let words: Vec<&str> = Category::USER.iter().map(AsRef::as_ref).collect();
    word::<Category>(field, text, &words)
}

/// The arguments of `memory_search`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SearchArgs {
    /// The words to rank by; absent = newest first.
    #[serde(alias = "query")]
    words: Option<String>,
    /// Of these categories; absent = of all.
    #[serde(default)]
    categories: Vec<String>,
    /// At most so many (20).
    limit: Option<usize>,
    /// After so many.
    #[serde(default)]
    offset: usize,
}

pub(super) fn memory_search(call: &Call<'_>, given: &Map<String, Value>) -> Result<Answer> {
    let (args, mut warnings) = arguments::<SearchArgs>(given)?;
    let categories = args.categories.iter().map(|text| category("categories", text));
    let page = call.engine.memory(&MemoryQuery {
        categories: categories.collect::<Result<Vec<_>>>()?,
        words: args.words,
        limit: Some(args.limit.unwrap_or(FOUND)),
        offset: args.offset,
    })?;
    warnings.extend(page.problems.iter().map(|problem| problem.message.clone()));
    let items: Vec<&crate::core::memory::MemoryItem> = page.items.iter().map(|i| &**i).collect();
    let result = json!({ "items": items, "total": page.total, "next_offset": page.next_offset });
    Ok(plain(result, warnings))
}

/// The arguments of `memory_add`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AddArgs {
    /// Its category.
    #[schemars(extend("enum" = [
        "traps", "feedback", "runtime_notes", "decisions", "constraints", "handoffs", "plans",
        "candidates", "project_vision"
    ]))]
    category: String,
    /// One line; absent = the text's first.
    title: Option<String>,
    /// The text.
    text: String,
    /// Free labels.
    tags: Option<Vec<String>>,
    /// Paths that it speaks of.
    paths: Option<Vec<String>>,
    /// Where it came from; absent = you.
    source: Option<String>,
}

pub(super) fn memory_add(call: &Call<'_>, given: &Map<String, Value>) -> Result<Answer> {
    let (args, warnings) = arguments::<AddArgs>(given)?;
    let item = call.engine.memory_add(&MemoryDraft {
        category: Some(category("category", &args.category)?),
        title: args.title,
        text: Some(args.text),
        tags: args.tags,
        paths: args.paths,
        source: Some(args.source.unwrap_or_else(|| call.actor.to_string())),
    })?;
    Ok(plain(json!(item), warnings))
}

/// The arguments of `reward_add`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RewardArgs {
    /// The case.
    case: String,
    /// The domain; absent = general.
    domain: Option<String>,
    /// The phase.
    phase: String,
    /// The phase as people call it.
    phase_name: Option<String>,
    /// Who or what worked it; absent = you.
    skill: Option<String>,
    /// From 0 to 1.
    reward: f64,
    /// Why so much.
    reason: Option<String>,
    /// Rounds that it took.
    iterations: Option<u64>,
    /// When it stops counting: a time or a date.
    expires_at: Option<String>,
}

pub(super) fn reward_add(call: &Call<'_>, given: &Map<String, Value>) -> Result<Answer> {
    let (args, mut warnings) = arguments::<RewardArgs>(given)?;
    let own = call.actor.agent().map(ToString::to_string);
    let (record, told) = call.engine.reward_add(&RewardDraft {
        case: args.case,
        domain: args.domain,
        phase: args.phase,
        phase_name: args.phase_name,
        skill: args.skill.or(own),
        reward: args.reward,
        reason: args.reason,
        iterations: args.iterations,
        expires_at: args.expires_at,
    })?;
    warnings.extend(told);
    Ok(plain(json!({ "record": record }), warnings))
}

/// The arguments of `dream_run`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct DreamArgs {
    /// Write one even if nothing has changed.
    #[serde(default)]
    force: bool,
    /// The concept graph, too.
    #[serde(default)]
    graph: bool,
}

pub(super) fn dream_run(call: &Call<'_>, given: &Map<String, Value>) -> Result<Answer> {
    let (args, mut warnings) = arguments::<DreamArgs>(given)?;
    let request = DreamRequest { force: args.force, graph: args.graph, cause: Cause::ByHand };
    let done = call.engine.dream_run(&request, &|_, _| true)?;
    let done = done.ok_or_else(|| Error::new("interrupted", "the dream was stopped"))?;
    let mut result = json!(done.dream);
    if let Some(graph) = &done.graph {
        result["graph"] = json!(graph);
    }
    warnings.extend(done.refusal.clone());
    warnings.extend(done.warnings);
    Ok(plain(result, warnings))
}

/// Tools without arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct NoArgs {}

pub(super) fn dream_status(call: &Call<'_>, given: &Map<String, Value>) -> Result<Answer> {
    let (_, mut warnings) = arguments::<NoArgs>(given)?;
    let status = call.engine.dream_status()?;
    warnings.extend(status.warnings.iter().cloned());
    let (state, evaluation) = (&status.state, &status.evaluation);
    let result = json!({
        "last_dream_id": state.last_id,
        "last_dream_completed_at": state.last_completed,
        "records_since_last_dream": state.records_since,
        "pending_events": state.events.len(),
        "met": evaluation.met,
        "should_dream": evaluation.should_dream(),
        "reason": evaluation.reason(),
        "latest": status.latest,
        "due": status.due,
        "auto": status.auto,
    });
    Ok(plain(result, warnings))
}

/// The arguments of `dream_insights`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct InsightArgs {
    /// Only of this domain.
    domain: Option<String>,
    /// One of them, by id or rank.
    id: Option<String>,
    /// Those that people put out of sight, too.
    #[serde(default)]
    all: bool,
}

pub(super) fn dream_insights(call: &Call<'_>, given: &Map<String, Value>) -> Result<Answer> {
    let (args, mut warnings) = arguments::<InsightArgs>(given)?;
    if let Some(id) = &args.id {
        let (view, seen) = call.engine.insight(id)?;
        let result = json!({ "dream_id": view.dream.dream_id, "insight": shown(&seen) });
        return Ok(plain(result, warnings));
    }
    let view = call.engine.dream(None)?;
    warnings.extend(view.problems.iter().map(|problem| problem.message.clone()));
    let fits = |seen: &&SeenInsight| {
        let domains = &seen.insight.domains;
        (args.all || !seen.hidden)
            && args
                .domain
                .as_ref()
                .is_none_or(|wanted| domains.is_empty() || domains.iter().any(|d| d == wanted))
    };
    let insights: Vec<Value> = view.insights.iter().filter(fits).map(shown).collect();
    let result = json!({
        "dream_id": view.dream.dream_id,
        "total": insights.len(),
        "next_offset": null,
        "insights": insights,
        "near_misses": view.dream.near_misses,
    });
    Ok(plain(result, warnings))
}

/// An insight with how it stands.
pub(super) fn shown(seen: &SeenInsight) -> Value {
    let mut value = json!(seen.insight);
    value["rank"] = seen.rank.into();
    value["change"] = seen.change.to_string().into();
    value["hidden"] = seen.hidden.into();
    value
}

/// A resource that is not there.
pub(super) fn no_such(uri: &str) -> Error {
    Refusal::new("item_not_found", format!("there is nothing at {uri}")).detail("uri", uri).into()
}

/// A tool that is not there.
pub(super) fn no_tool(name: &str) -> Error {
    invalid("name", format!("there is no tool {name:?}"))
}
