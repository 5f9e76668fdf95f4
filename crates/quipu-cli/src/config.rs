//! Configuration: the library's, with the server's table.

use quipu_server::ServerConfig;

/// The user's settings, from files, environment and flags.
pub(crate) type Settings = quipu::Settings<ServerConfig>;
