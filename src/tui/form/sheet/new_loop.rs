//! A new loop.

use crate::core::loops::command::NewSlot;
use crate::core::loops::protocol::Kind;
use crate::core::loops::template::Template;
use crate::core::text::has_visible;
use crate::engine::{OpenRequest, ProtocolInfo};

use super::super::api::{FieldId, FormContext, Submission};
use super::super::choice::Choice;
use super::super::field::{Control, Field, Fields, Grade, Note};
use super::super::picker::{Arity, Picker};
use super::super::rows::Rows;
use super::{FirstFocus, Place, Sheet, blocks};

/// Characters that a title may have (engine.md §6, open).
pub(super) const TITLE_MAX: usize = 200;

/// What a kind of loop is for, what it is not for, and what to use instead.
struct Guide {
    kind: Kind,
    serves: &'static str,
    not: &'static str,
    instead: &'static str,
}

const GUIDE: [Guide; 5] = [
    Guide {
        kind: Kind::Ideation,
        serves: "stress-test a proposal before it becomes a plan",
        not: "a change that is already made, or a plan that stands",
        instead: "review for the change, implementation for the plan",
    },
    Guide {
        kind: Kind::Review,
        serves: "have a finished change looked at until it is accepted",
        not: "a proposal without a change to look at",
        instead: "ideation",
    },
    Guide {
        kind: Kind::Research,
        serves: "turn an open question into an answer that stands on findings",
        not: "weighing a proposal that is already worked out",
        instead: "ideation",
    },
    Guide {
        kind: Kind::Implementation,
        serves: "carry out a plan until its command is green",
        not: "finding out what to do, or why something is broken",
        instead: "ideation for the plan, debug for the fault",
    },
    Guide {
        kind: Kind::Debug,
        serves: "reproduce a fault, find its cause, fix it and prove it",
        not: "new behaviour, or a cause that is known already",
        instead: "implementation",
    },
];

/// Opens a loop.
pub(super) struct NewLoop;

impl Sheet for NewLoop {
    fn title(&self, _context: &FormContext) -> String {
        "Open a loop".to_owned()
    }

