//! Iteration sessions: start one, record or run an attempt, give it up.

use crate::core::session::{
    ActionType, Amount, DEFAULT_MAX_ATTEMPTS, GOAL_CHARS, GoalType, Outcome, Session,
};
use crate::core::text::first_chars;
use crate::engine::{AttemptDraft, GapDraft, ObservationDraft, RunDraft, SessionDraft};

use super::super::api::{FieldId, FormContext, Submission};
use super::super::choice::Choice;
use super::super::field::{Field, Fields, Grade, Note};
use super::super::picker::{Arity, Picker};
use super::{Place, Sheet, blocks};

/// Starts a session.
pub(super) struct Start;

fn goal_choices() -> Vec<Choice> {
    let told = |goal: &GoalType| match goal {
        GoalType::TestsPass => "the gap counts failing tests, and errors before them",
        GoalType::BuildSuccess => "the gap counts errors of the compiler",
        GoalType::EnvironmentReady => "the gap counts missing modules and commands",
        _ => "the gap counts what the output counts, or what you say",
    };
    GoalType::KNOWN.iter().map(|goal| Choice::plain(goal.as_str()).note(told(goal))).collect()
}

impl Sheet for Start {
    fn title(&self, context: &FormContext) -> String {
        match &context.state {
            Some(state) => format!("Start a session for: {}", state.title),
            None => "Start a session".to_owned(),
        }
    }

    fn action(&self) -> &'static str {
        "start it"
    }

    fn facts(&self, context: &FormContext) -> Vec<Note> {
        let said = match (&context.state, &context.session) {
            (Some(_), Some(session)) => {
                format!(
                    "It goes on after the linked one, which is {}, and takes its place.",
                    session.status
                )
            }
            (Some(_), None) => {
                "The loop links it: its verify runs are then attempts here.".to_owned()
            }
            _ => return Vec::new(),
        };
        vec![Note::of_all(Grade::Tells, said)]
    }

    fn fields(&self, context: &FormContext) -> Fields {
        let goal = context.state.as_ref().map(|state| {
            let goal = state.goal.as_deref().unwrap_or(&state.title);
            first_chars(goal, GOAL_CHARS).to_owned()
        });
        let kind = if context.state.is_some() { GoalType::TestsPass } else { GoalType::Custom };
        let kinds = Picker::new(Arity::One, goal_choices()).with(kind.as_str());
        let most = DEFAULT_MAX_ATTEMPTS.to_string();
        Fields(vec![
            Field::line(FieldId::Goal, "goal", &goal.unwrap_or_default())
                .required()
                .help("What is to be reached, in a sentence: all tests pass"),
            Field::pick(FieldId::GoalType, "kind", kinds).help("What the gap counts"),
            Field::line(FieldId::MaxAttempts, "attempts", &most)
                .help("How many it may take; then it is escalated"),
        ])
    }

    fn check(&self, _context: &FormContext, fields: &Fields) -> Vec<Note> {
        let mut notes = Vec::new();
        if fields.text(FieldId::Goal).chars().count() > GOAL_CHARS {
            notes.push(blocks(FieldId::Goal, format!("at most {GOAL_CHARS} characters")));
        }
        if attempts(fields).is_err() {
            notes.push(blocks(FieldId::MaxAttempts, "a whole number, 1 or more"));
        }
        notes
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let kind = fields.choice(FieldId::GoalType).and_then(|kind| kind.parse().ok());
        let draft = SessionDraft {
            goal: fields.trimmed(FieldId::Goal)?,
            goal_type: kind,
            max_attempts: attempts(fields).ok()?,
            previous: context.session.as_ref().map(|session| session.session_id.to_string()),
        };
        let link = context.state.as_ref().map(|state| state.id.clone());
        Some(Submission::StartSession(draft, link))
    }
}

fn attempts(fields: &Fields) -> Result<Option<u32>, ()> {
    match fields.trimmed(FieldId::MaxAttempts) {
        None => Ok(None),
        Some(text) => text.parse().ok().filter(|n| *n > 0).map(Some).ok_or(()),
    }
}

fn of_session(what: &str, context: &FormContext) -> String {
    match &context.session {
        Some(session) => format!("{what}: {}", first_chars(&session.goal, 60)),
        None => what.to_owned(),
    }
}

/// What is left of the session, over its forms.
fn left(context: &FormContext) -> Vec<Note> {
    let Some(session) = &context.session else { return Vec::new() };
    let next = session.attempts.len() + 1;
    let gap = session.gap.as_ref().map(|gap| format!("; the gap is {}", gap.in_words()));
    let said = format!("attempt {next} of {}{}", session.max_attempts, gap.unwrap_or_default());
    vec![Note::of_all(Grade::Tells, said)]
}

/// Runs a command as an attempt.
pub(super) struct Run;

impl Sheet for Run {
    fn title(&self, context: &FormContext) -> String {
        of_session("Run an attempt", context)
    }

    fn action(&self) -> &'static str {
        "run it"
    }

    fn facts(&self, context: &FormContext) -> Vec<Note> {
        left(context)
    }

    fn fields(&self, context: &FormContext) -> Fields {
        Fields(vec![
            Field::line(FieldId::Command, "command", &usual_command(context))
                .required()
                .help("Words as a shell splits them; no shell runs them. Its output tells the gap"),
            Field::line(FieldId::Description, "what for", "")
                .help("In words, beside the command; empty: the command itself"),
        ])
    }

    fn check(&self, _context: &FormContext, fields: &Fields) -> Vec<Note> {
        match argv(fields) {
            Some(Err(why)) => vec![blocks(FieldId::Command, why)],
            _ => Vec::new(),
        }
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let draft = RunDraft {
            argv: argv(fields)?.ok()?,
            action_description: fields.trimmed(FieldId::Description),
            ..RunDraft::default()
        };
        Some(Submission::Run(context.session.as_ref()?.session_id.clone(), draft))
    }
}

