//! The server as a whole: configured, bound to an address, or run over standard input and output.

use std::net::SocketAddr;
use std::path::PathBuf;

use axum::Router;
use quipu_answer::NamedMethod;
use quipu_graph::ErrorClass;
use tokio::net::TcpListener;

use crate::app::App;
use crate::config::ServerConfig;
use crate::http;
use crate::listen::Listening;
use crate::mcp;
use crate::workspaces::{Models, Workspaces};

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The configuration is invalid.
    #[error("{0}")]
    Usage(String),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}; choose another with --port")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: std::io::Error,
    },
    /// The connection over standard input and output failed.
    #[error("MCP over standard input and output: {0}")]
    Mcp(String),
}

impl ServerError {
    /// The class that decides the exit code.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Usage(_) => ErrorClass::User,
            Self::Bind { .. } | Self::Mcp(_) => ErrorClass::Permanent,
        }
    }
}

/// A configured server that is not yet bound.
pub struct Server {
    app: App,
}

impl Server {
    /// Configures a server over workspaces, named by their folders; the first is the default.
    /// Workspaces are opened on first use. `method` is the default method.
    ///
    /// # Errors
    /// [`ServerError::Usage`]: workspaces with the same name, unreadable keys, an unusable
    /// telemetry endpoint.
    pub fn new(
        config: ServerConfig,
        workspaces: &[PathBuf],
        models: Models,
        method: impl Into<NamedMethod>,
    ) -> Result<Self, ServerError> {
        let workspaces = Workspaces::new(workspaces, models).map_err(ServerError::Usage)?;
        Ok(Self { app: App::new(config, workspaces, method.into()).map_err(ServerError::Usage)? })
    }

    /// All addresses of the server without a listener, for tests and for embedding it in another
    /// server.
    pub fn router(&self) -> Router {
        http::router(&self.app)
    }

    /// Listens on the configured address.
    ///
    /// # Errors
    /// [`ServerError::Bind`].
    pub async fn bind(self) -> Result<Listening, ServerError> {
        let address = SocketAddr::new(self.app.config.host, self.app.config.port);
        let listener =
            TcpListener::bind(address).await.map_err(|source| ServerError::Bind { address, source })?;
        Listening::new(listener, self.app).map_err(|source| ServerError::Bind { address, source })
    }

    /// Serves MCP over standard input and output until they are closed.
    ///
    /// # Errors
    /// [`ServerError::Mcp`].
    pub async fn serve_stdio(self) -> Result<(), ServerError> {
        let exporting = self.app.start_telemetry();
        let served = mcp::serve_stdio(self.app).await.map_err(ServerError::Mcp);
        if let Some(exporting) = exporting {
            exporting.finish().await;
        }
        served
    }
}
