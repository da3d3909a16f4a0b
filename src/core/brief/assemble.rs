//! The brief as a whole: its six parts, and what gives way when they don't fit.

use std::collections::HashSet;

use super::cut::{chars, cut_at_line};
use super::history::{Entries, Entry, earlier_rounds, this_round};
use super::rank::{Hit, Ranking};
use super::subject::{self, Block, Subject};
use super::words::{clip, flat, indented};
use super::{Brief, Input, MIN_MAX_CHARS, RankedItem, frame};
use crate::core::loops::ids::ArtifactId;
use crate::core::loops::refusal::Refusal;
use crate::core::memory::Category;

/// Characters of goal and instruction that are shown (engine.md §8), and the
/// steps down where a small cap leaves no room for that.
const FREE_CHARS: [usize; 6] = [1_000, 800, 600, 400, 200, 100];
/// Part 2 gets at least this much.
const SUBJECT_CHARS: usize = 400;

/// Assembles the brief of a slot.
///
/// # Errors
/// `invalid_max_chars`, `invalid_top_k`.
pub fn assemble(input: &Input<'_>) -> Result<Brief, Refusal> {
    let cap = input.limits.max_chars;
    if cap < MIN_MAX_CHARS {
        return Err(Refusal::new(
            "invalid_max_chars",
            format!("a brief of {cap} characters is too short to be of use: allow at least {MIN_MAX_CHARS}"),
        )
        .detail("max_chars", cap)
        .detail("least", MIN_MAX_CHARS));
    }
    if input.limits.top_k == 0 {
        return Err(Refusal::new("invalid_top_k", "top_k is 0: allow at least 1 item a category"));
    }
    let blocks = subject::blocks(input);
    let memory = Memory::of(input, &blocks);
    let reserve = tail_reserve(cap) + memory.lack.as_ref().map_or(0, |lack| chars(lack) + 100);
    let (header, produce) = fixed_parts(input, cap - reserve - SUBJECT_CHARS);
    let fixed = chars(&header) + chars(&produce);
    let subject = subject::render(&blocks, (cap / 2).min(cap - reserve - fixed));

    let mut above: HashSet<ArtifactId> = blocks.iter().filter_map(|b| b.id.clone()).collect();
    let round = this_round(input, &above);
    above.extend(round.list.iter().map(|entry| entry.id.clone()));
    above.extend(round.without_room.iter().cloned());
    let earlier = earlier_rounds(input, &above);

    let unread = blocks.iter().filter(|b| !b.complete).count()
        + round.list.iter().filter(|entry| !entry.complete).count();
    let fixed = fixed + chars(&subject.text);
    let names = names(cap);
    let history = input.categories().into_iter().filter(|category| !category.is_user()).collect();
    let draft = Draft { header, subject, round, memory, earlier, produce, history, fixed, names };
    let dropped = draft.fit(cap);
    Ok(draft.finish(&dropped, unread))
}

/// Parts 1 and 6 within some room.
fn fixed_parts(input: &Input<'_>, room: usize) -> (String, String) {
    let told = (input.limits.max_chars / 8).max(FREE_CHARS[0]);
    let mut parts = (String::new(), String::new());
    for (step, free) in FREE_CHARS.into_iter().enumerate() {
        let told = if step == 0 { told } else { free };
        parts = (frame::header(input, free), frame::produce(input, free, told));
        if chars(&parts.0) + chars(&parts.1) <= room {
            return parts;
        }
    }
    // Only a protocol with many overlong names gets here.
    let left = room.saturating_sub(chars(&parts.0) + 1);
    let cut = format!("{}\n", cut_at_line(&parts.1, left));
    (parts.0, cut)
}

/// How many of the artifacts that were left out one line of the tail names.
fn names(cap: usize) -> usize {
    cap / 1_000
}

/// Room that the tail may need.
fn tail_reserve(cap: usize) -> usize {
    320 + 4 * 20 * names(cap)
}

/// The memory bundle, ranked.
struct Memory {
    /// The best of each.
    ranked: Vec<(Category, Vec<MemoryEntry>)>,
    /// What is said in its place if there is nothing at all.
    lack: Option<String>,
}

struct MemoryEntry {
    hit: Hit,
    text: String,
    chars: usize,
}

impl Memory {
    fn of(input: &Input<'_>, blocks: &[Block]) -> Self {
        let asked: Vec<Category> =
            input.categories().into_iter().filter(|category| category.is_user()).collect();
        let query: Vec<&str> = blocks.iter().map(|block| block.body.as_str()).collect();
        let hints = input.slot.map(|slot| &slot.scope_hint[..]).unwrap_or_default();
        let ranking = Ranking { categories: &asked, top_k: input.limits.top_k, scope_hints: hints };
        let ranked = input.index.rank(&query.join("\n"), &ranking);
        let entries = |hits: Vec<Hit>| hits.into_iter().map(MemoryEntry::new).collect();
        let ranked: Vec<_> =
            ranked.into_iter().map(|(category, hits)| (category, entries(hits))).collect();
        let nothing = ranked.is_empty() && !asked.is_empty();
        Self { ranked, lack: nothing.then(|| empty_bundle(input, &asked)) }
    }

