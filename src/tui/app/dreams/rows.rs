//! The rows of the detail: records under their sides, edges of a node.

use crate::core::dream::graph::{Edge, NodeKey};
use crate::engine::{RewardRecord, Side};

use super::{Dreams, Look};

/// A row of the detail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Row<'a> {
    /// A side of what an insight rests on.
    Side(&'a Side),
    /// A record of that side.
    Record(&'a RewardRecord),
    /// An id whose record is not there any more.
    Missing(&'a str),
    /// An edge and where it leads from the chosen node.
    Edge(&'a Edge, &'a NodeKey),
}

impl Dreams {
    /// The rows of the detail.
    pub fn rows(&self) -> Vec<Row<'_>> {
        match self.look {
            Look::Insights => self.record_rows(),
            Look::Graph => self.edge_rows(),
            Look::Near | Look::Past => Vec::new(),
        }
    }

    /// The chosen row of the detail.
    pub fn row(&self) -> Option<Row<'_>> {
        self.rows().get(self.detail.index).copied()
    }

    /// The chosen record of the detail.
    pub fn record(&self) -> Option<&RewardRecord> {
        match self.row() {
            Some(Row::Record(record)) => Some(record),
            _ => None,
        }
    }

    fn record_rows(&self) -> Vec<Row<'_>> {
        let of = self.selected().map(|seen| &seen.insight.insight_id);
        let Some((id, Ok(provenance))) = &self.provenance else { return Vec::new() };
        if of != Some(id) {
            return Vec::new();
        }
        let sides = provenance.sides.iter();
        sides
            .flat_map(|side| {
                let records = side.records.iter().map(Row::Record);
                let missing = side.missing.iter().map(|id| Row::Missing(id));
                [Row::Side(side)].into_iter().chain(records).chain(missing)
            })
            .collect()
    }

    fn edge_rows(&self) -> Vec<Row<'_>> {
        let (Some(graph), Some(node)) = (self.graph(), self.node()) else { return Vec::new() };
        let into = graph.edges.iter().filter(|edge| edge.to == node.key);
        let out = graph.edges.iter().filter(|edge| edge.from == node.key);
        into.map(|edge| Row::Edge(edge, &edge.from))
            .chain(out.map(|edge| Row::Edge(edge, &edge.to)))
            .collect()
    }
}
