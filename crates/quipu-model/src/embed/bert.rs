//! A BERT encoder with mean pooling, as sentence-transformers trains them.
//!
//! The tokens of all texts of a batch follow each other in one matrix, so that padding needs no
//! computation. Only attention works on one text at a time.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use rayon::prelude::*;
use safetensors::{Dtype, SafeTensors};

use super::kernels::{LANES, Lanes, Linear, Scratch, add, attend, gelu_all, layer_norm};
use super::vector::scale_to_unit;
use crate::ModelError;

/// The encoder.
pub(super) struct Bert {
    weights: Mmap,
    /// Position of the word vectors in `weights`, as 32-bit floats.
    words: Range<usize>,
    /// Position vectors, each with the vector of token type 0 added.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    hidden: usize,
}

struct Layer {
    /// Queries, keys and values in one.
    attention: Linear,
    attention_output: Linear,
    attention_norm: Norm,
    widening: Linear,
    narrowing: Linear,
    norm: Norm,
}

struct Norm {
    scale: Vec<Lanes>,
    shift: Vec<Lanes>,
}

impl Bert {
    /// Reads a safetensors file.
    pub(super) fn open(path: &Path) -> Result<Self, ModelError> {
        let io = |source| ModelError::Io {
            action: "cannot read",
            path: path.to_path_buf(),
            source: Arc::new(source),
        };
        let file = std::fs::File::open(path).map_err(io)?;
        // SAFETY: the map is read-only. Files of the models folder are renamed into place whole and
        // never changed afterwards. As with every mapped file, another process that truncates one
        // would make reads fail.
        let weights = unsafe { Mmap::map(&file) }.map_err(io)?;
        let tensors = SafeTensors::deserialize(&weights).map_err(|error| damaged(path, error.to_string()))?;
        let reader = TensorReader::new(&tensors, path);
        let words = reader.range("embeddings.word_embeddings.weight", &weights)?;
        let norm = reader.norm("embeddings.LayerNorm")?;
        let hidden = norm.scale.len() * LANES;
        let kind = reader.floats("embeddings.token_type_embeddings.weight")?;
        let mut positions = reader.floats("embeddings.position_embeddings.weight")?;
        for position in positions.chunks_exact_mut(hidden) {
            for (value, kind) in position.iter_mut().zip(&kind) {
                *value += kind;
            }
        }
        let count = (0..)
            .take_while(|layer| reader.has(&format!("encoder.layer.{layer}.output.dense.weight")))
            .count();
        let layers =
            (0..count).into_par_iter().map(|layer| reader.layer(layer, hidden)).collect::<Result<_, _>>()?;
        Ok(Self { words, positions, norm, layers, hidden, weights })
    }

    /// Length of the vectors.
    pub(super) fn dimensions(&self) -> usize {
        self.hidden
    }

    /// Most tokens of a text.
    pub(super) fn positions(&self) -> usize {
        self.positions.len() / self.hidden.max(1)
    }

    /// Unit vectors of some tokenised texts, in order. With `parallel` all cores share each step,
    /// which suits few tokens. Without it several calls may run in parallel, which suits many.
    pub(super) fn embed(&self, texts: &[&[u32]], parallel: bool) -> Vec<f32> {
        let (hidden, spans, rows) = self.encode(texts, parallel);
        self.pool(&hidden, &spans, rows)
    }

    /// The vectors of all tokens of some tokenised texts, text after text, not normalised.
    pub(super) fn embed_tokens(&self, texts: &[&[u32]], parallel: bool) -> Vec<Vec<f32>> {
        let (hidden, spans, rows) = self.encode(texts, parallel);
        let row = |row: usize| hidden.iter().skip(row).step_by(rows.max(1)).flatten().copied();
        spans.into_iter().map(|span| span.flat_map(row).collect()).collect()
    }

    /// The last layer's output for the tokens of all texts, the rows of each text, and the number
    /// of rows.
    fn encode(&self, texts: &[&[u32]], parallel: bool) -> (Vec<Lanes>, Vec<Range<usize>>, usize) {
        let spans: Vec<Range<usize>> = texts
            .iter()
            .scan(0, |start, text| {
                let span = *start..*start + text.len();
                *start = span.end;
                Some(span)
            })
            .collect();
        let rows = spans.last().map_or(0, |span| span.end);
        let mut hidden = self.look_up(texts, rows);
        for layer in &self.layers {
            layer.apply(&mut hidden, &spans, rows, parallel);
        }
        (hidden, spans, rows)
    }

