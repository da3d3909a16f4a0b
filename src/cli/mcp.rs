//! `loopdeck mcp`: the loops for coding agents.

use super::call::Call;
use super::errors::Result;
use crate::mcp;

/// Serves the workspace over standard input and output. Nothing else is printed.
pub fn run(call: &Call) -> Result<()> {
    call.refuse_conditions()?;
    let engine = call.engine()?;
    mcp::serve(engine, call.globals.actor.clone())?;
    Ok(())
}
