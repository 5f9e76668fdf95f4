//! Configuration: the library's, with the server's table.

use quipu_server::ServerConfig;

/// What the user may set: files, environment and flags.
pub(crate) type Settings = quipu::Settings<ServerConfig>;