    fn action(&self) -> &'static str {
        "open the loop"
    }

    fn fields(&self, context: &FormContext) -> Fields {
        let given = context.prefill.as_ref();
        let text = |of: fn(&OpenRequest) -> Option<&String>| {
            given.and_then(of).cloned().unwrap_or_default()
        };
        let templates = context.templates.iter().map(template_choice);
        let options = GUIDE.iter().map(kind_choice).chain(templates).collect();
        let kinds = Picker::new(Arity::One, options);
        let kinds = match given {
            Some(request) => kinds.with(request.kind.as_ref()),
            None => kinds.first(),
        };
        let verify = given.and_then(|g| g.verify.as_ref()).map(shell_words::join);
        let modes = ["asymmetric", "symmetric"].map(Choice::plain).to_vec();
        let mut fields = Fields(vec![
            Field::pick(FieldId::Kind, "kind", kinds)
                .required()
                .help("What sort of work it is; Enter shows what each is for"),
            Field::line(FieldId::Title, "title", given.map_or("", |g| g.title.as_str()))
                .required()
                .help("One line, up to 200 characters"),
            Field::text(FieldId::Proposal, "proposal", &text(|g| g.proposal.as_ref()))
                .help("What the loop is about, filed as its first artifact; Markdown")
                .counted(crate::core::loops::model::INLINE_CAP),
            Field::line(FieldId::Goal, "goal", &text(|g| g.goal.as_ref()))
                .help("What is wanted in the end; every brief shows it"),
            Field::line(FieldId::Domain, "domain", &text(|g| g.domain.as_ref()))
                .help("The field that it belongs to, such as storage or billing"),
            Field::pick(FieldId::Protocol, "protocol", Picker::new(Arity::One, Vec::new()))
                .help("The phases and gates that it runs by"),
            Field::pick(FieldId::ReviewMode, "mode", Picker::new(Arity::One, modes).inline().first())
                .help("asymmetric: the reviewer finds, the author mends; symmetric: each does both")
                .hidden(),
            Field::line(FieldId::Verify, "verify", &verify.unwrap_or_default())
                .help("The command that tells green from red, such as cargo test")
                .hidden(),
            Field::rows(FieldId::Slots, "slots", Rows::growing("", &slot_texts(given)))
                .help("One a line: role=agent@profile:ro, all but the role as you like; empty: the default"),
        ]);
        self.adapt(context, &mut fields);
        fields
    }

    fn adapt(&self, context: &FormContext, fields: &mut Fields) {
        start_from_chosen(context, fields);
        let Some(kind) = kind(fields) else { return };
        if let Some(picker) = fields.picker_mut(FieldId::Protocol) {
            picker.set_options(protocols(context, kind));
            if picker.value().is_none() {
                picker.choose(vec![String::new()]);
            }
        }
        fields.show(FieldId::ReviewMode, kind == Kind::Review);
        fields.show(FieldId::Verify, kind.has_verify());
        if let Some(field) = fields.get_mut(FieldId::Proposal) {
            let (label, help) = opening_text(kind);
            label.clone_into(&mut field.label);
            help.clone_into(&mut field.help);
        }
        if let Some(field) = fields.get_mut(FieldId::Slots) {
            let default = kind.default_roles().join(", ");
            field.help = format!("One a line: role=agent@profile:ro; empty: {default}");
        }
    }

    fn check(&self, context: &FormContext, fields: &Fields) -> Vec<Note> {
        let mut notes = title_notes(fields);
        if let Err(error) = shell_words::split(&fields.text(FieldId::Verify)) {
            notes.push(blocks(FieldId::Verify, format!("this is no command line: {error}")));
        }
        notes.extend(slot_notes(fields, FieldId::Slots));
        notes.extend(protocol_notes(context, fields));
        notes
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let mut request = context.prefill.clone().unwrap_or_else(|| {
            OpenRequest::new(kind(fields).unwrap_or(Kind::Ideation), String::new())
        });
        request.kind = kind(fields)?;
        request.title = fields.trimmed(FieldId::Title).unwrap_or_default();
        let proposal = fields.text(FieldId::Proposal);
        request.proposal = has_visible(&proposal).then_some(proposal);
        request.goal = fields.trimmed(FieldId::Goal);
        request.domain = fields.trimmed(FieldId::Domain);
        request.preset = fields.choice(FieldId::Protocol);
        request.review_mode = fields.choice(FieldId::ReviewMode).and_then(|m| m.parse().ok());
        let argv = shell_words::split(&fields.text(FieldId::Verify)).unwrap_or_default();
        request.verify = (!argv.is_empty()).then_some(argv);
        let slots = fields.texts(FieldId::Slots);
        request.slots = slots.iter().filter_map(|t| t.parse().ok()).collect();
        Some(Submission::Open(Box::new(request)))
    }

    fn first_focus(&self, context: &FormContext) -> FirstFocus {
        match &context.prefill {
            // It is filled in already: the command is what only a person knows.
            Some(given) if given.kind.has_verify() => FirstFocus::On(&[FieldId::Verify]),
            Some(_) => FirstFocus::Button,
            None => FirstFocus::OpenField,
        }
    }
}

fn kind(fields: &Fields) -> Option<Kind> {
    fields.choice(FieldId::Kind)?.parse().ok()
}

fn kind_choice(guide: &Guide) -> Choice {
    Choice::plain(guide.kind.as_ref())
        .note(guide.serves)
        .detail(format!("For: {}.", guide.serves))
        .detail(format!("Not for: {}.", guide.not))
        .detail(format!("Use instead: {}.", guide.instead))
}

/// What the values of templates begin with in the list of kinds.
const TEMPLATE: &str = "template:";

fn template_choice(template: &Template) -> Choice {
    let kind = template.kind.map_or("", Kind::into);
    let note = if kind.is_empty() { "template".to_owned() } else { format!("template, {kind}") };
    let choice = Choice::new(format!("{TEMPLATE}{}", template.name), &*template.name).note(note);
    let begins = template.text.lines().find(|line| has_visible(line)).unwrap_or_default();
    [template.title.as_deref().unwrap_or_default(), begins]
        .into_iter()
        .filter(|line| has_visible(line))
        .fold(choice, |choice, line| choice.detail(line))
}