    /// The entries as (category, place in it), the first to be dropped first.
    /// An entry that has no room even alone goes before any other: else it
    /// would take all that are ranked lower with it.
    fn drop_order(&self, room: usize) -> Vec<(usize, usize)> {
        let mut order: Vec<(usize, usize)> = (0..self.ranked.len())
            .flat_map(|c| (0..self.ranked[c].1.len()).map(move |i| (c, i)))
            .collect();
        order.sort_by(|a, b| {
            let (a, b) = (self.entry(*a), self.entry(*b));
            let hopeless = (b.chars > room).cmp(&(a.chars > room));
            let score = a.hit.score.total_cmp(&b.hit.score);
            hopeless.then(score).then_with(|| super::rank::newer_first(&b.hit.item, &a.hit.item))
        });
        order
    }

    fn entry(&self, (category, place): (usize, usize)) -> &MemoryEntry {
        &self.ranked[category].1[place]
    }
}

impl MemoryEntry {
    fn new(hit: Hit) -> Self {
        let item = &hit.item;
        let recent = if hit.score > 0.0 { "" } else { " (recent)" };
        let (title, body) = (flat(&item.title), indented(item.text.trim()));
        let says_title = flat(body.lines().next().unwrap_or_default()).starts_with(&title);
        let text = match (title.is_empty() || says_title, body.is_empty()) {
            (true, _) => format!("- [{}]{recent} {body}\n", item.id),
            (false, true) => format!("- [{}]{recent} {title}\n", item.id),
            (false, false) => format!("- [{}]{recent} {title}\n  {body}\n", item.id),
        };
        Self { chars: chars(&text), hit, text }
    }
}

/// What is left out of a draft.
#[derive(Default)]
struct Dropped {
    memory: HashSet<(usize, usize)>,
    /// How many of the oldest entries of part 5.
    earlier: usize,
    /// How many of the oldest entries of part 3.
    round: usize,
}

/// The parts before anything was dropped.
struct Draft {
    header: String,
    subject: Subject,
    round: Entries,
    memory: Memory,
    earlier: Entries,
    produce: String,
    /// The parts of the loop's own history that the phase's filter names.
    history: Vec<Category>,
    /// The length of header, subject and produce together.
    fixed: usize,
    /// How many names a line of the tail has room for.
    names: usize,
}

const ROUND: &str = "\n## this round\n";
const MEMORY: &str = "\n## memory bundle (BM25-ranked, filtered by phase context)\n";
const EARLIER: &str = "\n## prior loop artifacts\n";
/// More than all headings of the parts 3 to 5 together.
const HEADINGS: usize = 600;

impl Draft {
    /// Drops whole entries until the brief fits: memory, the lowest ranked
    /// first, then earlier rounds, then this one, the oldest first.
    fn fit(&self, cap: usize) -> Dropped {
        let mut dropped = Dropped::default();
        let room = cap.saturating_sub(self.length(&self.without_memory()));
        let mut memory = self.memory.drop_order(room).into_iter();
        // Without the headings that go with their last entry, and with the tail
        // as it was at first: a bound that saves measuring after every drop.
        let mut about = self.length(&dropped);
        while about > cap + HEADINGS || self.length(&dropped) > cap {
            if let Some(next) = memory.next() {
                about = about.saturating_sub(self.memory.entry(next).chars);
                dropped.memory.insert(next);
            } else if let Some(entry) = self.earlier.list.get(dropped.earlier) {
                about = about.saturating_sub(entry.chars);
                dropped.earlier += 1;
            } else if let Some(entry) = self.round.list.get(dropped.round) {
                about = about.saturating_sub(entry.chars);
                dropped.round += 1;
            } else {
                break;
            }
        }
        dropped
    }

    fn without_memory(&self) -> Dropped {
        Dropped { memory: self.memory.drop_order(0).into_iter().collect(), ..Dropped::default() }
    }

    /// How long the brief is in characters with some entries left out.
    fn length(&self, dropped: &Dropped) -> usize {
        let mut length = self.fixed + chars(&self.tail(dropped));
        self.each_list(dropped, &mut |_, count| length += count);
        length
    }

    fn text(&self, dropped: &Dropped) -> String {
        let mut text = format!("{}{}", self.header, self.subject.text);
        self.each_list(dropped, &mut |piece, _| text.push_str(piece));
        text.push_str(&self.produce);
        text.push_str(&self.tail(dropped));
        text
    }

    /// Calls `put` with the pieces of the parts 3 to 5 in order, and their lengths.
    fn each_list(&self, dropped: &Dropped, put: &mut dyn FnMut(&str, usize)) {
        put_entries(ROUND, &self.round.list[dropped.round..], put);
        self.put_memory(dropped, put);
        put_entries(EARLIER, &self.earlier.list[dropped.earlier..], put);
    }

