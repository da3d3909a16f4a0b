//! `loopdeck init`: a workspace in this folder.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::call::{Answer, Call};
use super::errors::{Fault, Result};
use super::page::{Tone, gap, plain, span};
use crate::core::text::plural;
use crate::engine::{Engine, Ignoring, ImportReport, Importable, InitOptions, InitReport, Options};

/// Arguments of `init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Keep everything under version control, loops included
    #[arg(long)]
    track: bool,
    /// Import the CLAUDE.md, AGENTS.md and decision records that are found
    #[arg(long)]
    import: bool,
}

/// What was imported from one place.
struct Imported {
    from: PathBuf,
    report: ImportReport,
}

/// Makes a workspace in the present folder, or in the one that `--workspace` names.
pub fn run(call: &Call, args: &InitArgs) -> Result<Answer> {
    call.refuse_conditions()?;
    if call.read_only {
        return Err(Fault::new("read_only", "--read-only forbids making a workspace"));
    }
    let dir = match &call.globals.workspace {
        Some(dir) => dir.clone(),
        None => std::env::current_dir()
            .map_err(|e| Fault::new("io", format!("the present folder cannot be read: {e}")))?,
    };
    let mut report = Engine::init(&dir, InitOptions { track: args.track })?;
    let engine = match report.created && !args.import {
        true => None,
        false => Some(Engine::open(Options {
            workspace: Some(report.root.clone()),
            ..Options::default()
        })?),
    };
    if let Some(engine) = &engine {
        let Importable { new, there } = engine.importable();
        (report.importable, report.imported_before) = (new, there);
    }
    let imported = match engine.filter(|_| args.import) {
        Some(engine) => import_all(&engine, &report)?,
        None => Vec::new(),
    };
    Ok(answer(call, report, imported))
}

fn import_all(engine: &Engine, report: &InitReport) -> Result<Vec<Imported>> {
    let import = |path: &PathBuf| {
        let report = engine.memory_import(path, None, false)?;
        Ok(Imported { from: path.clone(), report })
    };
    report.importable.iter().map(import).collect()
}

fn answer(call: &Call, report: InitReport, imported: Vec<Imported>) -> Answer {
    let result = || {
        let mut object = json!(report);
        object["imported"] = imported
            .iter()
            .map(|i| {
                json!({
                    "from": i.from,
                    "imported": i.report.imported,
                    "skipped": i.report.skipped,
                    "total": i.report.total,
                })
            })
            .collect();
        object
    };
    let text = |page: &mut super::page::Page| {
        let place = report.root.display().to_string();
        let line = match report.created {
            true => {
                vec![span(Tone::Good, "made"), gap(1), plain(format!("a workspace in {place}"))]
            }
            false => vec![plain(format!("there is a workspace in {place} already"))],
        };
        page.line(line);
        if report.gitignore == Some(Ignoring::Rewritten) {
            page.line(vec![gap(2), plain("loops are tracked now: .loopdeck/.gitignore says so")]);
        }
        for Imported { from, report } in &imported {
            page.line(vec![gap(2), plain(imported_line(from, report))]);
        }
        if !report.imported_before.is_empty() {
            let names: Vec<_> =
                report.imported_before.iter().map(|path| below(&report.root, path)).collect();
            page.hanging(
                vec![gap(2)],
                Tone::Muted,
                &format!("in memory already: {}", names.join(", ")),
            );
        }
        if imported.is_empty() && !report.importable.is_empty() {
            page.blank();
            page.line(plain("Found what could become memory, which briefs are made from:"));
            for path in &report.importable {
                page.line(vec![gap(2), plain(below(&report.root, path))]);
            }
            page.line(vec![plain("take it in:"), gap(1), command("loopdeck init --import")]);
        }
        page.blank();
        page.line(vec![
            plain("open a loop:"),
            gap(1),
            command("loopdeck loop open --kind ideation --title \"…\" --proposal \"…\""),
        ]);
        page.line(vec![plain("or the deck:"), gap(1), command("loopdeck")]);
    };
    let warnings = match report.gitignore {
        Some(Ignoring::Kept) => vec![
            ".loopdeck/.gitignore is not as init writes it and stays as it is: to track the loops, \
             take loops/ out of it"
                .to_owned(),
        ],
        _ => Vec::new(),
    };
    call.answer(result, text, warnings)
}

fn command(text: &str) -> super::page::Span {
    span(Tone::Command, text)
}

fn imported_line(from: &Path, report: &ImportReport) -> String {
    let items = plural(report.imported.len(), "item", "items");
    let name = from.file_name().unwrap_or(from.as_os_str()).to_string_lossy();
    match report.skipped.len() {
        0 => format!("{items} imported from {name}"),
        skipped => format!("{items} imported from {name}, {skipped} skipped"),
    }
}

fn below(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}
