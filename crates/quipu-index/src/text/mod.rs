//! Turns files into text that can be searched and quoted: bytes to characters, HTML and PDF to
//! structured plain text, texts to chunks. It does not depend on graphs or workspaces.
//!
//! ```
//! use quipu_index::text::{ChunkLimits, Format, chunks, html};
//!
//! let page = "<nav>Home</nav><h1>Kites</h1><p>Kites need wind.</p><ul><li>box</li><li>delta</li></ul>";
//! let text = html(page);
//! assert_eq!(text, "# Kites\n\nKites need wind.\n\n- box\n- delta\n");
//! let chunks = chunks(&text, Format::Markdown, ChunkLimits { least: 5, most: 30 });
//! let quoted = text.get(chunks[1].start..chunks[1].end);
//! assert_eq!((quoted, chunks[1].heading.as_deref()), (Some("Kites need wind."), Some("Kites")));
//! ```

mod chunk;
mod decode;
mod file;
mod html;
mod pdf;

pub use chunk::{Chunk, ChunkLimits, Format, chunks};
pub use decode::{TextError, decode};
pub use file::TextFile;
pub use html::html;
pub use pdf::pdf;
