//! The text of a PDF.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_extract::{Document, Object};

use super::TextError;

/// Deepest nesting of page folders that real programs write.
const DEEPEST: usize = 100;

/// The text of a PDF's pages in order, separated by empty lines. Runs of empty lines become one.
///
/// # Errors
/// [`TextError::Pdf`] for a file that is no PDF, is damaged or encrypted, or holds only pictures of
/// text.
pub fn pdf(bytes: &[u8]) -> Result<String, TextError> {
    // The library panics on some damaged files.
    let read = catch_unwind(AssertUnwindSafe(|| {
        check_parents(&Document::load_mem(bytes)?)?;
        pdf_extract::extract_text_from_mem(bytes)
    }));
    let text = match read {
        Ok(Ok(text)) => text,
        Ok(Err(error)) => return Err(TextError::Pdf(error.to_string())),
        Err(_) => return Err(TextError::Pdf("the file is damaged".to_owned())),
    };
    let text = tidy(&text);
    if text.is_empty() {
        return Err(TextError::Pdf("it holds no text; it may hold only pictures".to_owned()));
    }
    Ok(text)
}

/// Refuses pages that contain themselves: the library would search their parents for inherited
/// values without an end.
fn check_parents(document: &Document) -> Result<(), pdf_extract::OutputError> {
    for page in document.get_pages().into_values() {
        let parent =
            |id| document.get_dictionary(id).ok()?.get(b"Parent").and_then(Object::as_reference).ok();
        if std::iter::successors(Some(page), |id| parent(*id)).nth(DEEPEST).is_some() {
            return Err(pdf_extract::Error::ReferenceCycle(page).into());
        }
    }
    Ok(())
}

fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut blank = true;
    for line in text.lines() {
        let line = line.trim();
        if !line.is_empty() {
            tidy.push_str(line);
            tidy.push('\n');
        } else if !blank {
            tidy.push('\n');
        }
        blank = line.is_empty();
    }
    tidy.truncate(tidy.trim_end().len());
    tidy
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A PDF of one page with one line of text, with the offsets for its cross-reference table.
    pub(crate) fn page(line: &str) -> Vec<u8> {
        let stream = format!("BT /F1 12 Tf 72 720 Td ({line}) Tj ET");
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R \
             /Resources << /Font << /F1 5 0 R >> >> >>"
                .to_owned(),
            format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        ];
        let mut file = "%PDF-1.4\n".to_owned();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
        for (number, object) in (1..).zip(&objects) {
            table += &format!("{:010} 00000 n \n", file.len());
            file += &format!("{number} 0 obj\n{object}\nendobj\n");
        }
        let start = file.len();
        file += &format!(
            "{table}trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n",
            objects.len() + 1
        );
        file.into_bytes()
    }

    #[test]
    fn a_page_is_read() {
        assert_eq!(pdf(&page("The terrier has a wiry coat.")).unwrap(), "The terrier has a wiry coat.");
    }

    #[test]
    fn a_page_within_itself_is_refused() {
        let within = String::from_utf8(page("words")).unwrap().replace("/Parent 2 0 R", "/Parent 3 0 R");
        assert!(matches!(pdf(within.as_bytes()), Err(TextError::Pdf(_))));
    }

    #[test]
    fn what_cannot_be_read_says_so() {
        let whole = page("words");
        for bytes in [&b"no pdf"[..], &whole[..whole.len() / 2], b"", &page("")] {
            assert!(matches!(pdf(bytes), Err(TextError::Pdf(_))));
        }
    }
}
