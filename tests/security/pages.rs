//! Pages that name the tests which hold their promises: each named test is there.

use std::path::Path;

/// The tests that a page names, as `path: name` in code marks.
fn named(page: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(page);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{page}: {e}"));
    let marked = text.split('`').skip(1).step_by(2);
    marked
        .filter_map(|code| code.split_once(": "))
        .filter(|(path, _)| path.ends_with(".rs"))
        .map(|(path, name)| (path.to_owned(), name.to_owned()))
        .collect()
}

fn is_there(path: &str, name: &str) -> bool {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{path}: {e}"));
    let head = format!("fn {name}(");
    let Some(at) = text.find(&head) else {
        // Targets of the fuzz tests are made by a macro.
        return path == "tests/fuzz.rs" && text.contains("targets!(") && text.contains(name);
    };
    let before = &text[..at];
    let last = before.rfind("#[test]").unwrap_or_default();
    !before[last..].contains("fn ") || before.contains("proptest! {")
}

#[test]
fn every_test_that_a_page_names_is_there() {
    for (page, least) in [("security.md", 35), ("reliability.md", 45)] {
        let named = named(page);
        assert!(named.len() >= least, "{page} names {} tests", named.len());
        let missing: Vec<_> = named.iter().filter(|(path, name)| !is_there(path, name)).collect();
        assert!(missing.is_empty(), "{page} names tests that are not there: {missing:#?}");
    }
}
