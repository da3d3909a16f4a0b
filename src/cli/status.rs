//! `loopdeck status`, and what bare `loopdeck` does.

use clap::Args;
use serde_json::json;
use strum::IntoEnumIterator;

use super::call::{Answer, Call};
use super::errors::Result;
use super::loops::view;
use super::memory::problems;
use super::page::{Cell, Entry, Page, Span, Tone, gap, plain, span};
use super::when::short_age;
use crate::core::loops::attention::AttentionState;
use crate::core::loops::model::Status;
use crate::core::text::plural;
use crate::core::time::Timestamp;
use crate::engine::{Engine, LoopSummary, Problem, SessionListing};

/// Arguments of `status`.
#[derive(Debug, Default, Args)]
pub struct StatusArgs {
    /// One line, for a prompt
    #[arg(long)]
    short: bool,
}

/// The deck in a page, or in a line.
pub fn run(call: &Call, args: &StatusArgs) -> Result<Answer> {
    call.refuse_conditions()?;
    let deck = Deck::read(&call.engine()?)?;
    let warnings = if args.short { Vec::new() } else { problems(&deck.problems) };
    let text = |page: &mut Page| match args.short {
        true => page.line(deck.counts()),
        false => deck.page(page),
    };
    Ok(call.answer(|| deck.to_json(), text, warnings))
}

/// All loops, in the order in which a person wants to know of them.
struct Deck {
    name: String,
    root: std::path::PathBuf,
    loops: Vec<LoopSummary>,
    folded: usize,
    /// Of the folded ones, those that were put away.
    archived: usize,
    problems: Vec<Problem>,
    read_only: Option<String>,
    /// Sessions that go on, and those of them that get nowhere.
    sessions: (usize, usize),
    now: Timestamp,
}

/// The order of the sections: what waits for a person first.
const SECTIONS: [(&str, &[AttentionState]); 4] = [
    ("Needs you", &[AttentionState::Person, AttentionState::Stuck]),
    ("In work", &[AttentionState::Ready, AttentionState::Work, AttentionState::Worker]),
    ("Held", &[AttentionState::Paused]),
    ("Closed lately", &[AttentionState::Closed]),
];

impl Deck {
    fn read(engine: &Engine) -> Result<Self> {
        let listing = engine.list()?;
        let now = engine.now();
        let mut problems = engine.problems();
        problems.extend(listing.problems);
        let sessions = engine.sessions().unwrap_or_else(|error| {
            let (code, message) = (error.code(), error.message().to_owned());
            let problem = Problem { path: engine.root().to_owned(), code, message };
            SessionListing { problems: vec![problem], ..SessionListing::default() }
        });
        problems.extend(sessions.problems);
        let going = sessions.sessions.iter().filter(|session| !session.status.is_final());
        let stalled = going.clone().filter(|session| session.stalled).count();
        let all = listing.loops.len();
        let archived = listing.loops.iter().filter(|l| l.archived).count();
        let loops: Vec<_> = listing.loops.into_iter().filter(|l| !l.is_folded_away(now)).collect();
        Ok(Self {
            name: engine.name(),
            root: engine.root().to_owned(),
            folded: all - loops.len(),
            archived,
            loops,
            problems,
            read_only: engine.read_only(),
            sessions: (going.count(), stalled),
            now,
        })
    }

    fn wanting(&self, state: AttentionState) -> usize {
        self.loops.iter().filter(|l| l.attention == state).count()
    }

    fn being(&self, status: Status) -> usize {
        self.loops.iter().filter(|l| l.status == status).count()
    }

    /// `3 open · 1 stuck · 1 waits for you`: what is zero is left out.
    fn counts(&self) -> Vec<Span> {
        let counts = [
            // As in the deck: one that is paused has not ended, and is told apart below.
            (self.being(Status::Open) + self.being(Status::Paused), "open", Tone::Plain),
            (self.wanting(AttentionState::Person), "for you", Tone::Warn),
            (self.wanting(AttentionState::Stuck), "stuck", Tone::Bad),
            (self.wanting(AttentionState::Ready), "ready", Tone::Good),
            (self.wanting(AttentionState::Worker), "working", Tone::Warn),
            (self.being(Status::Paused), "paused", Tone::Muted),
            (self.being(Status::Blocked), "blocked", Tone::Bad),
        ];
        let mut spans = Vec::new();
        for (count, word, tone) in counts.into_iter().filter(|(count, ..)| *count > 0) {
            if !spans.is_empty() {
                spans.push(span(Tone::Muted, "·").padded(" ", " "));
            }
            spans.push(span(tone, format!("{count} {word}")));
        }
        if spans.is_empty() {
            spans.push(span(Tone::Muted, "nothing open"));
        }
        spans
    }

