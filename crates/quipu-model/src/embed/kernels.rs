//! The arithmetic of a transformer on the CPU, in loops that the compiler turns into vector
//! instructions.
//!
//! Matrices of activations are stored in panels of [`LANES`] columns: panel `p` holds, row by row,
//! the columns `p * LANES ..` of all rows. One head of attention, or one step of a product, reads
//! one contiguous panel.
#![expect(clippy::indexing_slicing, reason = "the indices run over arrays of fixed length")]

/// Columns of a panel.
pub(super) const LANES: usize = 32;

/// One row of a panel.
pub(super) type Lanes = [f32; LANES];

/// The weights of a linear layer: for each panel of outputs, for each input, the panel's weights.
pub(super) struct Linear {
    /// `outputs / LANES` panels of `inputs` rows.
    weights: Vec<[u16; LANES]>,
    bias: Vec<Lanes>,
    inputs: usize,
}

impl Linear {
    /// Packs a matrix of `outputs` rows of `inputs` numbers, as PyTorch stores it. Both are
    /// multiples of [`LANES`].
    pub(super) fn pack(weights: &[f32], bias: &[f32], inputs: usize) -> Self {
        let outputs = bias.len();
        let mut packed = Vec::with_capacity(outputs / LANES * inputs);
        for panel in 0..outputs / LANES {
            for input in 0..inputs {
                let weight =
                    |lane| weights.get((panel * LANES + lane) * inputs + input).copied().unwrap_or(0.0);
                packed.push(std::array::from_fn(|lane| narrow(weight(lane))));
            }
        }
        let bias = bias.as_chunks::<LANES>().0.to_vec();
        Self { weights: packed, bias, inputs }
    }

    /// Panels of the output.
    pub(super) fn panels(&self) -> usize {
        self.bias.len()
    }

    /// Computes output panel `panel` for all rows of `input`, whose panels have `rows` rows each.
    pub(super) fn panel(&self, panel: usize, input: &[Lanes], rows: usize, output: &mut [Lanes]) {
        let weights = self.weights.get(panel * self.inputs..(panel + 1) * self.inputs);
        if let (Some(weights), Some(bias)) = (weights, self.bias.get(panel)) {
            multiply(weights, bias, input, rows, output);
        }
    }
}

/// Half a row of a panel: one register, where registers have 512 bits.
#[derive(Clone, Copy)]
struct Half([f32; LANES / 2]);

impl Half {
    #[inline(always)]
    fn multiply_add(factor: f32, weights: Self, sum: Self) -> Self {
        let mut sum = sum.0;
        for (sum, weight) in sum.iter_mut().zip(weights.0) {
            *sum = factor.mul_add(weight, *sum);
        }
        Self(sum)
    }
}

/// A weight, as it is stored.
trait Weight: Copy {
    fn widen(self) -> f32;
}

impl Weight for f32 {
    #[inline(always)]
    fn widen(self) -> f32 {
        self
    }
}

impl Weight for u16 {
    #[inline(always)]
    fn widen(self) -> f32 {
        f32::from_bits(u32::from(self) << 16)
    }
}

#[inline(always)]
fn half<W: Weight>(weights: &[W]) -> Half {
    let mut half = [0.0; LANES / 2];
    for lane in 0..LANES / 2 {
        half[lane] = weights[lane].widen();
    }
    Half(half)
}

/// Computes `ROWS` rows of a product from row `$first` on. The rows are written out, because only
/// then does the compiler keep their sums in registers, which is sixty times as fast.
macro_rules! tile {
    ($weights:expr, $bias:expr, $input:expr, $rows:expr, $first:expr, $output:expr, $count:literal: $($row:literal)*) => {{
        let mut sums = [[half(&$bias[..LANES / 2]), half(&$bias[LANES / 2..])]; $count];
        for (block, weights) in $weights.as_chunks::<LANES>().0.iter().enumerate() {
            let start = block * $rows + $first;
            let Some(input) = $input.get(start..).and_then(|input| input.first_chunk::<$count>()) else { break };
            for k in 0..LANES {
                let (left, right) = (half(&weights[k][..LANES / 2]), half(&weights[k][LANES / 2..]));
                $(
                    sums[$row][0] = Half::multiply_add(input[$row][k], left, sums[$row][0]);
                    sums[$row][1] = Half::multiply_add(input[$row][k], right, sums[$row][1]);
                )*
            }
        }
        if let Some(output) = $output.first_chunk_mut::<$count>() {
            $(
                output[$row][..LANES / 2].copy_from_slice(&sums[$row][0].0);
                output[$row][LANES / 2..].copy_from_slice(&sums[$row][1].0);
            )*
        }
    }};
}

