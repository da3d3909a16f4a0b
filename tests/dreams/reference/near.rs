//! dream.md, Looking: near misses.

use std::cmp::Ordering;

use super::arithmetic::natural;
use super::types::NearMiss;

/// "closest first (the missing share of the limit, then names; …)". Names in natural order: domains,
/// phases, skills; then kind and category, so that the order is always the same.
pub fn closest_first(mut misses: Vec<NearMiss>) -> Vec<NearMiss> {
    misses.sort_by(|a, b| {
        let (x, y) = (a.missing, b.missing);
        (x.0 * y.1)
            .cmp(&(y.0 * x.1))
            .then(lists(&a.domains, &b.domains))
            .then(lists(&a.phases, &b.phases))
            .then(lists(&a.skills, &b.skills))
            .then(a.kind.cmp(b.kind))
            .then(a.category.cmp(&b.category))
    });
    misses
}

fn lists(a: &[String], b: &[String]) -> Ordering {
    for (x, y) in a.iter().zip(b) {
        let order = natural(x, y);
        if order != Ordering::Equal {
            return order;
        }
    }
    a.len().cmp(&b.len())
}
