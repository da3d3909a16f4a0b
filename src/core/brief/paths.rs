//! Whether two paths or globs may speak of the same files.

/// Whether something that speaks of `paths` concerns work on `hints`. Without
/// paths it concerns everything; without hints the work may touch everything.
pub fn in_scope(paths: &[String], hints: &[String]) -> bool {
    paths.is_empty()
        || hints.is_empty()
        || paths.iter().any(|path| hints.iter().any(|hint| overlap(path, hint)))
}

/// Whether two paths or globs may name the same file: one is, or may match, a
/// beginning of the other. Two globs in the same place count as overlapping.
pub fn overlap(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (components(a), components(b));
    loop {
        match (a.next(), b.next()) {
            (None, _) | (_, None) | (Some("**"), _) | (_, Some("**")) => return true,
            (Some(x), Some(y)) if !component_overlap(x, y) => return false,
            _ => {}
        }
    }
}

fn components(path: &str) -> impl Iterator<Item = &str> {
    path.trim().split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".")
}

fn component_overlap(a: &str, b: &str) -> bool {
    let is_glob = |text: &str| text.contains(['*', '?', '[', '{']);
    match (is_glob(a), is_glob(b)) {
        (true, true) => true,
        (true, false) => glob_matches(a, b),
        (false, true) => glob_matches(b, a),
        (false, false) => a == b,
    }
}

/// Whether a pattern of `*` and `?` matches a name. Character classes and
/// alternatives are not looked into: they match.
fn glob_matches(pattern: &str, name: &str) -> bool {
    if pattern.contains(['[', '{']) {
        return true;
    }
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    n = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_paths() {
        for (a, b) in [
            ("src/core", "src/core/brief.rs"),
            ("./src/core/", "src/core"),
            ("src\\core", "src/core/x"),
            ("src/**/*.rs", "src/tui"),
            ("*.rs", "main.rs"),
            ("docs/*.md", "docs"),
            ("src/*/mod.rs", "src/core/mod.rs"),
            ("", "anything"),
        ] {
            assert!(overlap(a, b) && overlap(b, a), "{a} {b}");
        }
        for (a, b) in [
            ("src/core", "src/tui"),
            ("src/core", "src/corelib"),
            ("*.rs", "main.md"),
            ("docs/*.md", "docs/x.txt"),
            ("a?c", "abbc"),
        ] {
            assert!(!overlap(a, b) && !overlap(b, a), "{a} {b}");
        }
    }

    #[test]
    fn without_paths_or_hints_everything_is_in_scope() {
        let list = |text: &str| vec![text.to_owned()];
        assert!(in_scope(&[], &list("src")));
        assert!(in_scope(&list("docs"), &[]));
        assert!(!in_scope(&list("docs"), &list("src")));
    }
}