/// `output = bias + input · weights` for one panel of outputs: a row of `weights` for each input,
/// whose number is a multiple of [`LANES`]; the panels of `input` have `rows` rows each, of which
/// the first `output.len()` are computed.
fn multiply<W: Weight>(
    weights: &[[W; LANES]],
    bias: &Lanes,
    input: &[Lanes],
    rows: usize,
    output: &mut [Lanes],
) {
    let mut row = 0;
    let mut eights = output.chunks_exact_mut(8);
    for out in &mut eights {
        tile!(weights, bias, input, rows, row, out, 8: 0 1 2 3 4 5 6 7);
        row += 8;
    }
    // The remaining rows form one tile, whatever its size: each tile reads all weights, which
    // dominates the time for a short text.
    let out = eights.into_remainder();
    match out.len() {
        7 => tile!(weights, bias, input, rows, row, out, 7: 0 1 2 3 4 5 6),
        6 => tile!(weights, bias, input, rows, row, out, 6: 0 1 2 3 4 5),
        5 => tile!(weights, bias, input, rows, row, out, 5: 0 1 2 3 4),
        4 => tile!(weights, bias, input, rows, row, out, 4: 0 1 2 3),
        3 => tile!(weights, bias, input, rows, row, out, 3: 0 1 2),
        2 => tile!(weights, bias, input, rows, row, out, 2: 0 1),
        1 => tile!(weights, bias, input, rows, row, out, 1: 0),
        _ => {}
    }
}

/// Weights are kept in half the bits (bfloat16: a float's upper half), because reading them
/// dominates the time for a single text. This changes an embedding by about 1e-5 in cosine.
fn narrow(weight: f32) -> u16 {
    let bits = weight.to_bits();
    let even = (bits >> 16) & 1;
    (bits.wrapping_add(0x7fff + even) >> 16) as u16
}

/// `e` to the power of `x`, within 2e-7 relative, for `x` up to 88; 0 for very small `x`.
#[inline(always)]
fn exp(x: f32) -> f32 {
    const LOG2_E: f32 = std::f32::consts::LOG2_E;
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = x.clamp(-87.0, 88.0);
    let power = (x * LOG2_E).round_ties_even();
    let rest = (-power).mul_add(LN_2_LOW, (-power).mul_add(LN_2_HIGH, x));
    let mut series = 1.987_569_1e-4_f32;
    for term in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_65, 0.5] {
        series = series.mul_add(rest, term);
    }
    let series = series.mul_add(rest * rest, rest + 1.0);
    series * f32::from_bits(((power as i32 + 127) as u32) << 23)
}

/// The exact GELU, `x/2 · (1 + erf(x/√2))`, with erf after Abramowitz and Stegun 7.1.26 (within
/// 1.5e-7).
#[inline(always)]
fn gelu(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / 0.327_591_1_f32.mul_add(z, 1.0);
    let mut series = 1.061_405_4_f32;
    for term in [-1.453_152_1, 1.421_413_8, -0.284_496_74, 0.254_829_6] {
        series = series.mul_add(t, term);
    }
    let erf = (series * t).mul_add(-exp(-z * z), 1.0);
    0.5 * x * (1.0 + erf.copysign(x))
}

