//! `loopdeck memory …`: what the project remembers.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::args::category;
use super::call::{Answer, Call};
use super::errors::Result;
use super::page::{Page, Tone, gap, plain, span};
use super::when::{age, clock};
use crate::core::memory::{Category, MemoryItem};
use crate::core::text::{first_chars, plural};
use crate::core::time::Timestamp;
use crate::engine::{Engine, ImportReport, MemoryDraft, MemoryPage, MemoryQuery, Problem};

/// The verbs on memory.
#[derive(Debug, Subcommand)]
pub enum MemoryVerb {
    /// File an item
    Add {
        /// What it is about
        #[arg(long, value_name = "CATEGORY", value_parser = category())]
        category: Category,
        /// One line
        #[arg(long)]
        title: String,
        /// The text, Markdown
        #[arg(long)]
        text: String,
        /// What it may carry besides
        #[command(flatten)]
        extra: ItemExtra,
    },
    /// Change an item; the former text is kept in quarantine
    Edit {
        /// Which
        id: String,
        /// What it is about
        #[arg(long, value_name = "CATEGORY", value_parser = category())]
        category: Option<Category>,
        /// One line
        #[arg(long)]
        title: Option<String>,
        /// The text, Markdown
        #[arg(long)]
        text: Option<String>,
        /// What it may carry besides
        #[command(flatten)]
        extra: ItemExtra,
    },
    /// Show an item in full
    Show {
        /// Which
        id: String,
    },
    /// List items, newest first
    List {
        /// Only of this category
        #[arg(long, value_name = "CATEGORY", value_parser = category())]
        category: Option<Category>,
        /// Which part of the list
        #[command(flatten)]
        slice: Slice,
    },
    /// Find items by words, best match first
    Search {
        /// The words
        #[arg(required = true, value_name = "WORDS")]
        words: Vec<String>,
        /// Only of these categories
        #[arg(long, value_name = "CATEGORY", value_parser = category())]
        category: Vec<Category>,
        /// Which part of the list
        #[command(flatten)]
        slice: Slice,
    },
    /// Take an item away; it is kept in quarantine
    Rm {
        /// Which
        id: String,
    },
    /// Import Markdown, decision records, CLAUDE.md, AGENTS.md or JSON items
    Import {
        /// A file or a folder
        path: PathBuf,
        /// File everything under this category
        #[arg(long, value_name = "CATEGORY", value_parser = category())]
        category: Option<Category>,
        /// Say what would be imported, and write nothing
        #[arg(long)]
        dry_run: bool,
    },
}

/// What an item may carry besides title and text.
#[derive(Debug, Args)]
pub struct ItemExtra {
    /// A free label (may be repeated)
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// A path or glob that it speaks of (may be repeated)
    #[arg(long, value_name = "PATH")]
    path: Vec<String>,
    /// Where it came from
    #[arg(long)]
    source: Option<String>,
}

/// Which part of a list is wanted.
#[derive(Debug, Args)]
pub struct Slice {
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
    /// After so many
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub offset: usize,
}

/// Carries out a verb on memory.
pub fn run(call: &Call, verb: MemoryVerb) -> Result<Answer> {
    call.refuse_conditions()?;
    let engine = call.engine()?;
    match verb {
        MemoryVerb::Add { category, title, text, extra } => {
            let text = call.text("text", &text)?;
            let draft = draft(Some(category), Some(title), Some(text), extra);
            Ok(item_answer(call, &engine, "filed", &engine.memory_add(&draft)?))
        }
        MemoryVerb::Edit { id, category, title, text, extra } => {
            let text = call.maybe_text("text", text.as_ref())?;
            let draft = draft(category, title, text, extra);
            Ok(item_answer(call, &engine, "changed", &engine.memory_edit(&id, &draft)?))
        }
        MemoryVerb::Rm { id } => {
            Ok(item_answer(call, &engine, "set aside", &engine.memory_remove(&id)?))
        }
        MemoryVerb::Show { id } => {
            let item = engine.memory_item(&id)?;
            let now = engine.now();
            Ok(call.answer(|| json!(item), |page| show(page, &item, now), Vec::new()))
        }
        MemoryVerb::List { category, slice } => {
            let query = query(category.into_iter().collect(), None, &slice);
            Ok(list(call, &engine, &query, engine.memory(&query)?))
        }
        MemoryVerb::Search { words, category, slice } => {
            let query = query(category, Some(words.join(" ")), &slice);
            Ok(list(call, &engine, &query, engine.memory(&query)?))
        }
        MemoryVerb::Import { path, category, dry_run } => {
            let report = engine.memory_import(&path, category, dry_run)?;
            Ok(call.answer(|| json!(report), |page| imported(page, &report), Vec::new()))
        }
    }
}

