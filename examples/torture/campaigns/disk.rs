//! Real disks: a small one that is full, one that may only be read, and a limit on
//! the size of files.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use loopdeck::core::loops::ids::LoopId;
use loopdeck::engine::{Engine, Severity, Treatment};

use super::contention::Program;
use super::faults::{Account, Work};
use super::judge::{Told, judge};
use super::recover;
use super::steps::{self, Step};
use super::world::{self, Tree};

/// Bytes of a page: a file system in memory gives space out in these.
const PAGE: u64 = 4_096;

/// Mounts a file system of 4 MiB on a folder, in a name space of its own.
const MOUNT: &str = "mount -t tmpfs -o size=4m none \"$0\" && exec \"$@\"";

/// Runs a program where a folder is a small disk of its own.
///
/// # Errors
/// Why the machine doesn't permit it: no campaign then.
pub fn on_a_small_disk(dir: &Path, program: &Path, args: &[&OsStr]) -> Result<Command, String> {
    let unshare = |program: &Path, args: &[&OsStr]| {
        let mut command = Command::new("unshare");
        command.args(["-Urm", "sh", "-c", MOUNT]).arg(dir).arg(program).args(args);
        command
    };
    let tried = unshare(Path::new("true"), &[]).output();
    match tried {
        Ok(output) if output.status.success() => Ok(unshare(program, args)),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Err(format!("unshare: {error}")),
    }
}

/// On a small disk: each step with no room left, and with a little.
pub fn full(work: &Work, disk: &Path, account: &mut Account) {
    for recorded in work.recorded.iter().filter(|r| r.step.is_determined()) {
        for pages in [0, 1, 2, 3, 5, 8, 13] {
            let root = disk.join("work");
            fs::create_dir(&root).expect("made");
            let root = root.canonicalize().expect("there");
            recorded.before.put(&root);
            let filler = disk.join("filler");
            fill(&filler, disk, pages);
            let came = match &recorded.step {
                Step::Init => steps::init(&root),
                step => world::open(&root, recorded.n, &work.keeper)
                    .and_then(|engine| steps::carry_out(&engine, recorded.n, step)),
            };
            let told = match came {
                Ok(warnings) => Told::Done(warnings),
                Err(error) => Told::Refused(error),
            };
            let mut judged = judge(recorded, &Tree::of(&root), &told);
            fs::remove_file(&filler).expect("there");
            recover::recover(work, recorded, None, &root, &mut judged);
            let step = recorded.step.name();
            judged.name(|fault| format!("{step}, {pages} pages left on a full disk: {fault}"));
            account.take_as("a full disk", judged);
            fs::remove_dir_all(&root).expect("removed");
        }
    }
}

/// Fills a disk up to some pages.
fn fill(filler: &Path, disk: &Path, pages: u64) {
    let free = rustix::fs::statvfs(disk).expect("a file system");
    let bytes = (free.f_bavail * free.f_frsize).saturating_sub(pages * PAGE);
    let mut file = fs::File::create(filler).expect("made");
    let page = vec![0; usize::try_from(PAGE).expect("small")];
    for _ in 0..bytes / PAGE {
        if file.write_all(&page).is_err() {
            return;
        }
    }
}

/// On a disk that may only be read everything can be looked at, nothing changes,
/// and each change says why.
pub fn read_only(work: &Work, disk: &Path, account: &mut Account) {
    let root = disk.join("kept");
    fs::create_dir(&root).expect("made");
    let root = root.canonicalize().expect("there");
    let last = work.recorded.last().expect("some");
    last.after.put(&root);
    let mounted = Command::new("mount").args(["-o", "remount,ro"]).arg(disk).status();
    assert!(mounted.is_ok_and(|status| status.success()), "the disk can be made read-only");
    let before = Tree::of(&root);
    for recorded in work.recorded.iter().filter(|r| !matches!(r.step, Step::Stats)) {
        let mut judged = super::judge::Judged::default();
        match world::open(&root, recorded.n, &work.keeper) {
            Ok(engine) => {
                recover::look(&engine, &mut judged, "on a read-only disk");
                match steps::carry_out(&engine, recorded.n, &recorded.step) {
                    Err(error) if error.code() != "io" => judged.refused = true,
                    Err(error) => judged.fault(format!("io: {}", error.message())),
                    // Init finds all of it there.
                    Ok(_) if matches!(recorded.step, Step::Init) => {}
                    Ok(_) => judged.fault("done on a read-only disk"),
                }
            }
            Err(error) => judged.fault(format!("not opened: {}", error.message())),
        }
        let step = recorded.step.name();
        judged.name(|fault| format!("{step}: {fault}"));
        account.take_as("a read-only disk", judged);
    }
    if Tree::of(&root) != before {
        account.faults.push("a read-only disk was changed".to_owned());
    }
}

