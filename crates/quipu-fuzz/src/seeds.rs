//! Initial inputs: those of the target's folder in `seeds/`, and for binary formats the ones
//! generated here.

use std::path::{Path, PathBuf};

use crate::targets::{TOKENIZER, originals};

/// The folder of a target's inputs.
fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target)
}

/// The inputs of a target, in a stable order. There is always at least one.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    let files = folder(target).read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files.filter(|file| file.is_file()).collect();
    files.sort();
    let mut seeds: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
    match target {
        "store" => seeds.extend(originals(false)),
        "index" => seeds.extend(originals(true)),
        "safetensors" => seeds.push(tiny_embedder()),
        "embedder" => seeds.push([b"\0", TOKENIZER.as_bytes()].concat()),
        "gguf" => seeds.extend([adapter(3), adapter(2)]),
        "pdf" => seeds.push(page("The terrier has a wiry coat.")),
        _ => {}
    }
    if seeds.is_empty() {
        seeds.push(Vec::new());
    }
    seeds
}

/// A GGUF file of this version: an adapter of rank 1 with texts, a list, a number and two tensors.
fn adapter(version: u32) -> Vec<u8> {
    const WIDE: u64 = 8;
    const FLOAT: u32 = 6;
    const TEXT: u32 = 8;
    const LIST: u32 = 9;
    fn text(file: &mut Vec<u8>, text: &str) {
        file.extend((text.len() as u64).to_le_bytes());
        file.extend(text.as_bytes());
    }
    let texts = [
        ("general.type", "adapter"),
        ("general.architecture", "llama"),
        ("adapter.type", "lora"),
        ("quipu.adapter.task", "query"),
        ("quipu.adapter.stages", "plan.query, compose"),
        ("quipu.adapter.languages", "en, de"),
        ("quipu.adapter.base", "any"),
        ("quipu.adapter.base_sha256", "00ff"),
    ];
    let mut file = b"GGUF".to_vec();
    file.extend(version.to_le_bytes());
    file.extend(2_u64.to_le_bytes());
    file.extend((texts.len() as u64 + 2).to_le_bytes());
    for (key, value) in texts {
        text(&mut file, key);
        file.extend(TEXT.to_le_bytes());
        text(&mut file, value);
    }
    text(&mut file, "general.tags");
    file.extend([LIST, TEXT].map(u32::to_le_bytes).concat());
    file.extend(1_u64.to_le_bytes());
    text(&mut file, "small");
    text(&mut file, "adapter.lora.alpha");
    file.extend(FLOAT.to_le_bytes());
    file.extend(1.0_f32.to_le_bytes());
    for (name, shape, offset) in [("lora_a", [WIDE, 1], 0_u64), ("lora_b", [1, WIDE], 4 * WIDE)] {
        text(&mut file, &format!("blk.0.attn_output.weight.{name}"));
        file.extend(2_u32.to_le_bytes());
        file.extend(shape.map(u64::to_le_bytes).concat());
        // Numbers of 32 bits.
        file.extend(0_u32.to_le_bytes());
        file.extend(offset.to_le_bytes());
    }
    file.resize(file.len().next_multiple_of(32), 0);
    file.extend([0_u8; 64]);
    file
}

/// A PDF of one page with one line of text, with the offsets for its cross-reference table.
fn page(line: &str) -> Vec<u8> {
    let stream = format!("BT /F1 12 Tf 72 720 Td ({line}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in (1..).zip(&objects) {
        table += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let start = file.len();
    let trailer =
        format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1);
    (file + &table + &trailer).into_bytes()
}

/// Weights of an embedder with four words and one layer of the least possible width.
pub(crate) fn tiny_embedder() -> Vec<u8> {
    const WIDE: usize = 64;
    let mut tensors: Vec<(String, Vec<usize>)> = vec![
        ("embeddings.word_embeddings.weight".into(), vec![4, WIDE]),
        ("embeddings.position_embeddings.weight".into(), vec![8, WIDE]),
        ("embeddings.token_type_embeddings.weight".into(), vec![2, WIDE]),
    ];
    let layer = "encoder.layer.0";
    let mut norms = vec!["embeddings.LayerNorm".to_owned()];
    let dense = ["attention.self.query", "attention.self.key", "attention.self.value"];
    for part in dense.iter().chain(&["attention.output.dense", "intermediate.dense", "output.dense"]) {
        tensors.push((format!("{layer}.{part}.weight"), vec![WIDE, WIDE]));
        tensors.push((format!("{layer}.{part}.bias"), vec![WIDE]));
    }
    norms.extend(["attention.output", "output"].map(|part| format!("{layer}.{part}.LayerNorm")));
    for norm in norms {
        tensors.extend(["weight", "bias"].map(|part| (format!("{norm}.{part}"), vec![WIDE])));
    }
    let mut header = serde_json::Map::new();
    let mut data = Vec::new();
    for (name, shape) in tensors {
        let numbers: usize = shape.iter().product();
        let start = data.len();
        data.extend((0..numbers).flat_map(|number| ((number % 7) as f32 / 10.0).to_le_bytes()));
        let place =
            serde_json::json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, data.len()] });
        header.insert(name, place);
    }
    let header = serde_json::Value::Object(header).to_string();
    [(header.len() as u64).to_le_bytes().as_slice(), header.as_bytes(), &data].concat()
}
