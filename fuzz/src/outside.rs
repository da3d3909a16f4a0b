//! What workers, clients and commands say.

use loopdeck::core::loops::model::Actor;
use loopdeck::runner::readers::Readers;

use super::kept::with_place;

/// A worker's reply.
pub fn lane_result(bytes: &[u8]) {
    match loopdeck::engine::read_reply(bytes) {
        Ok(evidence) => {
            for artifact in &evidence.artifacts {
                if let loopdeck::core::loops::command::Content::File(file) = &artifact.content {
                    let path = std::path::Path::new(&file.reference);
                    assert!(path.is_relative(), "{path:?} leads out of the workspace");
                    let up = |part| part == std::path::Component::ParentDir;
                    assert!(!path.components().any(up), "{path:?} leads out of the workspace");
                }
            }
        }
        Err(why) => assert!(!why.is_empty()),
    }
}

/// Lines of an MCP client: each is answered with JSON, whatever it says.
pub fn mcp(bytes: &[u8]) {
    with_place(|place| {
        let engine = place.engine();
        let actor = Actor::Agent("fuzzed".into());
        for line in bytes.split(|byte| *byte == b'\n').take(8) {
            if let Some(answer) = loopdeck::mcp::answer_line(&engine, &actor, line) {
                assert!(answer.is_object(), "{answer}");
            }
        }
    });
}

/// What a command says: read a few lines at a time it comes to what
/// it does as a whole.
pub fn readers(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let whole = Readers::read(&text, Some(1));
    for together in [1, 3] {
        let mut readers = Readers::of(&[]);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for some in lines.chunks(together) {
            readers.feed(&some.concat());
        }
        assert_eq!(readers.finish(Some(1)), whole, "{together} lines at a time");
    }
    let _ = Readers::read(&text, Some(0));
    let _ = Readers::read(&text, None);
}