/// Commands under a limit on the size of files: the system ends them in the middle
/// of a write, or refuses the rest of it.
pub fn limited(program: &Program, account: &mut Account) {
    let folder = world::folder();
    let root = folder.path().canonicalize().expect("there");
    steps::init(&root).expect("made");
    let engine = world::open(&root, 0, &[]).expect("opened");
    let open = Step::Open {
        kind: loopdeck::core::loops::protocol::Kind::Ideation,
        text: "p".to_owned(),
        agent: false,
    };
    steps::carry_out(&engine, 0, &open).expect("opened");
    let id = steps::look(&engine).loops[0].clone();
    let journal = root.join(".loopdeck/loops").join(id.as_str()).join("journal.jsonl");
    let mut acknowledged = 0;
    for more in 0..24_u64 {
        for ignored in [true, false] {
            let length = fs::metadata(&journal).expect("there").len();
            let blocks = (length / 512 + more / 2).to_string();
            let trap = if ignored { "trap '' XFSZ; " } else { "" };
            let script = format!("{trap}ulimit -f \"$0\" && exec \"$@\"");
            let body = format!("{more} {}", "y".repeat(3_000));
            let status = Command::new("sh")
                .args(["-c", &script, &blocks])
                .arg(&program.exe)
                .args(&program.first)
                .args(["loop", "add", id.as_str(), "--type", "note", "--body", &body])
                .current_dir(&root)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            let done = status.is_ok_and(|status| status.success());
            acknowledged += usize::from(done);
            let mut judged =
                super::judge::Judged { acknowledged: done, refused: !done, ..Default::default() };
            stands(&root, &id, acknowledged, &mut judged);
            let how = if ignored { "refused" } else { "ended" };
            judged.name(|fault| format!("files limited to {blocks} blocks, {how}: {fault}"));
            account.take_as("a limit on the size of files", judged);
            // The next change, without a limit, sets the rest aside.
            let engine = world::open(&root, 1, &[]).expect("opened");
            match steps::carry_out(
                &engine,
                1_000 + 2 * more as usize + usize::from(ignored),
                &note(&id),
            ) {
                Ok(_) => acknowledged += 1,
                Err(error) => account.faults.push(format!("after a limit: {}", error.message())),
            }
        }
    }
}

fn note(id: &LoopId) -> Step {
    use loopdeck::core::loops::Command;
    use loopdeck::core::loops::command::{Content, NewArtifact};
    let command = Command::AddArtifact(NewArtifact {
        artifact_type: "note".to_owned(),
        content: Content::Body("It goes on.".into()),
        ..NewArtifact::default()
    });
    Step::Command { id: id.clone(), command: Box::new(command) }
}

/// As many notes as were acknowledged, and no error that the doctor finds.
fn stands(root: &Path, id: &LoopId, wanted: usize, judged: &mut super::judge::Judged) {
    let engine: Engine = world::open(root, 1, &[]).expect("opened");
    let notes = engine
        .load(id)
        .map_or(0, |state| state.artifacts.iter().filter(|a| &*a.artifact_type == "note").count());
    if notes != wanted {
        judged.fault(format!("{wanted} notes were acknowledged, {notes} are there"));
    }
    let found = engine.doctor(Treatment::default(), &[]).map(|d| d.findings).unwrap_or_default();
    for finding in found.iter().filter(|f| f.severity == Severity::Error) {
        judged.fault(format!("doctor: {}", finding.message));
    }
}

/// All that needs no disk of its own, and all that does where there is one.
pub fn campaign(work: &Work, disk: &Path, account: &mut Account) {
    full(work, disk, account);
    read_only(work, disk, account);
}

/// The folder on which a small disk is mounted.
pub fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().canonicalize().expect("there");
    (folder, path)
}
