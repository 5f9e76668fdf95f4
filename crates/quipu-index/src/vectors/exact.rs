//! Exact ranking of a small set of vectors.

use quipu_model::{Embeddings, inner_product};

/// The `k` rows with the greatest inner product with the query, best first, as (row, product). A
/// row of another length than the query counts up to the shorter length.
pub fn exact_top_k(query: &[f32], rows: &Embeddings, k: usize) -> Vec<(usize, f32)> {
    let mut scored: Vec<(usize, f32)> =
        rows.rows().map(|row| inner_product(row, query)).enumerate().collect();
    let order =
        |left: &(usize, f32), right: &(usize, f32)| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0));
    if k < scored.len() {
        scored.select_nth_unstable_by(k, order);
        scored.truncate(k);
    }
    scored.sort_by(order);
    scored
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_products_come_first() {
        let rows = Embeddings::new(2, vec![1.0, 0.0, 0.0, 1.0, 0.6, 0.8, -1.0, 0.0]);
        let best = exact_top_k(&[0.0, 1.0], &rows, 2);
        assert_eq!(best, [(1, 1.0), (2, 0.8)]);
        assert_eq!(exact_top_k(&[0.0, 1.0], &rows, 9).len(), 4);
        assert!(exact_top_k(&[0.0, 1.0], &Embeddings::default(), 3).is_empty());
    }
}
