//! What is around the screens: header, hints, and notes in passing.

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Span;

use crate::core::loops::attention::AttentionState;
use crate::tui::action::{Action, Context, hints};
use crate::tui::app::dreams::Look;
use crate::tui::app::{App, Screen, Start};

use super::canvas::{Canvas, indent, span, spans_width};
use super::layout::Target;

/// The line on top: workspace, counts, warnings; screens at the right.
pub(super) fn header(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let area = indent(area, 1, 1);
    let (left, right) = header_parts(app, canvas, area.width);
    let wide = clickable_width(&right);
    canvas.put(Rect { width: area.width.saturating_sub(wide + 2), ..area }, &left);
    let mut x = area.right().saturating_sub(wide);
    for (spans, target) in right {
        let cells = spans_width(&spans);
        let at = Rect { x, width: cells, ..area };
        canvas.put(at, &spans);
        if let Some(target) = target {
            canvas.layout.target(at, target);
        }
        x += cells;
    }
}

/// What finds room in the header: the keys of the screens always do, and what is
/// said at the left grows shorter for them.
fn header_parts(
    app: &App,
    canvas: &Canvas<'_, '_>,
    wide: u16,
) -> (Vec<Span<'static>>, Vec<Clickable>) {
    let choices = [
        (Said::All, Names::All),
        (Said::All, Names::Screens),
        (Said::Short, Names::Screens),
        (Said::Least, Names::Screens),
        (Said::All, Names::OfThisScreen),
        (Said::Short, Names::OfThisScreen),
        (Said::Short, Names::None),
        (Said::Least, Names::OfThisScreen),
    ];
    for (said, names) in choices {
        let (left, right) = (header_left(app, canvas, said), screens(app, canvas, names));
        if spans_width(&left) + 2 + clickable_width(&right) <= wide {
            return (left, right);
        }
    }
    let right = screens(app, canvas, Names::None);
    let right = if clickable_width(&right) <= wide { right } else { Vec::new() };
    (header_left(app, canvas, Said::Least), right)
}

/// How much is said at the left of the header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    /// All of it, with why a dream is due.
    All,
    /// That a dream is due, not why.
    Short,
    /// Without the program's name, and of a dream only that it is due.
    Least,
}

fn header_left(app: &App, canvas: &Canvas<'_, '_>, said: Said) -> Vec<Span<'static>> {
    let theme = canvas.theme;
    let mut left = Vec::new();
    let ready = matches!(app.start, Start::Ready(_));
    if said != Said::Least || !ready {
        left.push(span("loopdeck", theme.accent));
        left.push(span("  ", theme.text));
    }
    match &app.start {
        Start::Ready(workspace) => {
            left.push(span(workspace.name.clone(), theme.title));
            left.push(span("   ", theme.text));
            left.extend(counts(app, canvas));
            left.extend(at_work(app, canvas));
            left.extend(dream_badge(app, canvas, said));
            left.extend(warnings(app, canvas));
        }
        Start::Opening => left.push(span("opening …", theme.muted)),
        Start::NoWorkspace(_) => left.push(span("no workspace here yet", theme.muted)),
        Start::Failed(_) => left.push(span("the workspace can't be opened", theme.bad)),
    }
    left
}

/// Which names stand beside the keys at the right of the header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    All,
    /// Of the screens; palette and help by their keys alone.
    Screens,
    OfThisScreen,
    None,
}

fn clickable_width(parts: &[Clickable]) -> u16 {
    parts.iter().map(|(spans, _)| spans_width(spans)).sum()
}

fn counts(app: &App, canvas: &Canvas<'_, '_>) -> Vec<Span<'static>> {
    let theme = canvas.theme;
    if !app.loops.loaded {
        return vec![span("reading …", theme.muted)];
    }
    let counts = app.counts();
    let mut out = vec![span(format!("{} open", counts.open), theme.text)];
    if counts.questions > 0 {
        let (symbol, _) = theme.attention(AttentionState::Person);
        let waiting = crate::core::text::plural(counts.questions, "question", "questions");
        out.push(span(format!(" {} ", theme.symbols.bullet), theme.muted));
        out.push(span(format!(" {symbol} {waiting} "), loud(theme.warn)));
    }
    let marked = [
        (counts.stuck, "stuck", theme.symbols.unmet, theme.bad),
        (counts.blocked, "blocked", theme.symbols.blocked, theme.bad),
    ];
    for (count, word, symbol, style) in marked {
        if count > 0 {
            out.push(span(format!(" {} ", theme.symbols.bullet), theme.muted));
            out.push(span(format!("{symbol} {count} {word}"), style));
        }
    }
    out
}

