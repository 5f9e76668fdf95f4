//! The vector index as a whole: built, interrupted, opened, asked; damaged on purpose.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use quipu_model::{Embeddings, ModelError};

use super::*;
use crate::container::{change_number, change_section, check_version_1};

/// Deterministic unit vectors from a text: sums of pseudo-random vectors of its words, so that
/// texts with common words are near.
struct WordEmbedder {
    dimensions: usize,
    fingerprint: String,
    texts: AtomicUsize,
}

impl WordEmbedder {
    fn new(dimensions: usize) -> Self {
        Self { dimensions, fingerprint: format!("words-{dimensions}"), texts: AtomicUsize::new(0) }
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0_f32; self.dimensions];
        for word in text.split(' ') {
            let mut state = xxh3_64(word.as_bytes());
            for number in &mut vector {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *number += (state >> 40) as f32 / (1 << 24) as f32 - 0.5;
            }
        }
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        vector.iter().map(|number| number / length).collect()
    }
}

#[async_trait::async_trait]
impl Embedder for WordEmbedder {
    fn name(&self) -> &str {
        "words"
    }
    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
    fn dimensions(&self) -> usize {
        self.dimensions
    }
    async fn embed(&self, texts: &[&str]) -> Result<Embeddings, ModelError> {
        self.texts.fetch_add(texts.len(), Ordering::Relaxed);
        let values = texts.iter().flat_map(|text| self.vector(text)).collect();
        Ok(Embeddings::new(self.dimensions, values))
    }
}

fn text(number: u64) -> String {
    format!("name{} of{} kind{}", number, number % 97, number % 13)
}

fn builder(folder: &Path, count: u64) -> VectorBuilder {
    let mut builder = VectorBuilder::create(folder, 1 << 20).unwrap();
    for number in (0..count).rev() {
        builder.push(NodeId(number), &text(number)).unwrap();
    }
    builder
}

async fn build(folder: &Path, count: u64, embedder: &WordEmbedder) {
    builder(folder, count).build(embedder, &mut |_| {}, &AtomicBool::new(false)).await.unwrap();
}

#[tokio::test]
async fn neighbours_agree_with_exact_search() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = WordEmbedder::new(64);
    build(folder.path(), 3000, &embedder).await;
    let index = VectorIndex::open(folder.path()).unwrap();
    index.check_embedder(&embedder).unwrap();
    assert_eq!((index.len(), index.dimensions()), (3000, 64));
    let texts: Vec<String> = (0..3000).map(text).collect();
    let rows = Embeddings::new(64, texts.iter().flat_map(|text| embedder.vector(text)).collect());
    let (mut common, mut wanted) = (0, 0);
    for number in (0..3000).step_by(61) {
        let query = embedder.vector(&format!("{} more", text(number)));
        let exact: Vec<u64> = exact_top_k(&query, &rows, 10).into_iter().map(|(row, _)| row as u64).collect();
        let found = index.search(&query, 10).unwrap();
        assert!(found.is_sorted_by(|left, right| left.similarity >= right.similarity));
        wanted += exact.len();
        common += found.iter().filter(|hit| exact.contains(&hit.nodes[0].0)).count();
    }
    let recall = common as f64 / wanted as f64;
    assert!(recall >= 0.95, "recall@10 is {recall}");
}

#[tokio::test]
async fn equal_texts_share_a_row() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = WordEmbedder::new(32);
    let mut builder = VectorBuilder::create(folder.path(), 1 << 20).unwrap();
    for node in [7, 3, 5] {
        builder.push(NodeId(node), "John Smith").unwrap();
    }
    builder.push(NodeId(1), "Mary Jones").unwrap();
    builder.build(&embedder, &mut |_| {}, &AtomicBool::new(false)).await.unwrap();
    assert_eq!(embedder.texts.load(Ordering::Relaxed), 2);
    let index = VectorIndex::open(folder.path()).unwrap();
    let found = index.search(&embedder.vector("John Smith"), 1).unwrap();
    assert_eq!(found[0].nodes, [NodeId(3), NodeId(5), NodeId(7)]);
    assert!((found[0].similarity - 1.0).abs() < 1e-3);
}