    fn look_up(&self, texts: &[&[u32]], rows: usize) -> Vec<Lanes> {
        let words = self.weights.get(self.words.clone()).unwrap_or_default();
        let mut hidden = vec![[0.0; LANES]; self.hidden / LANES * rows];
        let tokens = texts.iter().flat_map(|text| text.iter().enumerate());
        for (row, (position, &token)) in tokens.enumerate() {
            let word = words.chunks_exact(self.hidden * 4).nth(token as usize).unwrap_or_default();
            let place = self.positions.chunks_exact(self.hidden).nth(position).unwrap_or_default();
            let panels = word.as_chunks::<{ LANES * 4 }>().0.iter().zip(place.as_chunks::<LANES>().0);
            for (lanes, (word, place)) in hidden.iter_mut().skip(row).step_by(rows).zip(panels) {
                for ((value, word), place) in lanes.iter_mut().zip(word.as_chunks::<4>().0).zip(place) {
                    *value = f32::from_le_bytes(*word) + place;
                }
            }
        }
        layer_norm(&mut hidden, rows, &self.norm.scale, &self.norm.shift);
        hidden
    }

    /// The mean of each text's rows, scaled to unit length.
    fn pool(&self, hidden: &[Lanes], spans: &[Range<usize>], rows: usize) -> Vec<f32> {
        let mut vectors = Vec::with_capacity(spans.len() * self.hidden);
        for span in spans {
            let start = vectors.len();
            for panel in hidden.chunks_exact(rows.max(1)) {
                let mut sum = [0.0; LANES];
                for lanes in panel.get(span.clone()).unwrap_or_default() {
                    for (sum, value) in sum.iter_mut().zip(lanes) {
                        *sum += value;
                    }
                }
                vectors.extend_from_slice(&sum);
            }
            scale_to_unit(vectors.get_mut(start..).unwrap_or_default());
        }
        vectors
    }
}

impl Layer {
    fn apply(&self, hidden: &mut Vec<Lanes>, spans: &[Range<usize>], rows: usize, parallel: bool) {
        let mut attended = vec![[0.0; LANES]; self.heads() * rows];
        if parallel {
            let heads = attended.par_chunks_exact_mut(rows.max(1)).enumerate();
            heads.for_each_init(Scratch::default, |scratch, (head, output)| {
                self.attend(head, hidden, spans, output, scratch);
            });
        } else {
            let mut scratch = Scratch::default();
            for (head, output) in attended.chunks_exact_mut(rows.max(1)).enumerate() {
                self.attend(head, hidden, spans, output, &mut scratch);
            }
        }
        let mut attended = apply(&self.attention_output, &attended, rows, parallel, |_| ());
        add(&mut attended, hidden);
        layer_norm(&mut attended, rows, &self.attention_norm.scale, &self.attention_norm.shift);
        let wide = apply(&self.widening, &attended, rows, parallel, gelu_all);
        *hidden = apply(&self.narrowing, &wide, rows, parallel, |_| ());
        add(hidden, &attended);
        layer_norm(hidden, rows, &self.norm.scale, &self.norm.shift);
    }
}

impl Layer {
    /// Heads of attention: each is one panel wide.
    fn heads(&self) -> usize {
        self.attention.panels() / 3
    }

    /// One head of attention over all texts, from the layer's input. Its queries, keys and values
    /// stay in the nearest cache.
    fn attend(
        &self,
        head: usize,
        hidden: &[Lanes],
        spans: &[Range<usize>],
        output: &mut [Lanes],
        scratch: &mut Scratch,
    ) {
        let rows = output.len();
        let mut projected = scratch.take_projected(3 * rows);
        for (kind, panel) in projected.chunks_exact_mut(rows.max(1)).enumerate() {
            self.attention.panel(kind * self.heads() + head, hidden, rows, panel);
        }
        let (queries, rest) = projected.split_at(rows);
        let (keys, values) = rest.split_at(rows);
        for span in spans {
            let (q, k, v) = (queries.get(span.clone()), keys.get(span.clone()), values.get(span.clone()));
            if let (Some(q), Some(k), Some(v), Some(output)) = (q, k, v, output.get_mut(span.clone())) {
                attend(q, k, v, output, scratch);
            }
        }
        scratch.give_back(projected);
    }
}

