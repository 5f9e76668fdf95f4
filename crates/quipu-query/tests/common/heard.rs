//! The queries that tests run and their rows, kept for another test: a server is asked the same.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::Shop;
use quipu_graph::{QueryFormat, QueryOptions};
use quipu_query::{Plan, RowSet};

/// A query that a test has run.
pub struct Heard {
    pub sql: String,
    pub plan: Plan,
    pub rows: RowSet,
}

/// What tests have run, and the triples of all their graphs.
#[derive(Default)]
pub struct Ear {
    pub heard: Vec<Heard>,
    pub triples: BTreeSet<String>,
    graphs: usize,
}

thread_local! {
    static EAR: RefCell<Option<Ear>> = const { RefCell::new(None) };
}

/// Runs tests and keeps their queries. They run in a thread of their own, because a test starts its
/// own runtime.
pub fn listen(tests: &[fn()]) -> Ear {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            EAR.set(Some(Ear::default()));
            tests.iter().for_each(|test| test());
            EAR.take().unwrap()
        });
        thread.join().unwrap()
    })
}

/// The namespace of the next small graph: one of its own where queries are kept, so that the graphs
/// may lie in one store.
pub fn namespace() -> String {
    EAR.with_borrow_mut(|ear| match ear {
        None => "http://g.test/".to_owned(),
        Some(ear) => {
            ear.graphs += 1;
            format!("http://g.test/{}/", ear.graphs)
        }
    })
}

/// Keeps a query, if queries are kept.
pub fn hear(shop: &Shop, sql: &str, plan: &Plan, rows: &RowSet) {
    EAR.with_borrow_mut(|ear| {
        let Some(ear) = ear else { return };
        if !shop.has_own_namespace {
            return;
        }
        ear.triples.extend(ntriples(shop).lines().map(str::to_owned));
        ear.heard.push(Heard { sql: sql.to_owned(), plan: plan.clone(), rows: rows.clone() });
    });
}

/// The graph in the form that a server reads.
pub fn ntriples(shop: &Shop) -> String {
    let options = QueryOptions { format: QueryFormat::parse("ntriples").unwrap(), ..QueryOptions::default() };
    let mut triples = Vec::new();
    let graph = shop.workspace.embedded().unwrap();
    graph.query("CONSTRUCT WHERE { ?s ?p ?o }", &options, &mut triples).unwrap();
    String::from_utf8(triples).unwrap()
}