    fn put_memory(&self, dropped: &Dropped, put: &mut dyn FnMut(&str, usize)) {
        let mut put_text = |text: &str| put(text, chars(text));
        if let Some(lack) = &self.memory.lack {
            put_text(MEMORY);
            return put_text(&format!("({lack})\n"));
        }
        let mut is_first = true;
        for (c, (category, entries)) in self.memory.ranked.iter().enumerate() {
            let kept = || (0..entries.len()).filter(|i| !dropped.memory.contains(&(c, *i)));
            if kept().next().is_none() {
                continue;
            }
            if std::mem::take(&mut is_first) {
                put(MEMORY, chars(MEMORY));
            }
            let heading = format!("### {category}\n");
            put(&heading, chars(&heading));
            kept().for_each(|i| put(&entries[i].text, entries[i].chars));
        }
    }

    /// What the brief does not hold, one line each; empty if it holds all.
    fn tail(&self, dropped: &Dropped) -> String {
        let mut lines = Vec::new();
        if !dropped.memory.is_empty() {
            let count = crate::core::text::plural(dropped.memory.len(), "item", "items");
            lines.push(format!("memory bundle truncated: {count} dropped"));
        }
        let mut entries = |part: &str, entries: &Entries, dropped: usize| {
            let ids: Vec<&str> = entries
                .without_room
                .iter()
                .chain(entries.list[..dropped].iter().map(|entry| &entry.id))
                .map(ArtifactId::as_str)
                .collect();
            if !ids.is_empty() {
                let shown = self.some_of(&ids);
                lines.push(format!("{part} truncated: {} dropped: {shown}", ids.len()));
            }
        };
        entries("prior loop artifacts", &self.earlier, dropped.earlier);
        entries("this round", &self.round, dropped.round);
        if !self.subject.cuts.is_empty() {
            let cuts: Vec<&str> = self.subject.cuts.iter().map(String::as_str).collect();
            lines.push(format!("shortened: {}", self.some_of(&cuts)));
        }
        if lines.is_empty() { String::new() } else { format!("\n---\n{}\n", lines.join("\n")) }
    }

    /// Some names, as many as the tail has room for.
    fn some_of(&self, names: &[&str]) -> String {
        let shown = names.iter().take(self.names).copied().collect::<Vec<_>>().join(", ");
        match names.len().saturating_sub(self.names) {
            0 => shown,
            more => format!("{shown} and {more} more"),
        }
    }

    fn finish(&self, dropped: &Dropped, unread: usize) -> Brief {
        let text = self.text(dropped);
        let mut brief = Brief { chars: chars(&text), text, ..Brief::default() };
        for (c, (category, entries)) in self.memory.ranked.iter().enumerate() {
            for (i, entry) in entries.iter().enumerate() {
                let included = !dropped.memory.contains(&(c, i));
                if included && !brief.categories_used.contains(category) {
                    brief.categories_used.push(*category);
                }
                brief.items.push(ranked_item(&entry.hit, included));
            }
        }
        if dropped.earlier < self.earlier.list.len() {
            brief.categories_used.extend(self.history.iter().copied());
        }
        brief.dropped_items = dropped.memory.len();
        brief.included_items = brief.items.len() - brief.dropped_items;
        let tail = self.tail(dropped);
        brief.truncated = !tail.is_empty();
        if brief.truncated {
            let said: Vec<&str> = tail.lines().filter(|l| !l.is_empty() && *l != "---").collect();
            brief.warnings.push(format!("brief truncated at the cap: {}", said.join("; ")));
        }
        brief.warnings.extend(self.memory.lack.clone());
        if unread > 0 {
            let bodies = crate::core::text::plural(unread, "body", "bodies");
            brief
                .warnings
                .push(format!("{bodies} could not be read in full: only the beginning is shown"));
        }
        brief
    }
}

fn put_entries(heading: &str, entries: &[Entry], put: &mut dyn FnMut(&str, usize)) {
    if !entries.is_empty() {
        put(heading, chars(heading));
    }
    entries.iter().for_each(|entry| put(&entry.text, entry.chars));
}

fn ranked_item(hit: &Hit, included: bool) -> RankedItem {
    RankedItem {
        id: hit.item.id.clone(),
        category: hit.item.category,
        title: hit.item.title.clone(),
        score: hit.score,
        matched_terms: hit.matched_terms.clone(),
        included,
    }
}

/// The warning about a memory that has nothing for this phase (engine.md §8).
fn empty_bundle(input: &Input<'_>, asked: &[Category]) -> String {
    let asked = match asked.len() == Category::USER.len() {
        true => "any category".to_owned(),
        false => asked.iter().map(|c| c.as_ref()).collect::<Vec<_>>().join(", "),
    };
    let phase = clip(&input.state.current_phase, 64);
    let lack = match &*phase {
        "critique" => "this critique has no adversary".to_owned(),
        _ => format!("phase {phase} has nothing of the project to go by"),
    };
    format!("no memory in {asked}: {lack}; seed memory first")
}