/// How many workers run, for the header.
fn at_work(app: &App, canvas: &Canvas<'_, '_>) -> Vec<Span<'static>> {
    let theme = canvas.theme;
    let n = app.crew.at_work();
    let (symbol, _) = theme.attention(AttentionState::Worker);
    let text = crate::core::text::plural(n, "worker", "workers");
    match n {
        0 => Vec::new(),
        _ => vec![
            span(format!(" {} ", theme.symbols.bullet), theme.muted),
            span(format!("{symbol} {text}"), theme.accent),
        ],
    }
}

/// A style that cannot be overlooked, with or without colours.
pub(super) fn loud(style: Style) -> Style {
    style.add_modifier(Modifier::REVERSED | Modifier::BOLD)
}

/// The dream that is under way, or that one is due and why.
fn dream_badge(app: &App, canvas: &Canvas<'_, '_>, said: Said) -> Vec<Span<'static>> {
    let theme = canvas.theme;
    let symbol = theme.symbols.working;
    if let Some(run) = &app.dreams.run {
        let (done, total) = run.progress.now();
        let percent = done.saturating_mul(100).checked_div(total).unwrap_or(0).min(99);
        let word = if said == Said::All { "dreaming " } else { "" };
        return vec![span(format!("   {symbol} {word}{percent}%"), theme.accent)];
    }
    match app.dreams.status.as_ref().filter(|status| status.due) {
        Some(status) if said == Said::All => {
            vec![span(format!("   {symbol} dream due: {}", status.why()), theme.warn)]
        }
        Some(_) if said == Said::Short => {
            vec![span(format!("   {symbol} dream due"), theme.warn)]
        }
        Some(_) => vec![span(format!("   {symbol} due"), theme.warn)],
        None => Vec::new(),
    }
}

fn warnings(app: &App, canvas: &Canvas<'_, '_>) -> Vec<Span<'static>> {
    let theme = canvas.theme;
    let mut out = Vec::new();
    if app.read_only().is_some() {
        out.push(span("   read-only", theme.warn));
    }
    let problems = app.problems().len();
    if problems > 0 {
        let text = crate::core::text::plural(problems, "warning", "warnings");
        out.push(span(format!("   {} {text}", theme.symbols.warning), theme.warn));
    }
    if app.pending > 0 {
        out.push(span("   saving …", theme.muted));
    }
    out
}

type Clickable = (Vec<Span<'static>>, Option<Target>);

fn screens(app: &App, canvas: &Canvas<'_, '_>, names: Names) -> Vec<Clickable> {
    let theme = canvas.theme;
    let mut out: Vec<Clickable> = Vec::new();
    if matches!(app.start, Start::Ready(_)) {
        let all = [
            (Screen::Loops, "Loops", Action::ShowLoops),
            (Screen::Dreams, "Dreams", Action::ShowDreams),
            (Screen::Sessions, "Sessions", Action::ShowSessions),
            (Screen::Memory, "Memory", Action::ShowMemory),
            (Screen::Journal, "Journal", Action::ShowJournal),
        ];
        for (screen, name, action) in all {
            let key = app.keys().any_key_in_words(action);
            let style = if app.screen == screen { theme.accent } else { theme.muted };
            let named = match names {
                Names::All | Names::Screens => true,
                Names::OfThisScreen => app.screen == screen,
                Names::None => false,
            };
            let shown = if named { format!("{key} {name}") } else { key };
            let spans = vec![span(shown, style), span("  ", theme.text)];
            out.push((spans, Some(Target::Act(action))));
        }
    }
    for (key, word, action) in [(" :", " palette  ", Action::Palette), ("?", " help", Action::Help)]
    {
        let word = if names == Names::All { word } else { " " };
        out.push((vec![span(key, theme.key), span(word, theme.muted)], Some(Target::Act(action))));
    }
    out
}

/// The last line: the keys of what has the keyboard, or the filter that is typed.
pub(super) fn footer(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let Some(context) = app.context() else { return };
    let area = indent(area, 1, 1);
    if context == Context::Filter {
        filter_line(app, canvas, area);
        return;
    }
    let quit = (context != Context::Viewer && app.overlays.is_empty()).then_some(Action::Quit);
    let mut quit_spans = prefixes(app, canvas, context);
    quit_spans.extend(quit.map(|action| hint(app, canvas, context, action)).unwrap_or_default());
    let room = area.width.saturating_sub(spans_width(&quit_spans));
    let mut x = 0;
    // Where nothing is chosen, or what is chosen has ended, only what can be done is
    // named.
    // What dreams found has keys that mean nothing on its other lists.
    let dreams = matches!(context, Context::Dreams | Context::DreamDetail);
    let of_a_loop = app.screen == Screen::Loops && app.overlays.is_empty();
    let ended = of_a_loop && app.selected_loop().is_some_and(|l| l.status.is_closed());
    let idle = context == Context::Workers && app.crew.is_empty();
    let bare = dreams || ended || idle || app.available(Action::Enter).is_err();
    let named = |action: &&Action| {
        // A question or a turn that nobody could give is not worth a place in the line.
        let asked = !matches!(
            action,
            Action::Answer | Action::Dispatch | Action::FollowUp | Action::Reopen
        );
        if idle && **action == Action::Enter {
            return false;
        }
        Some(**action) != quit && ((!bare && asked) || app.available(**action).is_ok())
    };
    for action in hints(context).iter().filter(named) {
        let spans = hint(app, canvas, context, *action);
        let cells = spans_width(&spans);
        if x + cells > room {
            break;
        }
        let at = Rect { x: area.x + x, width: cells, ..area };
        canvas.put(at, &spans);
        canvas.layout.target(at, Target::Act(*action));
        x += cells;
    }
    canvas.put(Rect { x: area.x + x, width: area.width.saturating_sub(x), ..area }, &quit_spans);
}

/// The keys after which others follow.
fn prefixes(app: &App, canvas: &Canvas<'_, '_>, context: Context) -> Vec<Span<'static>> {
    let theme = canvas.theme;
    let prefixes = app.keys().prefixes(context).into_iter();
    prefixes
        .flat_map(|key| [span(key.to_string(), theme.key), span(" more   ", theme.hint)])
        .collect()
}

