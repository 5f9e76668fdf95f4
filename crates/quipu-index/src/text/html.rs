//! Converts HTML to the text that a reader sees, with its structure in Markdown.

use ego_tree::NodeRef;
use ego_tree::iter::Edge;
use scraper::{Html, Node, node::Element};

/// Elements without readable content, or with content of the site and not of the page.
const LEFT_OUT: &[&str] = &[
    "script", "style", "noscript", "template", "svg", "canvas", "iframe", "object", "video", "audio",
    "button", "select", "input", "textarea", "form", "nav", "footer", "aside", "dialog", "head",
];
/// Values of `role` for such elements.
const LEFT_OUT_ROLES: &[&str] =
    &["navigation", "banner", "contentinfo", "search", "complementary", "dialog", "menu"];
/// Elements that begin and end a paragraph.
const BLOCKS: &[&str] = &[
    "p",
    "div",
    "section",
    "article",
    "main",
    "header",
    "figure",
    "figcaption",
    "blockquote",
    "ul",
    "ol",
    "dl",
    "dt",
    "dd",
    "table",
    "pre",
    "address",
    "fieldset",
    "details",
    "summary",
    "hr",
    "body",
    "html",
];
/// A page's `main` or `article` element replaces the page if it has at least one in so many bytes
/// of its text.
const MAIN_SHARE: usize = 4;

/// The text of a page: headings as `# so`, items as `- so`, cells of a row as `a | b`, paragraphs
/// between empty lines. Menus, scripts, forms, footers and hidden parts are dropped. If the page
/// marks a main part that is not small, only that part is kept. Any input gives some text: broken
/// HTML is parsed as browsers do.
pub fn html(page: &str) -> String {
    let page = Html::parse_document(page);
    let root = page.tree.root();
    let whole = written(root);
    let mut text = main_parts(root)
        .into_iter()
        .map(written)
        .max_by_key(String::len)
        .filter(|main| main.len() * MAIN_SHARE >= whole.len())
        .unwrap_or(whole);
    if !text.starts_with("# ")
        && !text.contains("\n# ")
        && let Some(title) = title(root)
    {
        text.insert_str(0, &format!("# {title}\n\n"));
    }
    text
}

/// The main parts of a page. One within another is no part by itself, so that each text is written
/// once.
fn main_parts(root: NodeRef<'_, Node>) -> Vec<NodeRef<'_, Node>> {
    let mut parts: Vec<NodeRef<'_, Node>> = Vec::new();
    let mut open = None;
    for edge in root.traverse() {
        match edge {
            Edge::Open(node) if open.is_none() && node.value().as_element().is_some_and(is_main) => {
                open = Some(node.id());
                parts.push(node);
            }
            Edge::Close(node) if open == Some(node.id()) => open = None,
            _ => {}
        }
    }
    parts
}

fn is_main(element: &Element) -> bool {
    matches!(element.name(), "main" | "article") || element.attr("role") == Some("main")
}

fn title(root: NodeRef<'_, Node>) -> Option<String> {
    let element =
        root.descendants().find(|node| node.value().as_element().is_some_and(|e| e.name() == "title"))?;
    let text: String =
        element.children().filter_map(|child| Some(child.value().as_text()?.text.to_string())).collect();
    let title = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!title.is_empty()).then_some(title)
}

fn is_left_out(element: &Element) -> bool {
    let hidden = |style: &str| {
        let style: String = style.split_whitespace().collect();
        style.contains("display:none") || style.contains("visibility:hidden")
    };
    LEFT_OUT.contains(&element.name())
        || element.attr("hidden").is_some()
        || element.attr("aria-hidden") == Some("true")
        || element.attr("role").is_some_and(|role| LEFT_OUT_ROLES.contains(&role))
        || element.attr("style").is_some_and(hidden)
}

/// The text below a node. It iterates over the tree's edges, so that deep nesting cannot exhaust
/// the stack.
fn written(node: NodeRef<'_, Node>) -> String {
    let mut writer = Writer::default();
    let mut left_out = None;
    for edge in node.traverse() {
        match (edge, left_out) {
            (Edge::Close(node), Some(id)) if node.id() == id => left_out = None,
            (_, Some(_)) => {}
            (Edge::Open(node), None) => match node.value() {
                Node::Text(text) => writer.text(text),
                Node::Element(element) if is_left_out(element) => left_out = Some(node.id()),
                Node::Element(element) => writer.open(element.name()),
                _ => {}
            },
            (Edge::Close(node), None) => {
                if let Node::Element(element) = node.value() {
                    writer.close(element.name());
                }
            }
        }
    }
    writer.finish()
}

/// The gap before the next text.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
    Paragraph,
}

#[derive(Debug, Default)]
struct Writer {
    text: String,
    gap: Gap,
    /// Written before the next text, like `## `.
    mark: String,
    /// Number of open preformatted elements, lists and headings.
    preformatted: usize,
    lists: usize,
    /// Cells written in the open row.
    cells: usize,
}