/// Normalises each row of `values` (its panels have `rows` rows) to mean 0 and variance 1, then
/// scales and shifts.
pub(super) fn layer_norm(values: &mut [Lanes], rows: usize, scale: &[Lanes], shift: &[Lanes]) {
    const EPSILON: f32 = 1e-12;
    let width = (scale.len() * LANES) as f32;
    for row in 0..rows {
        let mut sum = [0.0; LANES];
        let mut squares = [0.0; LANES];
        for lanes in values.iter().skip(row).step_by(rows) {
            for lane in 0..LANES {
                sum[lane] += lanes[lane];
                squares[lane] = lanes[lane].mul_add(lanes[lane], squares[lane]);
            }
        }
        let mean = sum.iter().sum::<f32>() / width;
        let variance = (squares.iter().sum::<f32>() / width - mean * mean).max(0.0);
        let inverse = 1.0 / (variance + EPSILON).sqrt();
        for ((lanes, scale), shift) in values.iter_mut().skip(row).step_by(rows).zip(scale).zip(shift) {
            for lane in 0..LANES {
                lanes[lane] = ((lanes[lane] - mean) * inverse).mul_add(scale[lane], shift[lane]);
            }
        }
    }
}

/// Adds `right` to `left`.
pub(super) fn add(left: &mut [Lanes], right: &[Lanes]) {
    for (left, right) in left.iter_mut().zip(right) {
        for (left, right) in left.iter_mut().zip(right) {
            *left += *right;
        }
    }
}

/// Applies GELU everywhere.
pub(super) fn gelu_all(values: &mut [Lanes]) {
    for lanes in values {
        for value in lanes {
            *value = gelu(*value);
        }
    }
}

/// Attention of one head over one sequence: its rows of queries, keys and values. `scratch` is
/// reused between calls.
pub(super) fn attend(
    queries: &[Lanes],
    keys: &[Lanes],
    values: &[Lanes],
    output: &mut [Lanes],
    scratch: &mut Scratch,
) {
    const SCALE: f32 = 0.176_776_7; // 1/√LANES
    let rows = queries.len();
    scratch.prepare(keys, values, rows);
    let Scratch { keys: columns, values, scores, .. } = scratch;
    let blocks = columns.as_chunks::<LANES>().0.iter().zip(scores.chunks_exact_mut(rows.max(1)));
    for (block, (columns, scores)) in blocks.enumerate() {
        // Padding behind the last key gets no weight.
        let valid = keys.len() - block * LANES;
        let bias = std::array::from_fn(|lane| if lane < valid { 0.0 } else { f32::NEG_INFINITY });
        multiply(columns, &bias, queries, rows, scores);
    }
    let mut inverse = Vec::with_capacity(rows);
    for row in 0..rows {
        let mut largest = [f32::NEG_INFINITY; LANES];
        for scores in scores.iter().skip(row).step_by(rows) {
            for lane in 0..LANES {
                largest[lane] = largest[lane].max(scores[lane]);
            }
        }
        let largest = largest.iter().copied().fold(f32::NEG_INFINITY, f32::max) * SCALE;
        let mut total = [0.0; LANES];
        for scores in scores.iter_mut().skip(row).step_by(rows) {
            for lane in 0..LANES {
                scores[lane] = exp(scores[lane].mul_add(SCALE, -largest));
                total[lane] += scores[lane];
            }
        }
        inverse.push(1.0 / total.iter().sum::<f32>());
    }
    multiply(values, &[0.0; LANES], scores, rows, output);
    for (output, inverse) in output.iter_mut().zip(inverse) {
        output.iter_mut().for_each(|value| *value *= inverse);
    }
}

/// Room for one head's attention.
#[derive(Default)]
pub(super) struct Scratch {
    /// Keys, transposed block by block: row `block * LANES + dimension` holds that dimension of the
    /// block's keys.
    keys: Vec<Lanes>,
    /// Values, filled up with zeros to a whole block.
    values: Vec<Lanes>,
    /// A panel for each block of keys.
    scores: Vec<Lanes>,
    /// Room for a head's queries, keys and values.
    projected: Vec<Lanes>,
}

impl Scratch {
    /// Room for `rows` rows of anything, to be given back.
    pub(super) fn take_projected(&mut self, rows: usize) -> Vec<Lanes> {
        let mut projected = std::mem::take(&mut self.projected);
        projected.resize(rows, [0.0; LANES]);
        projected
    }

    pub(super) fn give_back(&mut self, projected: Vec<Lanes>) {
        self.projected = projected;
    }