    fn to_json(&self) -> serde_json::Value {
        let by_attention: serde_json::Map<_, _> = AttentionState::iter()
            .map(|state| (state.to_string(), self.wanting(state).into()))
            .collect();
        let by_status: serde_json::Map<_, _> =
            Status::iter().map(|s| (s.to_string(), self.being(s).into())).collect();
        json!({
            "workspace": self.root,
            "name": self.name,
            "read_only": self.read_only,
            "counts": {"attention": by_attention, "status": by_status, "folded": self.folded, "archived": self.archived, "sessions": {"active": self.sessions.0, "stalled": self.sessions.1}},
            "loops": self.loops,
            "problems": self.problems,
        })
    }

    /// The sessions that go on, in a line.
    fn sessions(&self, page: &mut Page) {
        let (active, stalled) = self.sessions;
        if active == 0 {
            return;
        }
        page.blank();
        let mut line = vec![plain(plural(active, "session goes on", "sessions go on"))];
        if stalled > 0 {
            line.extend([plain(","), gap(1), span(Tone::Warn, format!("{stalled} stalled"))]);
        }
        line.extend([plain(":"), gap(1), span(Tone::Command, "loopdeck session list")]);
        page.line(line);
    }

    fn page(&self, page: &mut Page) {
        let left = vec![span(Tone::Title, "loopdeck"), gap(2), plain(&self.name)];
        page.edges(left, self.counts());
        if let Some(why) = &self.read_only {
            page.line(span(Tone::Warn, format!("read-only: {why}")));
        }
        let groups =
            SECTIONS.iter().filter_map(|(title, states)| self.section(title, states)).collect();
        page.groups(1, &[1], groups);
        self.sessions(page);
        if self.loops.is_empty() {
            page.blank();
            page.line(plain("no loop here yet"));
            page.line(vec![
                plain("open one:"),
                gap(1),
                span(
                    Tone::Command,
                    "loopdeck loop open --kind ideation --title \"…\" --proposal \"…\"",
                ),
            ]);
        }
        if self.folded > 0 {
            page.blank();
            let text = format!("{}: loopdeck loop list --all", self.put_by());
            page.line(span(Tone::Muted, text));
        }
    }

    /// What is not shown: `4 closed earlier, 1 archived`.
    fn put_by(&self) -> String {
        let counts = [(self.folded - self.archived, "closed earlier"), (self.archived, "archived")];
        let parts = counts.into_iter().filter(|(count, _)| *count > 0);
        parts.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
    }

    fn section<'a>(
        &self,
        title: &'a str,
        states: &[AttentionState],
    ) -> Option<(Option<&'a str>, Vec<Entry>)> {
        let entries: Vec<_> = self
            .loops
            .iter()
            .filter(|l| states.contains(&l.attention))
            .map(|l| self.entry(l))
            .collect();
        (!entries.is_empty()).then_some((Some(title), entries))
    }

    /// A loop: a row, and unless it has ended what it wants and the command for it.
    fn entry(&self, l: &LoopSummary) -> Entry {
        let place = if l.status.is_closed() { l.status.to_string() } else { l.place() };
        let columns = vec![
            span(view::mark_tone(l), view::attention_mark(l.attention, l.status)).into(),
            span(Tone::Strong, &l.title).into(),
            span(Tone::Muted, view::kind_in_list(l)).into(),
            plain(place).into(),
            span(Tone::Muted, view::handle(l)).into(),
            span(Tone::Muted, short_age(l.updated_at, self.now)).into(),
        ];
        let mut below: Vec<Cell> = Vec::new();
        if !l.status.is_closed() {
            let tone = view::attention_tone(l.attention);
            below.push(vec![gap(4), span(tone, view::detail(l))].into());
            below.extend(
                l.next.as_ref().map(|next| vec![gap(4), span(Tone::Command, &next.command)].into()),
            );
        }
        Entry { columns, below }
    }
}
