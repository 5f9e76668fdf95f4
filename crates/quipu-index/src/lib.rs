//! Finding things: names, vectors, documents, and the workspace that holds them beside the graph.