/// The command that was run last, else the loop's own.
fn usual_command(context: &FormContext) -> String {
    if let Some(argv) = context.session.as_deref().and_then(Session::last_run) {
        return shell_words::join(argv);
    }
    let verify = context.state.as_ref().and_then(|state| state.protocol.verify.as_ref());
    verify.map(shell_words::join).unwrap_or_default()
}

fn argv(fields: &Fields) -> Option<Result<Vec<String>, String>> {
    let text = fields.trimmed(FieldId::Command)?;
    Some(match shell_words::split(&text) {
        Ok(words) if words.first().is_some_and(|program| !program.is_empty()) => Ok(words),
        Ok(_) => Err("a command names a program".to_owned()),
        Err(_) => Err("a quotation mark is not closed".to_owned()),
    })
}

/// Records an attempt that was made.
pub(super) struct Record;

impl Sheet for Record {
    fn title(&self, context: &FormContext) -> String {
        of_session("Record an attempt", context)
    }

    fn action(&self) -> &'static str {
        "record it"
    }

    fn facts(&self, context: &FormContext) -> Vec<Note> {
        left(context)
    }

    fn fields(&self, _context: &FormContext) -> Fields {
        let actions = ActionType::KNOWN
            .iter()
            .filter(|action| **action != ActionType::Escalate)
            .map(|action| Choice::plain(action.as_str()))
            .collect();
        let by_itself = Choice::new("", "by the exit code");
        let outcomes = Outcome::KNOWN.iter().map(|outcome| Choice::plain(outcome.as_str()));
        let outcomes = std::iter::once(by_itself).chain(outcomes).collect();
        Fields(vec![
            Field::pick(
                FieldId::Action,
                "action",
                Picker::new(Arity::One, actions).inline().with("patch"),
            )
            .help("What was done"),
            Field::line(FieldId::Description, "in words", "")
                .required()
                .help("What was tried: the next one wants to know"),
            Field::pick(FieldId::Outcome, "outcome", Picker::new(Arity::One, outcomes).first())
                .help("How it ended; without an exit code it is an error unless you say"),
            Field::line(FieldId::ExitCode, "exit code", "")
                .help("The status of what was run, if it was"),
            Field::line(FieldId::Gap, "gap", "")
                .help("How many are left; empty: what the output shows, else unchanged"),
            Field::text(FieldId::Raw, "output", "")
                .help("What was said, of any length; test runners and compilers are recognised"),
            Field::toggle(FieldId::Remove, "no way on", false)
                .help("An error that nothing helps against: the session fails; Space switches"),
        ])
    }

    fn check(&self, _context: &FormContext, fields: &Fields) -> Vec<Note> {
        let mut notes = Vec::new();
        if let Some(text) = fields.trimmed(FieldId::ExitCode)
            && text.parse::<i64>().is_err()
        {
            notes.push(blocks(FieldId::ExitCode, "a whole number"));
        }
        if let Some(text) = fields.trimmed(FieldId::Gap)
            && text.parse::<Amount>().is_err()
        {
            notes.push(blocks(FieldId::Gap, "a number"));
        }
        notes
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let action = fields.choice(FieldId::Action).and_then(|action| action.parse().ok());
        let number = |id| fields.trimmed(id).and_then(|text| text.parse::<i64>().ok());
        let gap = fields.trimmed(FieldId::Gap).and_then(|text| text.parse::<Amount>().ok());
        let draft = AttemptDraft {
            outcome: fields.choice(FieldId::Outcome).and_then(|outcome| outcome.parse().ok()),
            recoverable: fields.is_on(FieldId::Remove).then_some(false),
            observation: ObservationDraft {
                raw_text: fields.text(FieldId::Raw),
                exit_code: number(FieldId::ExitCode),
                ..ObservationDraft::default()
            },
            gap: gap.map(|current_value| GapDraft {
                metric_type: None,
                current_value,
                target_value: None,
            }),
            ..AttemptDraft::new(action?, fields.trimmed(FieldId::Description).unwrap_or_default())
        };
        Some(Submission::Record(context.session.as_ref()?.session_id.clone(), Box::new(draft)))
    }
}

/// Gives a session up.
pub(super) struct Escalate;

impl Sheet for Escalate {
    fn title(&self, context: &FormContext) -> String {
        of_session("Give the session up", context)
    }

    fn action(&self) -> &'static str {
        "give it up"
    }

    fn facts(&self, context: &FormContext) -> Vec<Note> {
        let mut notes = left(context);
        let said = "It is escalated and takes no more; another session may go on.";
        notes.push(Note::of_all(Grade::Tells, said));
        notes
    }

    fn fields(&self, _context: &FormContext) -> Fields {
        Fields(vec![
            Field::text(FieldId::Reason, "reason", "")
                .required()
                .help("Why; whoever goes on wants to know it"),
        ])
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let reason = fields.trimmed(FieldId::Reason)?;
        Some(Submission::Escalate(context.session.as_ref()?.session_id.clone(), reason))
    }
}
