//! candle: its own BERT, and the same encoder with its fused attention (batches of one length, so
//! that nothing is masked).

use std::path::Path;

use candle_core::{DType, Device, Module, Tensor};
use candle_nn::attention::{AttnMask, flash_attn};
use candle_nn::{Embedding, LayerNorm, Linear, VarBuilder, embedding, layer_norm, linear};
use candle_transformers::models::bert::{BertModel, Config, HiddenAct};

use crate::{Encode, Result, padded};

const WIDTH: usize = 384;
const HEADS: usize = 12;
const LAYERS: usize = 6;

fn weights(path: &Path) -> Result<VarBuilder<'static>> {
    Ok(VarBuilder::from_buffered_safetensors(std::fs::read(path)?, DType::F32, &Device::Cpu)?)
}

/// The mean of each text's tokens, of length one.
fn pooled(tokens: &Tensor, mask: Option<&Tensor>) -> Result<Vec<Vec<f32>>> {
    let mean = match mask {
        Some(mask) => {
            let mask = mask.to_dtype(DType::F32)?.unsqueeze(2)?;
            tokens.broadcast_mul(&mask)?.sum(1)?.broadcast_div(&mask.sum(1)?)?
        }
        None => tokens.mean(1)?,
    };
    Ok(mean.broadcast_div(&mean.sqr()?.sum_keepdim(1)?.sqrt()?)?.to_vec2()?)
}

pub struct Stock {
    model: BertModel,
}

impl Stock {
    pub fn open(path: &Path) -> Result<Self> {
        let config = Config {
            hidden_size: WIDTH,
            num_hidden_layers: LAYERS,
            num_attention_heads: HEADS,
            intermediate_size: 4 * WIDTH,
            hidden_act: HiddenAct::Gelu,
            ..Config::default()
        };
        Ok(Self { model: BertModel::load(weights(path)?, &config)? })
    }
}

impl Encode for Stock {
    fn encode(&mut self, tokens: &[&[u32]]) -> Result<Vec<Vec<f32>>> {
        let (longest, ids, mask) = padded(tokens);
        let table = |values| Tensor::from_vec(values, (tokens.len(), longest), &Device::Cpu);
        let (ids, mask) = (table(ids)?, table(mask)?);
        let encoded = self.model.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
        pooled(&encoded, Some(&mask))
    }
}

pub struct Fused {
    words: Embedding,
    /// Positions, with what the only token type adds.
    places: Tensor,
    norm: LayerNorm,
    layers: Vec<Layer>,
}

struct Layer {
    queries: Linear,
    keys: Linear,
    values: Linear,
    output: Linear,
    attended: LayerNorm,
    up: Linear,
    down: Linear,
    norm: LayerNorm,
}

impl Fused {
    pub fn open(path: &Path) -> Result<Self> {
        let weights = weights(path)?;
        let inputs = weights.pp("embeddings");
        let places = inputs.pp("position_embeddings").get((512, WIDTH), "weight")?;
        let kind = inputs.pp("token_type_embeddings").get((2, WIDTH), "weight")?.narrow(0, 0, 1)?;
        let layers = (0..LAYERS).map(|number| Layer::open(&weights.pp(format!("encoder.layer.{number}"))));
        Ok(Self {
            words: embedding(30_522, WIDTH, inputs.pp("word_embeddings"))?,
            places: places.broadcast_add(&kind)?,
            norm: layer_norm(WIDTH, 1e-12, inputs.pp("LayerNorm"))?,
            layers: layers.collect::<Result<_>>()?,
        })
    }
}

impl Encode for Fused {
    fn encode(&mut self, tokens: &[&[u32]]) -> Result<Vec<Vec<f32>>> {
        let (length, ids, _) = padded(tokens);
        let ids = Tensor::from_vec(ids, (tokens.len(), length), &Device::Cpu)?;
        let words = self.words.forward(&ids)?;
        let inputs = words.broadcast_add(&self.places.narrow(0, 0, length)?)?;
        let encoded =
            self.layers.iter().try_fold(self.norm.forward(&inputs)?, |x, layer| layer.forward(&x))?;
        pooled(&encoded, None)
    }

    fn equal_lengths(&self) -> bool {
        true
    }
}

impl Layer {
    fn open(weights: &VarBuilder) -> Result<Self> {
        let own = weights.pp("attention.self");
        let output = weights.pp("attention.output");
        Ok(Self {
            queries: linear(WIDTH, WIDTH, own.pp("query"))?,
            keys: linear(WIDTH, WIDTH, own.pp("key"))?,
            values: linear(WIDTH, WIDTH, own.pp("value"))?,
            output: linear(WIDTH, WIDTH, output.pp("dense"))?,
            attended: layer_norm(WIDTH, 1e-12, output.pp("LayerNorm"))?,
            up: linear(WIDTH, 4 * WIDTH, weights.pp("intermediate.dense"))?,
            down: linear(4 * WIDTH, WIDTH, weights.pp("output.dense"))?,
            norm: layer_norm(WIDTH, 1e-12, weights.pp("output.LayerNorm"))?,
        })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (texts, length, _) = x.dims3()?;
        let heads = |part: &Linear| part.forward(x)?.reshape((texts, length, HEADS, WIDTH / HEADS));
        let (queries, keys, values) = (heads(&self.queries)?, heads(&self.keys)?, heads(&self.values)?);
        let scale = ((WIDTH / HEADS) as f32).sqrt().recip();
        let seen = flash_attn::<f32>(&queries, &keys, &values, scale, AttnMask::None, None, None)?;
        let seen = seen.transpose(1, 2)?.reshape((texts, length, WIDTH))?;
        let x = self.attended.forward(&(self.output.forward(&seen)? + x)?)?;
        let wide = self.up.forward(&x)?.gelu_erf()?;
        Ok(self.norm.forward(&(self.down.forward(&wide)? + x)?)?)
    }
}
