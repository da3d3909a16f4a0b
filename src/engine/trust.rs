//! Which commands may be run, and with which variables: what the operator approved on
//! this machine.

use super::api::{Done, Error, Problem, Result, Write};
use super::inner::{Engine, Inner};
use crate::core::loops::model::Actor;
use crate::core::loops::refusal::Refusal;
use crate::core::loops::steps;
use crate::core::text::is_variable;
use crate::core::time::Timestamp;
use crate::runner::is_usual;
use crate::store::approvals::Approvals;
use crate::store::layout::{Surroundings, UserDirs};

pub use crate::store::approvals::{Approval, VariableApproval};

/// This user's approvals; they belong to no workspace.
fn approvals() -> Approvals {
    Approvals::new(&UserDirs::of(&Surroundings::of_process()).state)
}

impl Engine {
    /// The commands that are approved on this machine, oldest first.
    ///
    /// # Errors
    /// `damaged`, `io`.
    pub fn approved_commands() -> Result<Vec<Approval>> {
        Ok(approvals().list()?)
    }

    /// Approves exactly this command; `false` if it was already.
    ///
    /// # Errors
    /// `operator_only`; `damaged`, `read_only`, `io`.
    pub fn approve_command(argv: &[String], actor: &Actor, now: Timestamp) -> Result<bool> {
        operator_only(actor)?;
        Ok(approvals().approve(argv, now)?)
    }

    /// Takes an approval back; `false` if there was none.
    ///
    /// # Errors
    /// As [`Engine::approve_command`].
    pub fn revoke_command(argv: &[String], actor: &Actor, now: Timestamp) -> Result<bool> {
        operator_only(actor)?;
        Ok(approvals().revoke(argv, now)?)
    }

    /// The variables that workspaces may hand on to what they run, oldest first.
    ///
    /// # Errors
    /// `damaged`, `io`.
    pub fn approved_variables() -> Result<Vec<VariableApproval>> {
        Ok(approvals().variables()?)
    }

    /// Lets this workspace hand variables of the environment on to what it runs, where
    /// its settings name them (`pass_env`); `false` if it may already.
    ///
    /// # Errors
    /// As [`Engine::approve_command`]; `invalid_pass_env`.
    pub fn approve_variables(&self, names: &[String], actor: &Actor) -> Result<bool> {
        operator_only(actor)?;
        if let Some(none) = names.iter().find(|name| !is_variable(name)) {
            return Err(Refusal::new(
                "invalid_pass_env",
                format!("{none:?} is no name of a variable: write the name alone, as in HOME"),
            )
            .detail("field", "pass_env")
            .into());
        }
        Ok(self.inner.approvals().approve_variables(self.inner.layout.root(), names, self.now())?)
    }

    /// Takes that back; `false` if it may not.
    ///
    /// # Errors
    /// As [`Engine::approve_command`].
    pub fn revoke_variables(&self, names: &[String], actor: &Actor) -> Result<bool> {
        operator_only(actor)?;
        Ok(self.inner.approvals().revoke_variables(self.inner.layout.root(), names, self.now())?)
    }
}

impl Engine {
    /// Approves the command that a loop was opened with, where the operator brought
    /// it. One that stands in a template of the workspace came with the files there,
    /// whoever handed it in: it needs an approval of its own (attempts.md, "Workers").
    pub(super) fn trust_opened(&self, argv: Option<&[String]>, write: &Write, done: &mut Done) {
        let Some(argv) = argv else { return };
        let is_known = self.inner.check_trusted(argv).is_ok();
        let of_file = || self.templates().0.iter().any(|t| t.verify.as_deref() == Some(argv));
        if is_known || !of_file() {
            return self.inner.trust_as_typed(Some(argv), &write.actor, done);
        }
        let line = shell_words::join(argv);
        done.warnings.push(format!(
            "the command {line} stands in a template of this workspace: it runs only once you \
             approve it: loopdeck trust approve {}",
            steps::quoted(&line)
        ));
    }
}