/// A key and what it does; dim where it can't act now.
fn hint(
    app: &App,
    canvas: &Canvas<'_, '_>,
    context: Context,
    action: Action,
) -> Vec<Span<'static>> {
    let Some(key) = app.keys().key(action, context) else { return Vec::new() };
    let able = app.available(action).is_ok();
    let (key_style, word_style) = if able {
        (canvas.theme.key, canvas.theme.hint)
    } else {
        (canvas.theme.disabled, canvas.theme.disabled)
    };
    let word = match (action, context) {
        (Action::Enter, Context::Preview) => "yes, go there",
        (Action::Enter, Context::Facets) => "on or off",
        (Action::Enter, Context::Themes) => "keep it",
        (Action::Back, Context::Themes) => "as before",
        (Action::Enter, Context::Next) => "do it",
        (Action::Enter, Context::UndoPreview) => "take it back",
        (Action::Enter, Context::Help | Context::HelpSearch | Context::Palette) => "run",
        (Action::Filter, Context::Help) => "search",
        (Action::Enter, Context::Events) => "go to the loop",
        (Action::Enter, Context::Dreams) => match app.dreams.look {
            Look::Insights | Look::Near => "its records",
            Look::Graph => "its edges",
            Look::Past => "show it",
        },
        (Action::Enter, Context::DreamDetail) => "open",
        (Action::Back, Context::DreamDetail) => "back",
        (Action::DreamNow, _) if app.dreams.run.is_some() => "end the dream",
        (Action::DreamNow, _) => "dream now",
        (Action::Back, Context::Preview | Context::Confirm) => "no",
        (Action::Back, _) => "close",
        (Action::Pause, _) if is_paused(app) => "resume",
        _ => action.spec().short,
    };
    vec![
        span(key.to_string(), key_style),
        span(format!(" {word}"), word_style),
        span("   ", Style::new()),
    ]
}

fn is_paused(app: &App) -> bool {
    app.selected_loop().is_some_and(|l| l.status == crate::core::loops::model::Status::Paused)
}

fn filter_line(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    let (shown, all) = match app.screen {
        Screen::Loops => (app.loops.visible.len(), app.loops.all.len()),
        Screen::Dreams => (app.dreams.len(), app.dreams.len()),
        Screen::Sessions => (app.sessions.visible.len(), app.sessions.all.len()),
        Screen::Memory => (app.memory.visible.len(), app.memory.all.len()),
        Screen::Journal => (app.events.visible.len(), app.events.log.entries.len()),
    };
    let left = [
        span("/", theme.key),
        span(app.filter_words().to_owned(), theme.title),
        span(" ", theme.selected),
    ];
    let right = [
        span(format!("{shown} of {all}   "), theme.muted),
        span("Enter", theme.key),
        span(" keep   ", theme.hint),
        span("Esc", theme.key),
        span(" clear", theme.hint),
    ];
    canvas.put_both(area, &left, &right);
}