#[tokio::test]
async fn vectors_of_the_same_texts_are_taken_over() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let embedder = WordEmbedder::new(16);
    build(first.path(), 200, &embedder).await;
    let never = AtomicBool::new(false);
    let same = builder(second.path(), 200).with_previous(first.path());
    same.build(&embedder, &mut |_| {}, &never).await.unwrap();
    assert_eq!(embedder.texts.load(Ordering::Relaxed), 200, "nothing is embedded again");
    drop(first);
    let index = VectorIndex::open(second.path()).unwrap();
    assert_eq!(index.search(&embedder.vector(&text(7)), 1).unwrap()[0].nodes, [NodeId(7)]);
    let third = tempfile::tempdir().unwrap();
    let other = builder(third.path(), 201).with_previous(second.path());
    other.build(&embedder, &mut |_| {}, &never).await.unwrap();
    assert_eq!(VectorIndex::open(third.path()).unwrap().len(), 201);
    // A build in a folder with shared files does not change the other index.
    let fourth = tempfile::tempdir().unwrap();
    let linked = builder(fourth.path(), 200).with_previous(second.path());
    linked.build(&embedder, &mut |_| {}, &never).await.unwrap();
    build(fourth.path(), 30, &embedder).await;
    index.verify().unwrap();
    assert_eq!((index.len(), VectorIndex::open(fourth.path()).unwrap().len()), (200, 30));
}

#[tokio::test]
async fn a_stopped_build_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = WordEmbedder::new(32);
    let cancelled = AtomicBool::new(false);
    let mut stop = |progress: VectorProgress| {
        if progress.done >= 1000 {
            cancelled.store(true, Ordering::Relaxed);
        }
    };
    let stopped = builder(folder.path(), 3000).build(&embedder, &mut stop, &cancelled).await.unwrap_err();
    assert!(matches!(stopped, IndexError::Cancelled));
    assert!(!VectorIndex::exists(folder.path()));
    let before = embedder.texts.load(Ordering::Relaxed);
    assert!((1000..3000).contains(&before), "{before}");
    // Bytes behind the last checkpoint are ignored.
    let matrix = folder.path().join(MATRIX);
    let mut bytes = std::fs::read(&matrix).unwrap();
    bytes.extend([1; 77]);
    std::fs::write(&matrix, bytes).unwrap();
    build(folder.path(), 3000, &embedder).await;
    assert_eq!(embedder.texts.load(Ordering::Relaxed), 3000, "no text is embedded twice");
    let index = VectorIndex::open(folder.path()).unwrap();
    assert_eq!(index.search(&embedder.vector(&text(2999)), 1).unwrap()[0].nodes, [NodeId(2999)]);
}

#[tokio::test]
async fn a_build_stopped_while_joining_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = WordEmbedder::new(16);
    let cancelled = AtomicBool::new(false);
    let mut stop = |progress: VectorProgress| cancelled.store(progress.joining, Ordering::Relaxed);
    let stopped = builder(folder.path(), 9000).build(&embedder, &mut stop, &cancelled).await.unwrap_err();
    assert!(matches!(stopped, IndexError::Cancelled));
    let mut first = None;
    let mut report = |progress: VectorProgress| {
        if progress.joining {
            first.get_or_insert(progress.done);
        }
    };
    builder(folder.path(), 9000).build(&embedder, &mut report, &AtomicBool::new(false)).await.unwrap();
    assert_eq!(embedder.texts.load(Ordering::Relaxed), 9000);
    assert_eq!(first, Some(8192), "the saved 4096 rows are not joined again");
    let index = VectorIndex::open(folder.path()).unwrap();
    assert_eq!(index.search(&embedder.vector(&text(1)), 1).unwrap()[0].nodes, [NodeId(1)]);
}

#[tokio::test]
async fn another_embedder_is_refused_and_starts_anew() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = WordEmbedder::new(16);
    build(folder.path(), 50, &embedder).await;
    let other = WordEmbedder::new(24);
    let index = VectorIndex::open(folder.path()).unwrap();
    let message = index.check_embedder(&other).unwrap_err().to_string();
    assert!(
        message.contains("words-16")
            && message.contains("words-24")
            && message.contains("import the graph again"),
        "{message}"
    );
    assert!(matches!(index.search(&[0.0; 24], 1), Err(IndexError::Usage(_))));
    drop(index);
    build(folder.path(), 50, &other).await;
    assert_eq!(VectorIndex::open(folder.path()).unwrap().dimensions(), 24);
}

#[tokio::test]
async fn an_empty_index_finds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = WordEmbedder::new(16);
    build(folder.path(), 0, &embedder).await;
    let index = VectorIndex::open(folder.path()).unwrap();
    assert!(index.is_empty());
    assert!(index.search(&embedder.vector("x"), 5).unwrap().is_empty());
}