/// A template that was chosen fills the form in and gives way to its kind.
fn start_from_chosen(context: &FormContext, fields: &mut Fields) {
    let chosen = fields.choice(FieldId::Kind);
    let Some(name) = chosen.as_deref().and_then(|value| value.strip_prefix(TEMPLATE)) else {
        return;
    };
    let Some(template) = context.templates.iter().find(|t| t.name == name) else { return };
    let kind = template.kind.unwrap_or(Kind::Ideation);
    let choose = |fields: &mut Fields, id, value: &str| {
        if let Some(picker) = fields.picker_mut(id) {
            picker.choose(vec![value.to_owned()]);
        }
    };
    choose(fields, FieldId::Kind, kind.as_ref());
    if let Some(picker) = fields.picker_mut(FieldId::Protocol) {
        picker.set_options(protocols(context, kind));
    }
    choose(fields, FieldId::Protocol, template.preset.as_deref().unwrap_or_default());
    if let Some(mode) = template.review_mode {
        choose(fields, FieldId::ReviewMode, mode.as_ref());
    }
    let verify = template.verify.as_ref().map(shell_words::join);
    let texts = [
        (FieldId::Title, template.title.clone()),
        (FieldId::Proposal, Some(template.text.clone())),
        (FieldId::Goal, template.goal.clone()),
        (FieldId::Domain, template.domain.clone()),
        (FieldId::Verify, verify),
    ];
    for (id, text) in texts {
        if let (Some(text), Some(Control::Text(input))) =
            (text, fields.get_mut(id).map(|field| &mut field.control))
        {
            input.replace(&text);
        }
    }
    if let Some(Control::Rows(rows)) = fields.get_mut(FieldId::Slots).map(|f| &mut f.control) {
        *rows =
            Rows::growing("", &template.slots.iter().map(NewSlot::to_string).collect::<Vec<_>>());
    }
}

/// What the opening text is called and what it is.
fn opening_text(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Ideation => ("proposal", "What is proposed; it is what critics attack. Markdown"),
        Kind::Review => ("change", "What was changed and why, for the reviewer. Markdown"),
        Kind::Research => ("question", "The question and what is known already. Markdown"),
        Kind::Implementation => ("plan", "What is to be carried out. Markdown"),
        Kind::Debug => ("fault", "What goes wrong, and where it was seen. Markdown"),
    }
}

/// The protocols of a kind: its own first, then presets and the workspace's.
fn protocols(context: &FormContext, kind: Kind) -> Vec<Choice> {
    let of_kind = context.protocols.iter().filter(|p| p.kind == kind);
    let (own, others): (Vec<_>, Vec<_>) = of_kind.partition(|p| p.name == kind.as_ref());
    let own = match own.first() {
        Some(info) => protocol_choice(info, ""),
        None => Choice::new("", kind.as_ref()),
    };
    std::iter::once(own).chain(others.into_iter().map(|p| protocol_choice(p, &p.name))).collect()
}

fn protocol_choice(info: &ProtocolInfo, value: &str) -> Choice {
    let phases: Vec<&str> = info.phases.iter().map(|p| &**p).collect();
    let whose = if info.from_workspace { "of this workspace" } else { "built in" };
    let choice = Choice::new(value, info.name.clone()).note(whose).detail(phases.join(" > "));
    let lint = info.lint.errors.iter().chain(&info.lint.warnings);
    lint.fold(choice, |choice, fault| choice.detail(fault.clone()))
}

fn protocol_notes(context: &FormContext, fields: &Fields) -> Vec<Note> {
    let Some(kind) = kind(fields) else { return Vec::new() };
    let name = fields.choice(FieldId::Protocol).unwrap_or_else(|| kind.to_string());
    let info = context.protocols.iter().find(|p| p.kind == kind && p.name == name);
    let Some(lint) = info.map(|i| &i.lint) else { return Vec::new() };
    let at = |grade, text: &String| Note::at(FieldId::Protocol, grade, text);
    let errors = lint.errors.iter().map(|e| at(Grade::Refused, e));
    let warnings = lint.warnings.iter().map(|w| at(Grade::Warns, w));
    let phases: Vec<&str> = info.into_iter().flat_map(|i| &i.phases).map(|p| &**p).collect();
    let runs = format!("runs {}", phases.join(" > "));
    errors.chain(warnings).chain([Note::of_all(Grade::Tells, runs)]).collect()
}

/// What is wrong with a title, if anything.
pub(super) fn title_notes(fields: &Fields) -> Vec<Note> {
    let title = fields.text(FieldId::Title);
    let count = title.trim().chars().count();
    if count > TITLE_MAX {
        let text = format!("{count} characters; a title has at most {TITLE_MAX}");
        return vec![blocks(FieldId::Title, text)];
    }
    if !title.is_empty() && !has_visible(&title) {
        return vec![blocks(FieldId::Title, "a title needs a visible character")];
    }
    Vec::new()
}

/// What is wrong with a list of slots, if anything: the first fault.
pub(super) fn slot_notes(fields: &Fields, field: FieldId) -> Vec<Note> {
    let fault = fields.texts(field).iter().find_map(|t| t.parse::<NewSlot>().err());
    fault.map(|text| blocks(field, text)).into_iter().collect()
}

fn slot_texts(given: Option<&OpenRequest>) -> Vec<String> {
    let slots = given.map_or(&[][..], |g| &g.slots);
    slots.iter().map(NewSlot::to_string).collect()
}
