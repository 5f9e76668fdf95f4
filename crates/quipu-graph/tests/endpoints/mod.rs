//! Opens the graph behind a test's server, and provides the data of such servers.
#![allow(dead_code, reason = "each test program uses its own part")]

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quipu_graph::{
    EmbeddedGraph, EndpointConfig, EndpointGraph, EndpointParts, ImportConfig, Input, ProfileChoice, harvest,
    survey,
};

use crate::servers::Server;
use crate::suite::block_on;

/// A runtime that drives requests while a test polls.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// Settings for reaching a test's server.
pub(crate) fn config(server: &Server) -> EndpointConfig {
    EndpointConfig {
        url: server.url.clone(),
        graphs: server.graphs.clone(),
        pause: 1,
        ..EndpointConfig::default()
    }
}

/// Surveys a server, and with `harvested` also gathers its names; results are cached in `folder`.
pub(crate) fn open(
    server: &Server,
    folder: &Path,
    harvested: bool,
    adapt: impl FnOnce(&mut EndpointConfig),
) -> EndpointGraph {
    let mut config = config(server);
    adapt(&mut config);
    let catalogue = block_on(survey("test", &config, None)).unwrap();
    let names = harvested.then(|| {
        let place = folder.join("harvest");
        let report = block_on(harvest(&config, &catalogue, &place, None, &AtomicBool::new(false))).unwrap();
        assert_eq!(report.notes, Vec::<String>::new());
        let inputs = report.files.into_iter().map(Input::File).collect();
        let mut import = ImportConfig::new("test", inputs);
        import.languages.clone_from(&config.languages);
        import.profile = ProfileChoice::File(report.profile);
        import.languages.clone_from(&config.languages);
        let store = folder.join("names");
        quipu_graph::import(&import, &store).unwrap();
        Arc::new(EmbeddedGraph::open(&store).unwrap())
    });
    EndpointGraph::open(EndpointParts { config, catalogue, names, cache: Some(folder.join("cache")) })
        .unwrap()
}

const PREFIXES: [(&str, &str); 13] = [
    ("wd:", "http://www.wikidata.org/entity/"),
    ("wdt:", "http://www.wikidata.org/prop/direct/"),
    ("wds:", "http://www.wikidata.org/entity/statement/"),
    ("p:", "http://www.wikidata.org/prop/"),
    ("ps:", "http://www.wikidata.org/prop/statement/"),
    ("pq:", "http://www.wikidata.org/prop/qualifier/"),
    ("wikibase:", "http://wikiba.se/ontology#"),
    ("void:", "http://rdfs.org/ns/void#"),
    ("e:", "http://e.org/"),
    ("rdfs:", "http://www.w3.org/2000/01/rdf-schema#"),
    ("rdf:", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("ns:", "http://rdf.freebase.com/ns/"),
    ("xsd:", "http://www.w3.org/2001/XMLSchema#"),
];

/// N-Triples from lines with prefixed names.
pub(crate) fn ntriples(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<String> = line.trim().splitn(3, ' ').map(expand).collect();
        writeln!(out, "{} .", words.join(" ")).unwrap();
    }
    out
}

fn expand(word: &str) -> String {
    let iri = |name: &str| {
        let (prefix, iri) = PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix))?;
        Some(format!("<{iri}{}>", name.strip_prefix(prefix)?))
    };
    match word.rsplit_once("^^") {
        Some((lexical, datatype)) => format!("{lexical}^^{}", iri(datatype).unwrap()),
        None => iri(word).unwrap_or_else(|| word.to_owned()),
    }
}

/// A hub with more neighbours than the server's limit on rows.
pub(crate) fn hub(spokes: usize) -> String {
    let mut text = String::from("e:hub rdfs:label \"hub\"\n");
    for spoke in 0..spokes {
        writeln!(text, "e:s{spoke} e:of e:hub\ne:s{spoke} rdfs:label \"spoke {spoke}\"").unwrap();
    }
    ntriples(&text)
}