impl Writer {
    fn text(&mut self, text: &str) {
        if self.preformatted > 0 {
            self.begin();
            self.text.push_str(text);
            return;
        }
        if text.starts_with(char::is_whitespace) {
            self.gap = self.gap.max(Gap::Space);
        }
        for word in text.split_whitespace() {
            self.begin();
            self.text.push_str(word);
            self.gap = Gap::Space;
        }
        if !text.ends_with(char::is_whitespace) && !text.is_empty() {
            self.gap = Gap::None;
        }
    }

    /// Writes the pending gap and mark.
    fn begin(&mut self) {
        let gap = match self.gap {
            _ if self.text.is_empty() => "",
            Gap::None => "",
            Gap::Space => " ",
            Gap::Line => "\n",
            Gap::Paragraph => "\n\n",
        };
        self.text.push_str(gap);
        self.text.push_str(&std::mem::take(&mut self.mark));
        self.gap = Gap::None;
    }

    fn open(&mut self, name: &str) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.gap = Gap::Paragraph;
                let level = name
                    .as_bytes()
                    .get(1)
                    .copied()
                    .map_or(1, |digit| usize::from(digit.saturating_sub(b'0')));
                self.mark = format!("{} ", "#".repeat(level));
            }
            "br" => self.gap = self.gap.max(Gap::Line),
            "li" => {
                self.gap = self.gap.max(Gap::Line);
                self.mark = format!("{}- ", "  ".repeat(self.lists.saturating_sub(1)));
            }
            "tr" => {
                self.gap = self.gap.max(Gap::Line);
                self.cells = 0;
            }
            "td" | "th" => {
                if self.cells > 0 {
                    self.mark = "| ".to_owned();
                    self.gap = Gap::Space;
                }
                self.cells += 1;
            }
            _ if BLOCKS.contains(&name) => {
                self.block();
                self.lists += usize::from(matches!(name, "ul" | "ol"));
                self.preformatted += usize::from(name == "pre");
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.gap = Gap::Paragraph;
                self.mark.clear();
            }
            "li" | "tr" => {
                self.gap = self.gap.max(Gap::Line);
                self.mark.clear();
                self.cells = 0;
            }
            _ if BLOCKS.contains(&name) => {
                self.lists = self.lists.saturating_sub(usize::from(matches!(name, "ul" | "ol")));
                self.preformatted = self.preformatted.saturating_sub(usize::from(name == "pre"));
                self.block();
            }
            _ => {}
        }
    }

    /// Ends a paragraph. Inside a row or an item a line break or a space is enough.
    fn block(&mut self) {
        let gap = if self.cells > 0 {
            Gap::Space
        } else if self.lists > 0 {
            Gap::Line
        } else {
            Gap::Paragraph
        };
        self.gap = self.gap.max(gap);
    }

    fn finish(mut self) -> String {
        self.text.truncate(self.text.trim_end().len());
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(page: &str, expected: &str) {
        assert_eq!(html(page), expected);
    }

    #[test]
    fn structure_becomes_marks() {
        check(
            "<h1>A</h1><p>one <b>two</b>,\n three</p><h2>B</h2>x<br>y",
            "# A\n\none two, three\n\n## B\n\nx\ny\n",
        );
        check("<p>L</p><ul><li>a<li><p>b</p><ol><li>c</ol></ul><p>d", "L\n\n- a\n- b\n  - c\n\nd\n");
        check(
            "<table><tr><th>Name<th>Year</tr><tr><td>Lima</td><td>1535</td></tr></table>",
            "Name | Year\nLima | 1535\n",
        );
        check("<pre>a\n  b</pre>", "a\n  b\n");
        check("caf&eacute; &amp; t<i>e</i>a &lt;b&gt;", "café & tea <b>\n");
    }

    #[test]
    fn what_nobody_reads_is_left_out() {
        check("<nav>Home</nav><script>x()</script><p>text</p><footer>©</footer>", "text\n");
        check("<p hidden>a</p><p style='display: none'>b</p><div aria-hidden=true>c</div>d", "d\n");
        check("<title> A  page </title><style>p{}</style><p>text", "# A page\n\ntext\n");
        check("<title>Site</title><h1>Own</h1>", "# Own\n");
        let page = "<div>Buy now</div><main><p>The river is long and wide.</p></main><div>Log in</div>";
        check(page, "The river is long and wide.\n");
        let small = "<main></main><div>The river is long and wide and everything is out here.</div>";
        check(small, "The river is long and wide and everything is out here.\n");
    }

    #[test]
    fn anything_is_read() {
        check("", "");
        check("no tags", "no tags\n");
        check("<p>un<b>closed <div>x", "unclosed\n\nx\n");
        let deep = format!("{}x", "<div>".repeat(20_000));
        check(&deep, "x\n");
        check("<p>a\u{0}b</p>", "ab\n");
    }

    #[test]
    fn a_main_part_within_another_is_written_once() {
        let page = Html::parse_document(&"<article><p>x</p>".repeat(2000));
        assert_eq!(main_parts(page.tree.root()).len(), 1);
        let page = Html::parse_document("<main><article>a</article></main><article>b</article>");
        assert_eq!(main_parts(page.tree.root()).len(), 2);
    }
}