fn draft(
    category: Option<Category>,
    title: Option<String>,
    text: Option<String>,
    extra: ItemExtra,
) -> MemoryDraft {
    let given = |list: Vec<String>| (!list.is_empty()).then_some(list);
    MemoryDraft {
        category,
        title,
        text,
        tags: given(extra.tag),
        paths: given(extra.path),
        source: extra.source,
    }
}

fn query(categories: Vec<Category>, words: Option<String>, slice: &Slice) -> MemoryQuery {
    MemoryQuery { categories, words, limit: Some(slice.limit), offset: slice.offset }
}

fn item_answer(call: &Call, engine: &Engine, done: &str, item: &MemoryItem) -> Answer {
    let now = engine.now();
    let text = |page: &mut Page| {
        page.line(vec![span(Tone::Good, done), gap(1), span(Tone::Muted, &item.id)]);
        page.table(2, &[2], vec![row(item, now)]);
    };
    call.answer(|| json!(item), text, Vec::new())
}

fn list(call: &Call, engine: &Engine, query: &MemoryQuery, found: MemoryPage) -> Answer {
    let now = engine.now();
    let result = || -> Value {
        json!({"items": found.items, "total": found.total, "next_offset": found.next_offset})
    };
    let text = |page: &mut Page| {
        if found.items.is_empty() {
            return nothing(page, query);
        }
        let rows = found.items.iter().map(|item| row(item, now)).collect();
        page.table(0, &[2], rows);
        if let Some(next) = found.next_offset {
            let rest = found.total.saturating_sub(next);
            page.blank();
            page.line(span(Tone::Muted, format!("{rest} more: --offset {next}")));
        }
    };
    call.answer(result, text, problems(&found.problems))
}

fn nothing(page: &mut Page, query: &MemoryQuery) {
    if query.words.is_some() {
        return page.line(plain("no item holds these words"));
    }
    page.line(plain("no item here yet"));
    page.line(vec![
        plain("take some in:"),
        gap(1),
        span(Tone::Command, "loopdeck memory import PATH"),
    ]);
}

fn row(item: &MemoryItem, now: Timestamp) -> Vec<super::page::Cell> {
    vec![
        span(Tone::Muted, &item.id).into(),
        plain(item.category).into(),
        plain(&item.title).into(),
        span(Tone::Muted, age(item.created_at, now)).into(),
    ]
}

fn show(page: &mut Page, item: &Arc<MemoryItem>, now: Timestamp) {
    page.edges(span(Tone::Title, &item.title), span(Tone::Muted, item.category));
    let when = format!("{} · {}", age(item.created_at, now), clock(item.created_at, now));
    let mut rows = vec![("id", item.id.to_string()), ("recorded", when)];
    for (name, list) in [("tags", &item.tags), ("paths", &item.paths)] {
        if !list.is_empty() {
            rows.push((name, list.join(", ")));
        }
    }
    if let Some(source) = &item.source {
        rows.push(("source", source.clone()));
    }
    let rows = rows
        .into_iter()
        .map(|(name, value)| vec![span(Tone::Muted, name).into(), plain(value).into()])
        .collect();
    page.table(0, &[1], rows);
    page.blank();
    page.prose(0, Tone::Plain, item.text.trim_end());
}

fn imported(page: &mut Page, report: &ImportReport) {
    let verb = if report.dry_run { "would import" } else { "imported" };
    let of = plural(report.total, "thing", "things");
    page.line(plain(format!("{verb} {} of {of}", report.imported.len())));
    let rows = report
        .imported
        .iter()
        .map(|item| {
            vec![
                span(Tone::Muted, &item.id).into(),
                plain(item.category).into(),
                plain(&item.title).into(),
            ]
        })
        .collect();
    page.table(2, &[2], rows);
    if report.skipped.is_empty() {
        return;
    }
    page.heading("Skipped");
    let rows = report
        .skipped
        .iter()
        .map(|s| vec![plain(&s.path).into(), span(Tone::Warn, &s.reason).into()])
        .collect();
    page.table(2, &[1], rows);
}

/// Problems with files as warnings: one sentence each, with the path.
pub fn problems(problems: &[Problem]) -> Vec<String> {
    problems
        .iter()
        .map(|p| {
            let path = p.path.display().to_string();
            let message = first_chars(&p.message, 500);
            if message.contains(&path) { message.to_owned() } else { format!("{path}: {message}") }
        })
        .collect()
}
