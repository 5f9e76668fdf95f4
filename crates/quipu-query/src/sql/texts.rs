//! Comparisons of texts: LIKE, collations, time zones.

use sqlparser::ast;

use super::{Read, Reader, refuse};
use crate::mend::Doubt;
use crate::syntax::{Expression, Function};

impl Reader {
    pub(super) fn like(
        &mut self,
        of: &ast::Expr,
        pattern: &ast::Expr,
        escape: Option<&ast::Expr>,
    ) -> Read<Expression> {
        let of = self.boxed(of)?;
        let pattern = match self.expression(pattern)? {
            Expression::Text(pattern) => pattern,
            // LOWER('%x%'): LIKE ignores case anyway.
            Expression::Call(Function::Lower | Function::Upper, parts) => match parts.as_slice() {
                [Expression::Text(pattern)] => pattern.clone(),
                _ => return refuse("LIKE takes a text"),
            },
            other => return refuse(format!("LIKE takes a text, not {other}")),
        };
        // A sign that does not occur escapes nothing.
        match escape.map(|escape| self.expression(escape)).transpose()? {
            Some(Expression::Text(sign)) if sign.is_empty() || !pattern.contains(&sign) => {}
            None => {}
            Some(sign) => {
                return refuse(format!("the ESCAPE {sign} in LIKE is not read; write = with the whole text"));
            }
        }
        Ok(Expression::Like(of, pattern))
    }

    /// `LIKE ANY ('a%', 'b%')`
    pub(super) fn like_any(
        &mut self,
        of: &ast::Expr,
        patterns: &ast::Expr,
        escape: Option<&ast::Expr>,
    ) -> Read<Expression> {
        let mut inner = patterns;
        while let ast::Expr::Nested(one) = inner {
            inner = one;
        }
        let patterns = match inner {
            ast::Expr::Tuple(patterns) => patterns.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut any = None;
        for pattern in patterns {
            let one = self.like(of, pattern, escape)?;
            any = Some(match any {
                None => one,
                Some(any) => Expression::Or(Box::new(any), Box::new(one)),
            });
        }
        any.map_or_else(|| refuse("LIKE ANY takes texts"), Ok)
    }

    /// Texts are compared without case; a collation that says so is left out.
    pub(super) fn collation(&mut self, collation: &str) -> Read<()> {
        let name = collation.trim_matches(['"', '`', '\'']).to_ascii_lowercase();
        if name != "nocase" && !name.ends_with("_ci") && !name.contains("_ci_") {
            return refuse(format!("COLLATE {collation} is not read: texts are compared without case"));
        }
        self.leave_out(Doubt::None, format!("COLLATE {collation} is how texts are compared anyway"));
        Ok(())
    }

    /// Times are those that the graph states, which are taken for universal time.
    pub(super) fn time_zone(&mut self, zone: &str) -> Read<()> {
        let name = zone.trim_matches('\'').to_ascii_lowercase();
        if !matches!(name.as_str(), "utc" | "gmt" | "z" | "etc/utc" | "+00:00" | "+00" | "0") {
            return refuse(format!("AT TIME ZONE {zone} is not read: times are those that the graph states"));
        }
        self.leave_out(Doubt::None, format!("AT TIME ZONE {zone} changes no time"));
        Ok(())
    }
}