/// A linear layer and the operation behind it, applied while the output is in the cache.
fn apply(
    linear: &Linear,
    input: &[Lanes],
    rows: usize,
    parallel: bool,
    then: fn(&mut [Lanes]),
) -> Vec<Lanes> {
    let mut output = vec![[0.0; LANES]; linear.panels() * rows];
    let panel = |(panel, output): (usize, &mut [Lanes])| {
        linear.panel(panel, input, rows, output);
        then(output);
    };
    if parallel {
        output.par_chunks_exact_mut(rows.max(1)).enumerate().for_each(panel);
    } else {
        output.chunks_exact_mut(rows.max(1)).enumerate().for_each(panel);
    }
    output
}

fn damaged(path: &Path, reason: String) -> ModelError {
    ModelError::Damaged { path: PathBuf::from(path), reason }
}

/// Reads tensors by their name in the BERT family.
struct TensorReader<'a> {
    tensors: &'a SafeTensors<'a>,
    path: &'a Path,
    /// The prefix of each name, as "bert.".
    prefix: &'static str,
}

impl<'a> TensorReader<'a> {
    fn new(tensors: &'a SafeTensors<'a>, path: &'a Path) -> Self {
        let prefixed = tensors.tensor("bert.embeddings.word_embeddings.weight").is_ok();
        Self { tensors, path, prefix: if prefixed { "bert." } else { "" } }
    }

    fn has(&self, name: &str) -> bool {
        self.tensors.tensor(&format!("{}{name}", self.prefix)).is_ok()
    }

    fn bytes(&self, name: &str) -> Result<&'a [u8], ModelError> {
        let tensor = self
            .tensors
            .tensor(&format!("{}{name}", self.prefix))
            .map_err(|error| damaged(self.path, format!("no BERT encoder: {name}: {error}")))?;
        if tensor.dtype() != Dtype::F32 {
            return Err(damaged(self.path, format!("{name} has type {:?}, expected F32", tensor.dtype())));
        }
        Ok(tensor.data())
    }

    fn floats(&self, name: &str) -> Result<Vec<f32>, ModelError> {
        Ok(self.bytes(name)?.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    fn range(&self, name: &str, map: &[u8]) -> Result<Range<usize>, ModelError> {
        let bytes = self.bytes(name)?;
        let start = bytes.as_ptr().addr().saturating_sub(map.as_ptr().addr());
        Ok(start..start + bytes.len())
    }

    fn norm(&self, name: &str) -> Result<Norm, ModelError> {
        let panels = |part: &str| -> Result<Vec<Lanes>, ModelError> {
            let values = self.floats(&format!("{name}.{part}"))?;
            let (panels, rest) = values.as_chunks::<LANES>();
            if !rest.is_empty() || panels.is_empty() {
                return Err(damaged(
                    self.path,
                    format!("{name} has {} values, no multiple of {LANES}", values.len()),
                ));
            }
            Ok(panels.to_vec())
        };
        Ok(Norm { scale: panels("weight")?, shift: panels("bias")? })
    }

    /// One layer from several that read the same input.
    fn linear(&self, names: &[String], inputs: usize) -> Result<Linear, ModelError> {
        let (mut weights, mut bias) = (Vec::new(), Vec::new());
        for name in names {
            weights.extend(self.floats(&format!("{name}.weight"))?);
            bias.extend(self.floats(&format!("{name}.bias"))?);
        }
        if weights.len() != bias.len() * inputs
            || !bias.len().is_multiple_of(LANES)
            || !inputs.is_multiple_of(LANES)
        {
            let reason = format!("{names:?}: {} weights for {inputs} × {}", weights.len(), bias.len());
            return Err(damaged(self.path, reason));
        }
        Ok(Linear::pack(&weights, &bias, inputs))
    }

    fn layer(&self, layer: usize, hidden: usize) -> Result<Layer, ModelError> {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let attention = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
        let widening = self.linear(&[name("intermediate.dense")], hidden)?;
        let wide = widening.panels() * LANES;
        let layer = Layer {
            attention: self.linear(&attention, hidden)?,
            attention_output: self.linear(&[name("attention.output.dense")], hidden)?,
            attention_norm: self.norm(&name("attention.output.LayerNorm"))?,
            widening,
            narrowing: self.linear(&[name("output.dense")], wide)?,
            norm: self.norm(&name("output.LayerNorm"))?,
        };
        let widths =
            [layer.attention.panels() / 3, layer.attention_output.panels(), layer.narrowing.panels()];
        if widths.iter().any(|&width| width * LANES != hidden) {
            return Err(damaged(
                self.path,
                format!("layer {layer:?} is not {hidden} wide", layer = name("")),
            ));
        }
        Ok(layer)
    }
}
