mod common;
use common::Shop;
#[tokio::test]
async fn scratch() {
    let file = std::env::var("GRAPH").unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let name = std::path::Path::new(&file).file_name().unwrap().to_str().unwrap().to_owned();
    let shop = Shop::of(&name, &text).await.unwrap();
    println!(
        "{}",
        shop.tables.render(&quipu_query::Relevance::default(), &quipu_query::RenderConfig::default()).text
    );
    for line in std::fs::read_to_string(std::env::var("SQL").unwrap())
        .unwrap()
        .lines()
        .filter(|l| !l.trim().is_empty())
    {
        println!("\n## {line}");
        match shop.bound(line) {
            Ok(bound) => {
                println!("bound: {}", bound.query);
                for mend in &bound.mends {
                    println!("mend: {:?} {}", mend.doubt, mend.text);
                }
                if std::env::var("SHOW").is_ok() {
                    println!("{}", shop.plan(line).map(|p| p.sparql()).unwrap_or_default());
                }
            }
            Err(error) => println!("unbound: {error}"),
        }
        let lines = shop.lines(line).await;
        println!("{} rows", lines.len());
        for l in lines.iter().take(12) {
            println!("  {l}");
        }
    }
}
