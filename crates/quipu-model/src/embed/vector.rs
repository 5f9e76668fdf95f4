//! Arithmetic of vectors.

/// Numbers multiplied in parallel; the compiler turns them into vector instructions.
const LANES: usize = 16;

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

/// Scales a vector to unit length; a vector of zeros stays.
pub(crate) fn scale_to_unit(vector: &mut [f32]) {
    // In 64 bits: squares of large numbers have none in 32.
    let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value = (f64::from(*value) / length) as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_vectors_sum_up() {
        let ones = vec![1.0; 100];
        assert_eq!(inner_product(&ones, &ones), 100.0);
        assert_eq!(inner_product(&ones, &[2.0, 3.0]), 5.0);
    }

    #[test]
    fn vectors_are_scaled_whatever_their_length() {
        for (mut vector, unit) in [([3.0, 4.0], [0.6, 0.8]), ([3e30, 4e30], [0.6, 0.8]), ([0.0; 2], [0.0; 2])]
        {
            scale_to_unit(&mut vector);
            let off = vector.iter().zip(unit).map(|(value, unit): (&f32, f32)| (value - unit).abs());
            assert!(off.fold(0.0, f32::max) < 1e-6, "{vector:?}");
        }
    }
}