impl Engine {
    /// The commands that are approved for whoever opened this engine, oldest first.
    ///
    /// # Errors
    /// `damaged`, `newer_format`, `io`: nothing counts as approved then.
    pub fn approvals(&self) -> Result<Vec<Approval>> {
        Ok(self.inner.approvals().list()?)
    }
}

impl Inner {
    /// The approvals that hold here: a file of the person's, never of the workspace.
    pub(super) fn approvals(&self) -> Approvals {
        Approvals::new(&self.user.state)
    }

    /// Why nothing counts as approved, if so.
    pub(super) fn approvals_problem(&self) -> Option<Problem> {
        let error = self.approvals().list().err()?;
        let path = error.path().to_owned();
        Some(Error::from(error).problem(path))
    }

    /// Refuses a command that the operator hasn't approved here.
    pub(super) fn check_trusted(&self, argv: &[String]) -> Result<()> {
        if self.approvals().holds(argv)? {
            return Ok(());
        }
        let line = shell_words::join(argv);
        Err(Refusal::new(
            "command_not_trusted",
            format!(
                "the command {line} was not typed by the operator on this machine: \
                 it runs only once it is approved"
            ),
        )
        .detail("command", argv.to_vec())
        .step(
            "read it, then approve it",
            format!("loopdeck trust approve {}", steps::quoted(&line)),
        )
        .into())
    }

    /// Of the variables that the settings hand on, those that are set here and that the
    /// operator hasn't approved for this workspace. Settings come with a repository:
    /// what it asks for by name it doesn't get by that alone.
    pub(super) fn unapproved(&self, pass_env: &[String]) -> Result<Vec<String>> {
        let is_set = |name: &&String| std::env::var_os(name).is_some_and(|it| !it.is_empty());
        let news = pass_env.iter().filter(is_set).filter(|name| !is_usual(name.as_ref()));
        let mut asked: Vec<String> = news.cloned().collect();
        if !asked.is_empty() {
            let root = self.layout.root();
            let approved = self.approvals().variables()?;
            asked.retain(|name| !approved.iter().any(|a| a.workspace == root && a.name == *name));
        }
        Ok(asked)
    }

    /// The variables that are handed on: those that the settings name, without what is
    /// not approved, for settings may change between a check and what it is for.
    pub(super) fn handed_on(&self, pass_env: &[String]) -> Vec<String> {
        let Ok(unapproved) = self.unapproved(pass_env) else { return Vec::new() };
        pass_env.iter().filter(|name| !unapproved.contains(name)).cloned().collect()
    }

    /// Whether the command of an agent may be run as it is set.
    pub(super) fn may_work(&self, command: &[String], pass_env: &[String]) -> bool {
        self.check_trusted(command).is_ok() && self.check_variables(pass_env).is_ok()
    }

    /// Refuses to hand on variables that the operator hasn't approved.
    pub(super) fn check_variables(&self, pass_env: &[String]) -> Result<()> {
        let asked = self.unapproved(pass_env)?;
        if asked.is_empty() {
            return Ok(());
        }
        let names = asked.join(", ");
        Err(Refusal::new(
            "variable_not_trusted",
            format!(
                "{} hands {names} on to what runs here: that takes your approval first",
                self.layout.config().display()
            ),
        )
        .detail("variables", asked.clone())
        .step(
            "if it may have them, approve that",
            format!("loopdeck trust approve --pass-env {}", asked.join(",")),
        )
        .into())
    }

    /// What the operator types is approved with it.
    pub(super) fn trust_as_typed(&self, argv: Option<&[String]>, actor: &Actor, done: &mut Done) {
        let Some(argv) = argv.filter(|_| *actor == Actor::Operator && !done.replayed) else {
            return;
        };
        if let Err(error) = self.approvals().approve(argv, self.time.now()) {
            done.warnings.push(format!("the command could not be noted as approved: {error}"));
        }
    }
}

fn operator_only(actor: &Actor) -> Result<()> {
    if *actor == Actor::Operator {
        return Ok(());
    }
    Err(Error::new(
        "operator_only",
        format!("what may be run is the operator's to say, not {actor}'s"),
    ))
}
