//! onnxruntime through `ort`, which loads the library of the Python package: building with it
//! downloads one otherwise.

use std::path::Path;

use ort::environment::Environment;
use ort::session::Session;
use ort::value::Tensor;

use crate::{Encode, Result, padded};

pub struct Onnx {
    session: Session,
    _environment: Environment,
}

impl Onnx {
    pub fn open(library: &str, model: &Path, threads: usize) -> Result<Self> {
        let environment = ort::init_from(library)?.build()?;
        let builder = Session::builder(&environment)?;
        let mut builder = builder.with_intra_threads(threads).map_err(|error| error.to_string())?;
        Ok(Self { session: builder.commit_from_file(model)?, _environment: environment })
    }
}

impl Encode for Onnx {
    fn encode(&mut self, tokens: &[&[u32]]) -> Result<Vec<Vec<f32>>> {
        let (longest, ids, mask) = padded(tokens);
        let table = |values: Vec<u32>| {
            let values: Vec<i64> = values.into_iter().map(i64::from).collect();
            Tensor::from_array(([tokens.len(), longest], values))
        };
        let outputs = self.session.run(ort::inputs!["ids" => table(ids)?, "mask" => table(mask)?])?;
        let (_, vectors) = outputs["vectors"].try_extract_tensor::<f32>()?;
        Ok(vectors.chunks(vectors.len() / tokens.len()).map(<[f32]>::to_vec).collect())
    }
}
