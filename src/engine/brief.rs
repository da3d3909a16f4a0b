//! Briefs.

use super::api::{Brief, BriefRequest, Result};
use super::inner::Engine;
use crate::core::loops::ids::LoopId;

#[allow(unused_variables)]
impl Engine {
    /// What a slot would read.
    pub fn brief(&self, id: &LoopId, request: &BriefRequest) -> Result<Brief> {
        todo!()
    }
}
