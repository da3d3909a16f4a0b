//! `loopdeck doctor`: checks every store, and mends what is safe.

use clap::Args;
use serde_json::json;

use super::call::{Answer, Call};
use super::errors::{Fault, Result};
use super::page::{Page, Tone, gap, plain, span};
use crate::core::text::plural;
use crate::engine::{Diagnosis, Finding, Repair, Severity, Treatment};
use crate::tui::kept;

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Do the repairs that are safe: things are moved to quarantine, never deleted
    #[arg(long)]
    repair: bool,
    /// With --repair or --accept-edits: say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Take journals that somebody edited or shortened as they stand
    #[arg(long)]
    accept_edits: bool,
}

/// Looks, and treats what it is told to treat.
pub fn run(call: &Call, args: &DoctorArgs) -> Result<Answer> {
    call.refuse_conditions()?;
    let engine = call.engine()?;
    let treatment = Treatment {
        repair: args.repair && !args.dry_run,
        accept_edits: args.accept_edits && !args.dry_run,
    };
    let diagnosis = engine.doctor(treatment, &kept::problems(&call.options()))?;
    if !diagnosis.is_sound() {
        return Err(unsound(&diagnosis));
    }
    Ok(call.answer(|| json!(diagnosis), |page| told(page, &diagnosis, args), Vec::new()))
}

fn told(page: &mut Page, diagnosis: &Diagnosis, args: &DoctorArgs) {
    for finding in &diagnosis.findings {
        let (word, tone) = match (finding.repaired, finding.severity) {
            (true, _) => ("repaired", Tone::Good),
            (false, Severity::Error) => ("error", Tone::Bad),
            (false, Severity::Warning) => ("warning", Tone::Warn),
            (false, Severity::Info) => ("note", Tone::Muted),
        };
        page.hanging(vec![span(tone, format!("{word}:")), gap(1)], Tone::Plain, &said(finding));
    }
    let left = diagnosis.findings.iter().filter(|f| !f.repaired);
    let (verdict, tone) = match left.clone().filter(|f| f.severity != Severity::Info).count() {
        0 if left.count() > 0 => ("nothing is wrong".to_owned(), Tone::Good),
        0 => ("all is well".to_owned(), Tone::Good),
        n => (plural(n, "thing is", "things are") + " not as it was left", Tone::Warn),
    };
    page.line(vec![span(tone, verdict), plain(format!(": {}", diagnosis.looked_at()))]);
    let safe = diagnosis.findings.iter().filter(|f| !f.repaired && is_move(f)).count();
    if safe > 0 && !args.repair {
        let said = format!("{} would be put in order by", plural(safe, "thing", "things"));
        page.line(vec![plain(said), gap(1), span(Tone::Command, "loopdeck doctor --repair")]);
    }
}

fn is_move(finding: &Finding) -> bool {
    matches!(finding.repair, Some(Repair::MoveAside | Repair::CutTail))
}

/// A finding with what a repair would do, or did.
fn said(finding: &Finding) -> String {
    let what = match &finding.repair {
        Some(Repair::MoveAside) => "moved to quarantine",
        Some(Repair::CutTail) => "moved into a file of its own beside the journal",
        Some(Repair::AcceptEdits { .. }) => "recorded in the journal as meant",
        Some(Repair::AcceptShorter) => "taken as it stands; the summary is in quarantine",
        None => return finding.said(),
    };
    let when = if finding.repaired { "it was" } else { "a repair: it is" };
    let to = finding.moved_to.as_ref().map(|to| format!(": {}", to.display()));
    format!("{} ({when} {what}{})", finding.said(), to.unwrap_or_default())
}

fn unsound(diagnosis: &Diagnosis) -> Fault {
    let said: Vec<String> = diagnosis.findings.iter().map(said).collect();
    let errors =
        diagnosis.findings.iter().filter(|f| !f.repaired && f.severity == Severity::Error).count();
    let head =
        format!("{} found ({})", plural(errors, "error was", "errors were"), diagnosis.looked_at());
    let mut fault = Fault::new("damaged", format!("{head}\n{}", said.join("\n")));
    fault.details.insert("findings".to_owned(), json!(diagnosis.findings));
    if diagnosis.findings.iter().any(|f| !f.repaired && is_move(f)) {
        return fault.step("do the repairs that are safe", "loopdeck doctor --repair");
    }
    fault
}
