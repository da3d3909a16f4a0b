//! An artifact becomes part of the project's memory.

use crate::core::loops::command::Command;
use crate::core::loops::decide::usual_category;
use crate::core::memory::Category;

use super::super::api::{FieldId, FormContext, Submission};
use super::super::choice::Choice;
use super::super::field::{Field, Fields, Grade, Note};
use super::super::picker::{Arity, Picker};
use super::artifact::{artifact_field, titled};
use super::{Place, Sheet, execute};

/// Makes an artifact a memory item.
pub(super) struct Promote;

/// The category that the chosen artifact's type goes to by itself.
fn usual(context: &FormContext, fields: &Fields) -> Option<Category> {
    let id = fields.choice(FieldId::Artifact)?;
    usual_category(&context.state.as_ref()?.artifact(&id)?.artifact_type)
}

impl Sheet for Promote {
    fn title(&self, context: &FormContext) -> String {
        titled("Promote to memory", context)
    }

    fn action(&self) -> &'static str {
        "remember it"
    }

    fn fields(&self, context: &FormContext) -> Fields {
        let categories = Category::USER.iter().map(|c| Choice::plain(c.as_ref())).collect();
        let mut fields = Fields(vec![
            artifact_field(context, "artifact", |a| a.usable)
                .help("What it says becomes the item; the item names this loop as its source"),
            Field::pick(FieldId::Category, "category", Picker::new(Arity::One, categories))
                .required()
                .help("Where memory keeps it; briefs look there"),
        ]);
        self.adapt(context, &mut fields);
        fields
    }

    fn adapt(&self, context: &FormContext, fields: &mut Fields) {
        let usual = usual(context, fields);
        if let (Some(category), Some(picker)) = (usual, fields.picker_mut(FieldId::Category))
            && picker.value().is_none()
        {
            picker.choose(vec![category.to_string()]);
        }
    }

    fn facts(&self, context: &FormContext) -> Vec<Note> {
        let promoted = context.state.as_ref().map_or(0, |s| s.ledger.promoted.len());
        let said = crate::core::text::plural(promoted, "artifact is", "artifacts are");
        let note = || Note::of_all(Grade::Tells, format!("{said} remembered already"));
        (promoted > 0).then(note).into_iter().collect()
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let artifact = fields.choice(FieldId::Artifact)?;
        let category = fields.choice(FieldId::Category).and_then(|c| c.parse().ok());
        execute(context, Command::Promote { artifact, category })
    }
}
