//! Which loop a text names.

use super::api::{Error, LoopSummary, Result};
use super::inner::Engine;
use crate::core::loops::ids::LoopId;
use crate::core::loops::refusal::Refusal;
use crate::core::text::{echo, nearest};

/// Characters after the prefix that a beginning needs at least.
const SHORTEST: usize = 4;
/// Candidates that are named.
const NAMED: usize = 5;

impl Engine {
    /// The loop that a text names: id, slug, or a unique beginning of ≥ 4
    /// characters of what follows the id's prefix.
    ///
    /// # Errors
    /// `loop_not_found`, with slugs that are near; `ambiguous_id`, with the candidates.
    pub fn resolve(&self, text: &str) -> Result<LoopId> {
        let text = text.trim();
        if let Ok(id) = LoopId::parse(text)
            && !matches!(self.inner.look_at(&id, None), Ok(None))
        {
            // A loop that cannot be read is meant too: reading it says why.
            return Ok(id);
        }
        let loops = self.list()?.loops;
        let by_slug: Vec<&LoopSummary> = loops.iter().filter(|l| l.slug == text).collect();
        let found = if by_slug.is_empty() { by_beginning(text, &loops) } else { by_slug };
        match found[..] {
            [one] => Ok(one.id.clone()),
            [] => Err(not_found(text, &loops)),
            _ => Err(ambiguous(text, &found)),
        }
    }
}

fn by_beginning<'a>(text: &str, loops: &'a [LoopSummary]) -> Vec<&'a LoopSummary> {
    let digits = text.strip_prefix(LoopId::PREFIX).unwrap_or(text).to_ascii_lowercase();
    let is_beginning = digits.len() >= SHORTEST && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let fits = |l: &&LoopSummary| l.id.as_str()[LoopId::PREFIX.len()..].starts_with(&digits);
    loops.iter().filter(|_| is_beginning).filter(fits).collect()
}

fn not_found(text: &str, loops: &[LoopSummary]) -> Error {
    let digits = text.strip_prefix(LoopId::PREFIX).unwrap_or(text);
    let too_short = digits.len() < SHORTEST && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let given = echo(text);
    let mut message = format!("no loop is called {given:?}");
    if too_short && !digits.is_empty() {
        message.push_str("; the beginning of an id needs at least 4 characters after lop_");
    }
    let near = nearest(text, loops.iter().map(|l| l.slug.as_str()));
    if let Some(slug) = near {
        message.push_str(&format!("; did you mean {slug}?"));
    }
    let refusal = Refusal::new("loop_not_found", message).detail("given", &*given);
    let refusal = match near {
        Some(slug) => refusal.step("look at it", format!("loopdeck loop show {slug}")),
        None => refusal,
    };
    refusal.step("see all loops", "loopdeck loop list --all").into()
}

fn ambiguous(text: &str, found: &[&LoopSummary]) -> Error {
    let name = |l: &&LoopSummary| format!("{} ({})", l.id, l.slug);
    let mut names: Vec<String> = found.iter().take(NAMED).map(name).collect();
    if found.len() > NAMED {
        names.push(format!("and {} more", found.len() - NAMED));
    }
    let ids: Vec<&str> = found.iter().map(|l| l.id.as_str()).collect();
    let mut refusal = Refusal::new(
        "ambiguous_id",
        format!("{text:?} could be any of {} loops: {}", found.len(), names.join(", ")),
    )
    .detail("given", text)
    .detail("candidates", ids);
    for one in found.iter().take(NAMED) {
        refusal = refusal.step(&*one.title, format!("loopdeck loop show {}", one.id));
    }
    refusal.into()
}
