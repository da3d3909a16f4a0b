//! Promotion: what was said in a loop becomes part of the project's memory.

use super::api::{Done, Error, Result, Write};
use super::inner::Engine;
use crate::core::loops::Command;
use crate::core::loops::ids::{ArtifactId, LoopId};
use crate::core::memory::{Category, MemoryItem};
use crate::store::memory::format::{plain_text, title_of};

impl Engine {
    /// Makes an artifact a memory item, with the loop as its source; again gives
    /// the same item, and puts it back if its file is gone.
    ///
    /// # Errors
    /// As [`Engine::execute`] and [`Engine::memory_add`].
    pub fn promote(
        &self,
        id: &LoopId,
        artifact: &str,
        category: Option<Category>,
        write: &Write,
    ) -> Result<Done> {
        let command = Command::Promote { artifact: artifact.to_owned(), category };
        let done = self.execute(id, command, write)?;
        let promoted = done.made.item_id.as_ref().and_then(|item_id| {
            let found = done.state.ledger.promoted.iter().find(|(_, item)| *item == item_id);
            found.map(|(artifact, _)| (artifact.clone(), item_id.clone()))
        });
        if let Some((artifact, item_id)) = promoted
            && !self.inner.memory.exists(&item_id)
        {
            self.remember(id, &artifact, &item_id).map_err(|error| {
                let said = format!(
                    "{artifact} is promoted all the same, only its memory item {item_id} was not \
                     written: {}. Promote it again, and it is",
                    error.message()
                );
                Error::new(error.code(), said)
            })?;
        }
        Ok(done)
    }

    fn remember(&self, id: &LoopId, artifact: &ArtifactId, item_id: &str) -> Result<()> {
        let category = Category::of_id(item_id)
            .ok_or_else(|| Error::new("io", format!("{item_id} names no category")))?;
        let state = self.load(id)?;
        let head = state.artifact(artifact.as_str()).ok_or_else(|| {
            Error::new("unknown_artifact", format!("loop {id} has no artifact {artifact}"))
        })?;
        let text = plain_text(&self.body(id, artifact)?);
        let now = self.inner.time.now();
        let item = MemoryItem {
            id: item_id.into(),
            category,
            title: title_of(&text),
            text,
            tags: vec![head.artifact_type.to_string()],
            paths: Vec::new(),
            source: Some(format!("loop:{id}/{artifact}@{}", head.seq)),
            created_at: now,
        };
        let mut attempt = 0;
        let mut ids = || {
            attempt += 1;
            match digits_of(item_id).filter(|_| attempt == 1) {
                Some(digits) => digits,
                // Somebody else's file has the id: any other will do.
                None => self.inner.chance.for_memory(&[&item.title, &item.text], attempt),
            }
        };
        self.inner.memory.add(item.clone(), &mut ids, now)?;
        Ok(())
    }
}

/// The eight hexadecimal digits of an item's id as bytes.
fn digits_of(item_id: &str) -> Option<[u8; 4]> {
    let digits = item_id.rsplit('_').next()?;
    u32::from_str_radix(digits, 16).ok().map(u32::to_be_bytes)
}
