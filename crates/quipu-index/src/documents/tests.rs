//! The document index as a whole: built, searched by words and by meaning, interrupted, damaged.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use quipu_model::{Embeddings, ModelError};

use super::*;
use crate::container::{ContainerWriter, change_number, check_version_1};
use crate::text::Format;

/// The counts of letters as a vector: texts with similar letters are near.
struct Letters {
    fingerprint: &'static str,
    texts: AtomicUsize,
    /// Fails after this many texts.
    most: usize,
}

impl Letters {
    fn new(fingerprint: &'static str) -> Self {
        Self { fingerprint, texts: AtomicUsize::new(0), most: usize::MAX }
    }

    fn vector(text: &str) -> Vec<f32> {
        let mut vector = [0.0_f32; 26];
        for byte in text.bytes().filter(u8::is_ascii_alphabetic) {
            vector[usize::from(byte.to_ascii_lowercase() - b'a')] += 1.0;
        }
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt().max(1e-9);
        vector.iter().map(|number| number / length).collect()
    }
}

#[async_trait::async_trait]
impl Embedder for Letters {
    fn name(&self) -> &str {
        "letters"
    }
    fn fingerprint(&self) -> &str {
        self.fingerprint
    }
    fn dimensions(&self) -> usize {
        26
    }
    async fn embed(&self, texts: &[&str]) -> Result<Embeddings, ModelError> {
        if self.texts.fetch_add(texts.len(), Ordering::Relaxed) + texts.len() > self.most {
            return Err(ModelError::Cancelled);
        }
        Ok(Embeddings::new(26, texts.iter().flat_map(|text| Self::vector(text)).collect()))
    }
}

const TEXTS: [(u64, &str, &str); 4] = [
    (3, "Orle", "A river that flows through the fishing town of Lindau."),
    (7, "Lindau", "A town of fishermen on an island; it has two harbours and a lighthouse."),
    (1, "kite", "Kites need wind and string."),
    (7, "Lindau", "Lindau's festival is in June."),
];

fn builder(folder: &Path, vectors: bool) -> DocumentBuilder {
    let mut builder = DocumentBuilder::create(folder, vectors, 1 << 20).unwrap();
    for (node, name, text) in TEXTS {
        let title = if text.contains("festival") { "festival.txt" } else { "" };
        let document = SourceDocument { node: NodeId(node), name, title, format: Format::Plain, text };
        builder.push(document).unwrap();
    }
    builder
}

async fn build(folder: &Path, embedder: Option<&Letters>) -> Result<(), IndexError> {
    let builder = builder(folder, embedder.is_some());
    let embedder = embedder.map(|embedder| embedder as &dyn Embedder);
    builder.finish(embedder, &mut |_| {}, &AtomicBool::new(false)).await
}

fn found(index: &DocumentIndex, text: &str, mode: SearchMode) -> Vec<u64> {
    let vector = Letters::vector(text);
    let query = DocumentQuery { text, vector: Some(&vector), mode, k: 3, only: None };
    index.search(&query).unwrap().into_iter().map(|hit| hit.passage.node.0).collect()
}

#[tokio::test]
async fn passages_are_found_by_words_and_by_meaning() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), Some(&Letters::new("letters"))).await.unwrap();
    let index = DocumentIndex::open(folder.path()).unwrap();
    index.verify().unwrap();
    assert_eq!((index.len(), index.documents(), index.has_vectors()), (4, 4, true));
    // Words match by their stems, also words of the entity's name; rare words weigh most.
    assert_eq!(found(&index, "the fishermen's harbour?", SearchMode::Words)[0], 7);
    assert_eq!(found(&index, "Orle", SearchMode::Words), [3]);
    assert_eq!(found(&index, "xyzzy", SearchMode::Words), [0u64; 0]);
    assert_eq!(found(&index, "kite: Kites need wind and string.", SearchMode::Meaning)[0], 1);
    assert_eq!(found(&index, "wind for kites", SearchMode::Hybrid)[0], 1);
    assert_eq!(index.passages_of(NodeId(7)).unwrap(), [1, 3]);
    assert_eq!(index.passages_of(NodeId(2)).unwrap(), [0u64; 0]);
    let passage = index.passage(3).unwrap();
    assert_eq!((passage.title.as_str(), passage.characters.clone()), ("festival.txt", 0..29));
    assert_eq!(passage.id("Lindau"), index.passage(3).unwrap().id("Lindau"));
    assert!(index.passage(4).is_err());
}

#[tokio::test]
async fn a_few_entities_are_ranked_exactly_and_others_left_out() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), Some(&Letters::new("letters"))).await.unwrap();
    let index = DocumentIndex::open(folder.path()).unwrap();
    let vector = Letters::vector("Lindau: Lindau's festival is in June.");
    let ranked = index.rank(&vector, &[NodeId(1), NodeId(7), NodeId(99)]).unwrap();
    assert_eq!(ranked[1].map(|(number, _)| number), Some(3));
    assert!(ranked[1].unwrap().1 > 0.999 && ranked[0].unwrap().1 < 0.9 && ranked[2].is_none());
    let only = |node: NodeId| Ok(node == NodeId(3));
    let query = DocumentQuery {
        text: "a town of fishermen",
        vector: Some(&vector),
        mode: SearchMode::Hybrid,
        k: 2,
        only: Some(&only),
    };
    let nodes: Vec<NodeId> = index.search(&query).unwrap().into_iter().map(|hit| hit.passage.node).collect();
    assert_eq!(nodes, [NodeId(3)]);
}