    fn prepare(&mut self, keys: &[Lanes], values: &[Lanes], rows: usize) {
        let blocks = keys.len().div_ceil(LANES);
        self.keys.clear();
        self.keys.resize(blocks * LANES, [0.0; LANES]);
        for (columns, keys) in self.keys.as_chunks_mut::<LANES>().0.iter_mut().zip(keys.chunks(LANES)) {
            for (place, key) in keys.iter().enumerate() {
                for (column, value) in columns.iter_mut().zip(key) {
                    column[place] = *value;
                }
            }
        }
        self.values.clear();
        self.values.extend_from_slice(values);
        self.values.resize(blocks * LANES, [0.0; LANES]);
        self.scores.resize(blocks * rows, [0.0; LANES]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_exact_enough() {
        for step in -800..=80 {
            let x = step as f32 * 0.1;
            let expected = f64::from(x).exp();
            assert!((f64::from(exp(x)) / expected - 1.0).abs() < 4e-7, "exp({x})");
        }
    }

    #[test]
    fn gelu_has_its_known_values() {
        for (x, expected) in
            [(0.0, 0.0), (1.0, 0.841_344_7), (-1.0, -0.158_655_3), (3.0, 2.995_950_3), (-9.0, 0.0)]
        {
            assert!((gelu(x) - expected).abs() < 1e-6, "gelu({x}) = {}", gelu(x));
        }
    }

    #[test]
    fn products_match_the_plain_sum() {
        (1..=17).for_each(check_product);
    }

    fn check_product(rows: usize) {
        let (inputs, outputs) = (64, 96);
        let number = |seed: usize| ((seed * 2_654_435_761) % 1000) as f32 / 500.0 - 1.0;
        let weights: Vec<f32> = (0..inputs * outputs).map(|i| narrow(number(i)).widen()).collect();
        let bias: Vec<f32> = (0..outputs).map(|i| number(i + 7)).collect();
        let at = |row: usize, column: usize| number(row * inputs + column + 99);
        let input: Vec<Lanes> = (0..inputs / LANES)
            .flat_map(|panel| {
                (0..rows).map(move |row| std::array::from_fn(|lane| at(row, panel * LANES + lane)))
            })
            .collect();
        let linear = Linear::pack(&weights, &bias, inputs);
        for panel in 0..linear.panels() {
            let mut output = vec![[0.0; LANES]; rows];
            linear.panel(panel, &input, rows, &mut output);
            for (row, lanes) in output.iter().enumerate() {
                for (lane, found) in lanes.iter().enumerate() {
                    let column = panel * LANES + lane;
                    let sum: f32 = (0..inputs).map(|k| at(row, k) * weights[column * inputs + k]).sum();
                    assert!((found - sum - bias[column]).abs() < 1e-4);
                }
            }
        }
    }

    #[test]
    fn attention_is_a_weighted_mean_of_the_values() {
        for length in [1, 5, 32, 33, 70] {
            let number = |seed: usize| ((seed * 7_919) % 100) as f32 / 50.0 - 1.0;
            let rows = |offset: usize| -> Vec<Lanes> {
                (0..length)
                    .map(|row| std::array::from_fn(|lane| number(row * 31 + lane * 17 + offset)))
                    .collect()
            };
            let (queries, keys, values) = (rows(1), rows(2), rows(3));
            let mut output = vec![[0.0; LANES]; length];
            attend(&queries, &keys, &values, &mut output, &mut Scratch::default());
            for (query, found) in queries.iter().zip(&output) {
                let dot = |key: &Lanes| query.iter().zip(key).map(|(a, b)| a * b).sum::<f32>();
                let weights: Vec<f32> =
                    keys.iter().map(|key| (dot(key) / (LANES as f32).sqrt()).exp()).collect();
                let total: f32 = weights.iter().sum();
                for lane in 0..LANES {
                    let mean: f32 =
                        weights.iter().zip(&values).map(|(w, v)| w * v[lane]).sum::<f32>() / total;
                    assert!((found[lane] - mean).abs() < 1e-5);
                }
            }
        }
    }
}
