//! Exact ranking of a small set of vectors.

use quipu_model::Embeddings;

/// Numbers multiplied in parallel; the compiler turns them into vector instructions.
const LANES: usize = 16;

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

/// Sum of the products of two vectors, over the shorter one's length.
pub fn inner_product(left: &[f32], right: &[f32]) -> f32 {
    let length = left.len().min(right.len());
    let (left, right) = (left.get(..length).unwrap_or(&[]), right.get(..length).unwrap_or(&[]));
    let mut sums = [0.0_f32; LANES];
    let (left_chunks, right_chunks) = (left.chunks_exact(LANES), right.chunks_exact(LANES));
    let (left_rest, right_rest) = (left_chunks.remainder(), right_chunks.remainder());
    for (left, right) in left_chunks.zip(right_chunks) {
        for ((sum, left), right) in sums.iter_mut().zip(left).zip(right) {
            *sum += left * right;
        }
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(left, right)| left * right).sum();
    sums.iter().sum::<f32>() + rest
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

    #[test]
    fn long_vectors_sum_up() {
        let ones = vec![1.0; 100];
        assert_eq!(inner_product(&ones, &ones), 100.0);
    }
}