#[tokio::test]
async fn another_embedder_is_refused_and_missing_vectors_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), Some(&Letters::new("letters"))).await.unwrap();
    let index = DocumentIndex::open(folder.path()).unwrap();
    let refused = index.check_embedder(&Letters::new("others")).unwrap_err();
    assert!(matches!(refused, IndexError::OtherEmbedder { .. }), "{refused}");
    let plain = tempfile::tempdir().unwrap();
    build(plain.path(), None).await.unwrap();
    let index = DocumentIndex::open(plain.path()).unwrap();
    index.check_embedder(&Letters::new("others")).unwrap();
    assert_eq!(found(&index, "wind for kites", SearchMode::Hybrid)[0], 1);
    let query = DocumentQuery { text: "x", vector: None, mode: SearchMode::Meaning, k: 1, only: None };
    assert!(index.search(&query).unwrap_err().to_string().contains("quipu index documents"));
}

#[tokio::test]
async fn what_was_embedded_is_not_embedded_again() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let embedder = Letters::new("letters");
    build(first.path(), Some(&embedder)).await.unwrap();
    assert_eq!(embedder.texts.load(Ordering::Relaxed), 4);
    let mut builder = builder(second.path(), true).with_previous(&first.path().join(VECTORS));
    let text = "A new text.";
    let document = SourceDocument { node: NodeId(9), name: "new", title: "", format: Format::Plain, text };
    builder.push(document).unwrap();
    builder.finish(Some(&embedder), &mut |_| {}, &AtomicBool::new(false)).await.unwrap();
    assert_eq!(embedder.texts.load(Ordering::Relaxed), 5);
    let index = DocumentIndex::open(second.path()).unwrap();
    assert_eq!(found(&index, "kite: Kites need wind and string.", SearchMode::Meaning)[0], 1);
}

#[tokio::test]
async fn an_interrupted_build_is_no_index_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let failing = Letters { most: 0, ..Letters::new("letters") };
    build(folder.path(), Some(&failing)).await.unwrap_err();
    assert!(!DocumentIndex::exists(folder.path()));
    let message = DocumentIndex::open(folder.path()).unwrap_err().to_string();
    assert!(message.contains("passages.qix"), "{message}");
    build(folder.path(), Some(&Letters::new("letters"))).await.unwrap();
    assert_eq!(DocumentIndex::open(folder.path()).unwrap().len(), 4);
}

#[tokio::test]
async fn damage_is_named() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), None).await.unwrap();
    let path = folder.path().join(PASSAGES);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 9]).unwrap();
    let message = DocumentIndex::open(folder.path()).unwrap_err().to_string();
    assert!(message.contains("passages.qix"), "{message}");
    std::fs::write(&path, &whole).unwrap();
    std::fs::write(folder.path().join(WORDS).join("meta.json"), "{").unwrap();
    let message = DocumentIndex::open(folder.path()).unwrap().check().unwrap_err().to_string();
    assert!(message.contains("words/meta.json"), "{message}");
}

/// An index's answers on its words: the number of passages with each, and the passages found.
fn answers(index: &DocumentIndex) -> Result<Vec<String>, crate::IndexError> {
    let mut answers = Vec::new();
    for word in ["kite", "fishermen", "wind", "Lindau", "Orle", "xyzzy"] {
        let rarity = index.rarity(word)?;
        let query = DocumentQuery { text: word, vector: None, mode: SearchMode::Words, k: 3, only: None };
        let hits = index.search(&query)?;
        let hits: Vec<_> = hits.iter().map(|hit| (hit.passage.number, hit.score)).collect();
        answers.push(format!("{word}: {rarity} {hits:?}"));
    }
    Ok(answers)
}

/// Flips a bit of each byte of each file of the words.
fn check_every_byte(folder: &Path) {
    let expected = answers(&DocumentIndex::open(folder).unwrap()).unwrap();
    let mut files: Vec<_> =
        std::fs::read_dir(folder.join(WORDS)).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut refused = 0;
    for file in files {
        let whole = std::fs::read(&file).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << (at % 8);
            // Writes a new file under the same name: the mapped one does not change.
            std::fs::remove_file(&file).unwrap();
            std::fs::write(&file, damaged).unwrap();
            let index = DocumentIndex::open(folder).unwrap();
            assert_eq!(index.passages_of(NodeId(7)).unwrap(), [1, 3], "what needs no words is as it was");
            let found = answers(&index);
            assert!(found.as_ref().is_ok_and(|found| *found == expected) || found.is_err(), "{file:?} {at}");
            refused += u64::from(found.is_err());
            let verified = DocumentIndex::open(folder).unwrap().verify();
            assert!(verified.is_err(), "{file:?}: byte {at}");
        }
        std::fs::remove_file(&file).unwrap();
        std::fs::write(&file, &whole).unwrap();
    }
    assert!(refused > 100, "{refused} times damage was noticed");
    assert_eq!(answers(&DocumentIndex::open(folder).unwrap()).unwrap(), expected);
}

