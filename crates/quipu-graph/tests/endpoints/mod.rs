//! Opening the graph behind a test's server.
#![allow(dead_code, reason = "each test program uses its own part")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quipu_graph::{
    EmbeddedGraph, EndpointConfig, EndpointGraph, EndpointParts, ImportConfig, Input, ProfileChoice, harvest,
    survey,
};

use crate::servers::Server;
use crate::suite::block_on;

/// Drives requests while a test polls.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// How a test's server is reached.
pub(crate) fn config(server: &Server) -> EndpointConfig {
    EndpointConfig {
        url: server.url.clone(),
        graphs: server.graphs.clone(),
        pause: 1,
        ..EndpointConfig::default()
    }
}

/// Surveys a server, and harvests its names too when `harvested`; results are cached below `folder`.
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
