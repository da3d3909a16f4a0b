//! The pictures of README and docs are real screens of the demo at a fixed moment.
//! `LOOPDECK_PICTURES=write cargo test --test pty pictures` makes them anew; without
//! that the test fails where a picture and its screen differ.

use std::path::PathBuf;

use crate::support::{Deck, Place};

/// A picture: its name, the keys that lead to it, and what is then in view.
struct Scene {
    name: &'static str,
    keys: &'static [(&'static str, &'static str)],
}

const SCENES: [Scene; 5] = [
    Scene { name: "deck", keys: &[("", "Journal")] },
    Scene { name: "why", keys: &[("w", "What helps")] },
    Scene { name: "time-travel", keys: &[("z", "of 21")] },
    Scene { name: "brief", keys: &[("b", "characters")] },
    Scene { name: "light", keys: &[(",", "choose a theme"), ("tjj<Enter>", "theme light")] },
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/pictures")
}

/// The deck on the demo, whose clock, ids and zone stand still.
fn demo(place: &Place) -> Deck {
    let still = [
        ("LOOPDECK_NOW", "2026-11-30T15:40:00Z"),
        ("LOOPDECK_SEED", "7"),
        ("TZ", "UTC"),
        ("COLORTERM", "truecolor"),
    ];
    let mut deck = place.start(&["demo", "--dir", "parcelboard"], (120, 36), &still);
    deck.sees("Gate").sees("gate shut");
    deck
}

#[test]
fn every_picture_is_the_screen_as_it_is() {
    let write = std::env::var_os("LOOPDECK_PICTURES").is_some_and(|value| value == "write");
    let mut stale = Vec::new();
    for scene in SCENES {
        let place = Place::empty();
        let mut deck = demo(&place);
        for (keys, seen) in scene.keys {
            deck.keys(keys).sees(seen);
        }
        let svg = deck.picture("loopdeck, as it draws itself");
        let path = folder().join(scene.name).with_extension("svg");
        if write {
            std::fs::create_dir_all(folder()).expect("a folder");
            std::fs::write(&path, &svg).expect("a picture");
        } else if std::fs::read_to_string(&path).ok().as_ref() != Some(&svg) {
            stale.push(scene.name);
        }
    }
    assert!(
        stale.is_empty(),
        "stale: {}; LOOPDECK_PICTURES=write cargo test --test pty pictures",
        stale.join(", ")
    );
}
