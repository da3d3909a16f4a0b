//! Memory: import files, add an item, change one.

use std::path::PathBuf;

use crate::core::memory::{Category, MemoryItem};
use crate::core::text::has_visible;
use crate::engine::MemoryDraft;

use super::super::api::{FieldId, FormContext, Submission};
use super::super::choice::Choice;
use super::super::field::{Field, Fields, Note};
use super::super::picker::{Arity, Picker};
use super::new_loop::title_notes;
use super::{FirstFocus, Place, Sheet};

/// What each category holds, for the picker.
fn category_choices() -> Vec<Choice> {
    let told = |category| match category {
        Category::Traps => "known ways in which things went wrong here",
        Category::Feedback => "what people said about earlier work",
        Category::RuntimeNotes => "observations from running the system",
        Category::Decisions => "decisions that stand",
        Category::Constraints => "limits that must be kept",
        Category::Handoffs => "where earlier work was handed over",
        Category::Plans => "plans made",
        Category::Candidates => "things under consideration",
        Category::ProjectVision => "what the project is for",
        _ => "",
    };
    Category::USER.into_iter().map(|c| Choice::plain(c.as_ref()).note(told(c))).collect()
}

fn category(fields: &Fields) -> Option<Category> {
    fields.choice(FieldId::Category)?.parse().ok()
}

/// Imports files as memory.
pub(super) struct Import;

impl Sheet for Import {
    fn title(&self, _context: &FormContext) -> String {
        "Import memory".to_owned()
    }

    fn action(&self) -> &'static str {
        "import"
    }

    fn fields(&self, context: &FormContext) -> Fields {
        let choice = |path: &PathBuf| {
            let below = path.strip_prefix(&context.root).unwrap_or(path);
            Choice::new(path.display().to_string(), below.display().to_string())
        };
        let there = context.importable.there.iter();
        let there = there.map(|path| choice(path).note("is in memory already"));
        let paths = context.importable.new.iter().map(choice).chain(there).collect();
        let paths = Picker::new(Arity::One, paths).free();
        let any = Choice::new("", "by itself").note("from each file: records, CLAUDE.md, JSON ids");
        let categories = std::iter::once(any).chain(category_choices()).collect();
        Fields(vec![
            Field::pick(FieldId::Path, "path", paths.first()).required().help(
                "A file or folder: decision records, CLAUDE.md, AGENTS.md, Markdown, JSON items",
            ),
            Field::pick(FieldId::Category, "category", Picker::new(Arity::One, categories).first())
                .help("What the items are about; other Markdown needs one"),
        ])
    }

    fn submission(&self, _context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let path = PathBuf::from(fields.choice(FieldId::Path)?);
        Some(Submission::Import { path, category: category(fields), dry_run: false })
    }

    fn first_focus(&self, _context: &FormContext) -> FirstFocus {
        FirstFocus::OpenField
    }
}

/// The fields of a memory item.
fn item_fields(item: Option<&MemoryItem>) -> Vec<Field> {
    let picker = Picker::new(Arity::One, category_choices());
    let picker = match item {
        Some(item) => picker.with(item.category.as_ref()),
        None => picker,
    };
    let list =
        |of: fn(&MemoryItem) -> &Vec<String>| item.map(|i| of(i).join(", ")).unwrap_or_default();
    vec![
        Field::pick(FieldId::Category, "category", picker)
            .required()
            .help("What it is about; phases see only some categories"),
        Field::line(FieldId::Title, "title", item.map_or("", |i| i.title.as_str()))
            .required()
            .help("One line; briefs rank by it"),
        Field::text(FieldId::Text, "text", item.map_or("", |i| i.text.as_str()))
            .required()
            .help("The whole of it, Markdown; Ctrl-o opens your editor"),
        Field::line(FieldId::Tags, "tags", &list(|i| &i.tags)).help("Words apart at commas"),
        Field::line(FieldId::Paths, "paths", &list(|i| &i.paths))
            .help("Paths or globs that it speaks of, apart at commas; empty: the whole workspace"),
        Field::line(
            FieldId::Source,
            "source",
            item.and_then(|i| i.source.as_deref()).unwrap_or_default(),
        )
        .help("Where it came from: a file, a person"),
    ]
}

/// Adds a memory item.
pub(super) struct Add;

impl Sheet for Add {
    fn title(&self, _context: &FormContext) -> String {
        "Add a memory item".to_owned()
    }

    fn action(&self) -> &'static str {
        "add it"
    }

    fn fields(&self, _context: &FormContext) -> Fields {
        Fields(item_fields(None))
    }

    fn check(&self, _context: &FormContext, fields: &Fields) -> Vec<Note> {
        title_notes(fields)
    }

    fn submission(&self, _context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let text = fields.text(FieldId::Text);
        let some = |list: Vec<String>| (!list.is_empty()).then_some(list);
        Some(Submission::MemoryAdd(MemoryDraft {
            category: category(fields),
            title: fields.trimmed(FieldId::Title),
            text: has_visible(&text).then_some(text),
            tags: some(fields.list(FieldId::Tags)),
            paths: some(fields.list(FieldId::Paths)),
            source: fields.trimmed(FieldId::Source),
        }))
    }
}

/// Changes a memory item.
pub(super) struct Edit;

impl Sheet for Edit {
    fn title(&self, context: &FormContext) -> String {
        match &context.item {
            Some(item) => format!("Change memory item {}", item.id),
            None => "Change a memory item".to_owned(),
        }
    }

    fn action(&self) -> &'static str {
        "save it"
    }

    fn fields(&self, context: &FormContext) -> Fields {
        Fields(item_fields(context.item.as_deref()))
    }

    fn check(&self, _context: &FormContext, fields: &Fields) -> Vec<Note> {
        title_notes(fields)
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let item = context.item.as_ref()?;
        let category = category(fields).filter(|c| *c != item.category);
        let title = fields.trimmed(FieldId::Title).filter(|t| *t != item.title);
        let text = Some(fields.text(FieldId::Text)).filter(|t| *t != item.text);
        let tags = Some(fields.list(FieldId::Tags)).filter(|t| *t != item.tags);
        let paths = Some(fields.list(FieldId::Paths)).filter(|p| *p != item.paths);
        let source = Some(fields.text(FieldId::Source).trim().to_owned());
        let source = source.filter(|s| s != item.source.as_deref().unwrap_or_default());
        let draft = MemoryDraft { category, title, text, tags, paths, source };
        Some(Submission::MemoryEdit(item.id.to_string(), draft))
    }
}
