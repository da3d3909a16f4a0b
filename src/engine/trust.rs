//! Which commands may be run: those that the operator approved on this machine.

use super::api::{Done, Error, Result};
use super::inner::{Engine, Inner};
use crate::core::loops::model::Actor;
use crate::core::loops::refusal::Refusal;
use crate::core::loops::steps;
use crate::core::time::Timestamp;
use crate::store::approvals::Approvals;
use crate::store::layout::{Surroundings, UserDirs};

pub use crate::store::approvals::Approval;

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
}

impl Inner {
    /// Refuses a command that the operator hasn't approved here.
    pub(super) fn check_trusted(&self, argv: &[String]) -> Result<()> {
        if approvals().holds(argv)? {
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

    /// What the operator types is approved with it.
    pub(super) fn trust_as_typed(&self, argv: Option<&[String]>, actor: &Actor, done: &mut Done) {
        let Some(argv) = argv.filter(|_| *actor == Actor::Operator && !done.replayed) else {
            return;
        };
        if let Err(error) = approvals().approve(argv, self.time.now()) {
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