#[tokio::test]
async fn a_damaged_byte_of_the_words_is_an_error_or_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), None).await.unwrap();
    check_every_byte(folder.path());
}

#[tokio::test]
async fn an_index_of_version_1_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), None).await.unwrap();
    check_version_1(&folder.path().join(PASSAGES), || DocumentIndex::open(folder.path()));
}

#[tokio::test]
async fn an_index_of_version_2_is_read_through_before_its_words_are() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), None).await.unwrap();
    let path = folder.path().join(PASSAGES);
    let current = Container::open(&path, KIND).unwrap();
    let mut older = ContainerWriter::create(&path, Kind { version: 2, ..KIND }, 4).unwrap();
    for name in ["meta", "records", "bynode", "texts"] {
        older.write_section(name, current.section(name).unwrap().as_ref()).unwrap();
    }
    older.finish().unwrap();
    let index = DocumentIndex::open(folder.path()).unwrap();
    index.verify().unwrap();
    assert_eq!(found(&index, "Orle", SearchMode::Words), [3]);
    let words = std::fs::read_dir(folder.path().join(WORDS)).unwrap();
    let mut files = words.map(|file| file.unwrap().path());
    let terms = files.find(|file| file.extension().is_some_and(|name| name == "term")).unwrap();
    let mut bytes = std::fs::read(&terms).unwrap();
    bytes[10] ^= 1;
    std::fs::remove_file(&terms).unwrap();
    std::fs::write(&terms, bytes).unwrap();
    let refused = DocumentIndex::open(folder.path()).unwrap().check().unwrap_err().to_string();
    assert!(refused.contains(".term"), "{refused}");
}

#[tokio::test]
async fn a_damaged_row_of_a_large_index_is_said_and_nothing_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = Letters::new("letters");
    build(folder.path(), Some(&embedder)).await.unwrap();
    let vector = Letters::vector(TEXTS[1].2);
    let rank = |index: &DocumentIndex| index.rank(&vector, &[NodeId(3), NodeId(7), NodeId(1)]);
    let expected = rank(&DocumentIndex::open(folder.path()).unwrap()).unwrap();
    assert!(expected.iter().all(Option::is_some), "{expected:?}");
    let elsewhere = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(folder.path().join(VECTORS)).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), elsewhere.path().join(file.file_name())).unwrap();
    }
    let rows = elsewhere.path().join("rows.qix");
    let whole = std::fs::read(&rows).unwrap();
    let mut refused = 0;
    for at in 4096..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        // Writes a new file under the same name: the mapped one does not change.
        std::fs::remove_file(&rows).unwrap();
        std::fs::write(&rows, damaged).unwrap();
        // The usual opening would read such a small file whole.
        let Ok(vectors) = VectorIndex::open_unchecked(elsewhere.path()) else {
            refused += 1;
            continue;
        };
        let mut index = DocumentIndex::open(folder.path()).unwrap();
        index.vectors = Some(vectors);
        match rank(&index) {
            Ok(found) => assert_eq!(found, expected, "byte {at}"),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 0, "no damage was noticed");
}

#[tokio::test]
async fn counts_that_the_files_cannot_have_are_damage() {
    for (index, number) in [(0, u64::MAX), (0, 3), (1, u64::MAX), (1, 1 << 32)] {
        let folder = tempfile::tempdir().unwrap();
        build(folder.path(), None).await.unwrap();
        change_number(&folder.path().join(PASSAGES), KIND, "meta", index, number);
        let message = DocumentIndex::open(folder.path()).unwrap_err().to_string();
        assert!(message.contains("its counts contradict each other"), "{index}, {number}: {message}");
    }
}

#[tokio::test]
async fn places_that_the_files_cannot_have_are_damage() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), None).await.unwrap();
    let path = folder.path().join(PASSAGES);
    let whole = std::fs::read(&path).unwrap();
    // A record has five numbers of this size; the second is the place of its text.
    for place in [u64::MAX, u64::MAX - 7, 1 << 40] {
        change_number(&path, KIND, "records", 1, place);
        assert!(DocumentIndex::open(folder.path()).unwrap().passage(0).is_err(), "{place}");
        std::fs::write(&path, &whole).unwrap();
    }
    for number in [4, u64::MAX / 40 + 1, u64::MAX] {
        change_number(&path, KIND, "bynode", 2, number);
        let index = DocumentIndex::open(folder.path()).unwrap();
        assert!(index.passages_of(NodeId(7)).is_err() && index.passage(number).is_err(), "{number}");
        std::fs::write(&path, &whole).unwrap();
    }
}

#[test]
fn characters_beyond_32_bits_are_damage() {
    assert_eq!(characters(3, 4), Some(3..7));
    assert_eq!(characters(3, u32::MAX), None);
}
