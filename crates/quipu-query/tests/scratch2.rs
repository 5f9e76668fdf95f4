mod common;
use common::Shop;
#[tokio::test]
async fn scratch2() {
    let text = std::fs::read_to_string("/tmp/scratch/kw.ttl").unwrap();
    let shop = Shop::of("kw.ttl", &text).await.unwrap();
    for word in std::fs::read_to_string("/tmp/scratch/words").unwrap().lines() {
        let table = shop.tables.tables.iter().find(|t| t.title == *word).unwrap();
        let (t, c) = (&table.id, &table.columns[1].id);
        let n = format!("the {word} one");
        let v = format!("v {word}");
        let forms = [
            (format!("SELECT {c} FROM {t}"), v.clone()),
            (format!("SELECT {t}.{c} FROM {t} WHERE {t}.{c} = '{v}' ORDER BY {t}.{c}"), v.clone()),
            (
                format!(
                    "SELECT name FROM {t} WHERE {c} = '{v}' AND {c} IS NOT NULL GROUP BY {c}, name ORDER BY {c} DESC"
                ),
                n.clone(),
            ),
            (format!("SELECT COUNT({c}), COUNT(DISTINCT {c}) FROM {t}"), "1 | 1".into()),
            (format!("SELECT a.name FROM {t} AS a JOIN {t} AS b ON a.{c} = b.{c}"), n.clone()),
            (format!("SELECT a.name FROM {t} a, {t} b WHERE a.{c} = b.{c} AND a.{c} LIKE 'v%'"), n.clone()),
            (format!("SELECT {t}.name FROM {t} JOIN {t} AS b ON {t}.{c} = b.{c}"), n.clone()),
            (format!("SELECT b.name FROM {t} AS b LEFT JOIN {t} ON {t}.{c} = b.{c}"), n.clone()),
            (
                format!("SELECT name FROM {t} WHERE {c} IN ('{v}') AND {c} IN (SELECT {c} FROM {t})"),
                n.clone(),
            ),
            (format!("SELECT name, {c} FROM {t} UNION SELECT name, {c} FROM {t}"), format!("{n} | {v}")),
            (
                format!("SELECT {c} AS x, CASE WHEN {c} = '{v}' THEN 1 ELSE 2 END FROM {t}"),
                format!("{v} | 1"),
            ),
            (
                format!(
                    "SELECT {c}, COUNT(*) FROM {t} GROUP BY {c} HAVING COUNT({c}) > 0 ORDER BY {c} LIMIT 3"
                ),
                format!("{v} | 1"),
            ),
        ];
        let mut bad = Vec::new();
        for (sql, expected) in forms {
            let got = shop.lines(&sql).await;
            if got != [expected] {
                bad.push((sql, got));
            }
        }
        if !bad.is_empty() {
            println!("{word}: {} bad", bad.len());
            for (s, g) in bad.iter().take(2) {
                println!("    {s}\n      {}", g.join(";").chars().take(140).collect::<String>());
            }
        }
    }
}