#[tokio::test]
async fn an_index_of_version_1_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), 3, &WordEmbedder::new(16)).await;
    check_version_1(&folder.path().join(ROWS), || VectorIndex::open(folder.path()));
}

#[tokio::test]
async fn damaged_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), 60, &WordEmbedder::new(16)).await;
    for name in [ROWS, MATRIX, GRAPH] {
        let path = folder.path().join(name);
        let whole = std::fs::read(&path).unwrap();
        let check = |bytes: &[u8], what: &str| {
            std::fs::write(&path, bytes).unwrap();
            let error = VectorIndex::open(folder.path()).unwrap_err();
            assert!(matches!(error, IndexError::Corrupt { .. }), "{name} {what}: {error}");
            assert!(error.to_string().contains(name), "{name} {what}: {error}");
        };
        check(&[], "emptied");
        check(&whole[..whole.len() / 2], "cut in half");
        let mut damaged = whole.clone();
        damaged[whole.len() - 1] ^= 1;
        check(&damaged, "with a flipped bit");
        std::fs::remove_file(&path).unwrap();
        assert!(VectorIndex::open(folder.path()).is_err(), "{name} missing");
        std::fs::write(&path, &whole).unwrap();
    }
    VectorIndex::open(folder.path()).unwrap();
}

#[tokio::test]
async fn counts_that_the_files_cannot_have_are_damage() {
    // The lengths of vectors, where no row shows them.
    for (count, dimensions) in [(0, u64::MAX), (0, 1 << 40), (60, u64::MAX)] {
        let folder = tempfile::tempdir().unwrap();
        build(folder.path(), count, &WordEmbedder::new(16)).await;
        change_number(&folder.path().join(ROWS), KIND, "meta", 0, dimensions);
        let error = VectorIndex::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("its counts contradict each other"), "{count} rows, {dimensions}: {error}");
    }
    // As many rows of no number as there are.
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), 0, &WordEmbedder::new(16)).await;
    let rows = folder.path().join(ROWS);
    change_number(&rows, KIND, "meta", 0, 0);
    change_number(&rows, KIND, "meta", 1, u64::MAX);
    change_section(&rows, KIND, "starts", Vec::clear);
    assert!(VectorIndex::open(folder.path()).is_err());
    change_section(&rows, KIND, "meta", |bytes| bytes.truncate(48));
    assert!(VectorIndex::open(folder.path()).is_err());
}

#[tokio::test]
async fn places_of_nodes_that_the_file_cannot_have_are_damage() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = WordEmbedder::new(16);
    build(folder.path(), 60, &embedder).await;
    let index = VectorIndex::open(folder.path()).unwrap();
    for row in [60, u64::MAX / 8, u64::MAX] {
        assert!(index.nodes_of(row).is_err() && index.similarity(row, &[0.5; 16]).is_err(), "row {row}");
    }
    for start in [u64::MAX, u64::MAX / 8 + 2] {
        change_number(&folder.path().join(ROWS), KIND, "starts", 7, start);
        let index = VectorIndex::open(folder.path()).unwrap();
        assert!(index.nodes_of(6).is_err() && index.nodes_of(7).is_err(), "{start}");
    }
}

#[tokio::test]
async fn a_changed_byte_of_a_large_matrix_is_an_error_where_it_is_read_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = WordEmbedder::new(16);
    build(folder.path(), 400, &embedder).await;
    let index = VectorIndex::open_unchecked(folder.path()).unwrap();
    let expected: Vec<f32> = (0..400).map(|row| index.similarity(row, &[0.25; 16]).unwrap()).collect();
    drop(index);
    let path = folder.path().join(MATRIX);
    let whole = std::fs::read(&path).unwrap();
    assert!(whole.len() > 3 * PAGE);
    for at in (0..whole.len()).step_by(1009) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        let index = VectorIndex::open_unchecked(folder.path()).unwrap();
        for (row, expected) in (0..).zip(&expected) {
            let on_the_page = (row * 32) as usize / PAGE == at / PAGE;
            match index.similarity(row, &[0.25; 16]) {
                Ok(found) => assert!(!on_the_page && found == *expected, "byte {at}, row {row}"),
                Err(error) => assert!(on_the_page && error.to_string().contains(MATRIX), "{error}"),
            }
        }
    }
}
