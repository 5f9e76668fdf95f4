// The page in a real Chromium, against the server at the base URL given; `--screenshots FOLDER` keeps pictures of its states.
// The server holds the films of the Rust tests; its model restates follow-ups, answers `io`, and is slow for `cot`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const [base, keyed, broken] = process.argv.slice(2, 5);
const pictures = process.argv[5];
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });

async function open(url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, bypassCSP: false, ...options });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(url).origin });
  const page = await context.newPage();
  page.complaints = [];
  page.elsewhere = [];
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("console", (message) => {
    // The browser itself tells of each response that is no success; the page's own handling is what is tested.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) page.complaints.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(url).origin) && !request.url().startsWith("data:")) page.elsewhere.push(request.url());
  });
  await page.goto(url);
  return page;
}

/** Nothing broke, nothing was asked for elsewhere, and nobody is kept out. */
async function isClean(page) {
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(page.elsewhere, []);
  const session = await page.context().newCDPSession(page);
  // In a world of its own, where the page's content policy does not hold: axe is the test's, not the page's.
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId } = await session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id });
  const run = async (expression) => {
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
      expression,
      contextId: executionContextId,
      awaitPromise: true,
      returnByValue: true,
    });
    assert.equal(exceptionDetails, undefined, JSON.stringify(exceptionDetails));
    return result.value;
  };
  await run(axeSource + "; undefined");
  const violations = await run(
    "axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map((n) => n.html).join(' ')))",
  );
  assert.deepEqual(violations, []);
}

async function picture(page, name, fullPage = true) {
  if (!pictures) return;
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: `${pictures}/${name}.png`, fullPage });
}

async function ask(page, question, options = {}) {
  for (const [label, value] of Object.entries(options)) await page.getByLabel(label, { exact: true }).selectOption(value);
  await page.getByLabel("Your question").fill(question);
  await page.getByRole("button", { name: "Ask", exact: true }).click();
}

const answered = (page) => page.getByTestId("answer").first();

const HOSTILE = "<img src=x onerror=alert(1)>";

/** Towns with their numbers of people, read in two ways; the reading that is asked for comes first. */
function towns({ question, reading }) {
  const row = (key, name, people) => [{ key, name }, people && { name: people, datatype: "http://www.w3.org/2001/XMLSchema#integer" }];
  const many = Array.from({ length: 30 }, (_, at) => row(`t:${at}`, `Town ${at}`, String(9000 - at)));
  const rows = [row("t:a", "Twins", "12000"), row("t:b", "Twins", "11000"), row("t:c", HOSTILE, null), ...many];
  const readings = [
    { words: "the towns of Peru, the largest first", confidence: 0.41, unexplained: ["old", HOSTILE], sparql: "SELECT ?town WHERE {\n  ?town <people> ?n }", mends: ["No column is called size."] },
    { words: `the oldest towns of ${HOSTILE}`, confidence: 0.92, values: ["Caral", HOSTILE] },
  ];
  if (reading === 2) readings.reverse();
  const sure = reading === 2;
  return {
    workspace: "films", question, status: "answered", answer: "Twins, Twins", answers: ["Twins", "Twins"],
    table: { columns: ["town", ""], rows, ordered: true, left_out: 7 }, readings,
    trust: sure
      ? { values_held: true, values: "The values stand in the graph.", sureness: "sure", reading: "The reading is sure (0.92)." }
      : { values_held: true, values: "The values stand in the graph.", sureness: "doubtful", reading: "Whether the question means this is doubtful (0.41)." },
    cited: { text: "Twins, Twins", citations: [] }, markdown: "| # | town |", sentences: [], evidence: [], citations: [], notes: [],
    failures: ["The language model did not answer in time."],
    grounded: true, confidence: 0.5, method: "query", llm: "small",
    usage: { llm_calls: 1, prompt_tokens: 1, completion_tokens: 1, seconds: 0.1, by_stage: [] },
  };
}

/** Answers questions in the server's place, and keeps what was asked. */
async function answersWith(page, reply) {
  page.asked = [];
  await page.route("**/api/v1/ask", async (route) => {
    const question = route.request().postDataJSON();
    page.asked.push(question);
    await route.fulfill({ contentType: "text/event-stream", body: `event: answer\ndata: ${JSON.stringify(reply(question))}\n\n` });
  });
}

const tests = {
  async "a question is answered, with its story, evidence, graph and cost"() {
    const page = await open(base);
    await ask(page, "who directed the films with Rifka Lodeizen?");
    await answered(page).waitFor();
    assert.match(await answered(page).innerText(), /Boudewijn Koole/);
    await page.getByText("The values stand in the graph.").waitFor();
    await page.getByText(/^The reading is (fairly )?sure \(0\.\d\d\)\.$/).waitFor();
    assert.match(await page.getByTestId("cost").innerText(), /0 model calls.*paths/);
    await page.getByText("How it came about").click();
    await page.getByText("paths considered").waitFor();
    await page.getByText("How it came about").click();
    await page.locator(".canvas canvas").first().waitFor();
    const graph = await page.evaluate(() => {
      const { graph } = document.querySelector(".canvas");
      return { nodes: graph.nodes().map((n) => n.data("name")), anchors: graph.nodes(".anchor").length, answers: graph.nodes(".answer").length };
    });
    assert.ok(graph.nodes.includes("Rifka Lodeizen") && graph.nodes.includes("Paula van der Oest"), JSON.stringify(graph));
    assert.ok(graph.anchors === 1 && graph.answers === 2 && graph.nodes.length <= 6, JSON.stringify(graph));
    await picture(page, "page-answer");
    await isClean(page);
  },

  async "a citation, its sentence and its edge light up together"() {
    const page = await open(base);
    await ask(page, "who directed Kauwboy?");
    await answered(page).waitFor();
    await page.locator(".evidence li").first().waitFor();
    await page.locator(".canvas canvas").first().waitFor();
    await page.getByRole("button", { name: /^Citation 1/ }).click();
    const id = await page.locator(".evidence li.lit").getAttribute("data-evidence");
    const lit = await page.evaluate(() => document.querySelector(".canvas").graph.edges(".lit").map((e) => e.id()));
    assert.deepEqual(lit, [id]);
    assert.equal(await page.getByRole("button", { name: /^Citation 1/ }).getAttribute("aria-pressed"), "true");
  },

  async "the graph grows on request, and its entities can be looked at"() {
    const page = await open(base);
    await ask(page, "who directed Kauwboy?");
    await page.locator(".canvas canvas").first().waitFor();
    const count = () => page.evaluate(() => document.querySelector(".canvas").graph.nodes().length);
    const before = await count();
    await page.getByLabel("Node").selectOption({ label: "Kauwboy" });
    await page.getByRole("button", { name: "Show more around it" }).click();
    await page.getByText(/more around Kauwboy/).waitFor();
    assert.ok((await count()) > before);
    await page.getByRole("button", { name: "Look at it" }).click();
    const panel = page.getByLabel("Entity", { exact: true });
    await panel.getByRole("heading", { name: "Kauwboy" }).waitFor();
    await panel.getByRole("button", { name: "Rick Lens" }).click();
    await panel.getByRole("heading", { name: "Rick Lens" }).waitFor();
    await panel.getByLabel("Name of an entity").fill("tonyo");
    await panel.getByRole("button", { name: "Find" }).click();
    await panel.getByRole("button", { name: "Tonio" }).click();
    await panel.getByRole("heading", { name: "Tonio" }).waitFor();
    await picture(page, "page-entity", false);
    await isClean(page);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
  },

  async "work is shown as it happens, and can be stopped"() {
    const page = await open(base);
    await ask(page, "who directed Kauwboy?", { Method: "cot" });
    await page.getByText("At work").waitFor();
    await picture(page, "page-working");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped. The work at the server ended too.").waitFor();
    await isClean(page);
  },

  async "an abstention says why and what was tried"() {
    const page = await open(base);
    await ask(page, "who painted the ceiling of Xyzzyplugh?");
    await page.getByText(/^No answer:/).waitFor();
    await page.getByText("What was tried:").waitFor();
    await picture(page, "page-abstention");
    await isClean(page);
  },

  async "an answer that the graph does not hold is marked so"() {
    const page = await open(base);
    await ask(page, "who directed Kauwboy?", { Method: "io" });
    await page.getByText("The value is what the model says; no evidence confirms it.").waitFor();
    assert.equal(await page.locator(".good").count(), 0);
    await isClean(page);
  },

  async "passages are quoted with the words that matter marked, and nothing in them runs"() {
    const page = await open(base);
    page.on("dialog", () => page.complaints.push("a script of a document ran"));
    await ask(page, "which river flows through the old market?", { Workspace: "towns", Method: "text" });
    await answered(page).waitFor();
    assert.match(await answered(page).innerText(), /Orle/);
    const quoted = page.locator(".evidence blockquote").filter({ hasText: "Gorwen lies on an island" });
    await quoted.getByText("<img src=x onerror=alert(1)>").waitFor();
    const marked = await quoted.locator("mark").allInnerTexts();
    assert.ok(marked.includes("Orle") && marked.includes("river") && !marked.includes("island"), marked.join());
    await isClean(page);
  },

  async "a question that assumes something wrong is told so"() {
    const page = await open(base);
    await ask(page, "who was the last king of Haldt?", { Workspace: "towns", Method: "text" });
    await page.getByText(/^The question assumes something.*Haldt never had a king/).waitFor();
    await isClean(page);
  },

  async "values stand in a table, and a doubtful reading is never dressed up in green"() {
    const page = await open(base);
    page.on("dialog", () => page.complaints.push("a script of the graph's ran"));
    await answersWith(page, towns);
    await ask(page, "how many people live in the towns of Peru?");
    const table = answered(page).locator("table");
    await table.waitFor();
    assert.deepEqual(await table.locator("th").allInnerTexts(), ["#", "town", "value"]);
    const rows = await table.locator("tbody tr").allInnerTexts();
    const cells = rows.slice(0, 3).map((row) => row.split("\t").map((cell) => cell.replace(/\s+/g, " ").trim()));
    assert.deepEqual(cells[0], ["1", "Twins t:a", "12000"]);
    assert.deepEqual(cells[1], ["2", "Twins t:b", "11000"]);
    assert.deepEqual(cells[2].slice(0, 2), ["3", HOSTILE]);
    assert.match(cells[2][2], /^—/);
    assert.equal(rows.length, 25);
    await page.getByText("At least 7 more rows were found and left out.").waitFor();
    await page.getByRole("button", { name: "Show all 33 rows" }).click();
    assert.equal(await table.locator("tbody tr").count(), 33);
    // The list in the answer's words would say the same again.
    assert.equal(await answered(page).getByText("Twins, Twins").count(), 0);
    await page.getByText("Whether the question means this is doubtful (0.41).").waitFor();
    await page.getByText("The values stand in the graph.").waitFor();
    assert.equal(await page.locator(".good").count(), 0);
    await page.getByText("The language model did not answer in time.").waitFor();
    await page.getByText("I read this as: the towns of Peru, the largest first").waitFor();
    await page.getByText(`Not used: “old”, “${HOSTILE}”`).waitFor();
    assert.equal(await page.locator("img").count(), 0);
    await isClean(page);
  },

  async "the query behind an answer is shown on request"() {
    const page = await open(base);
    await answersWith(page, towns);
    await ask(page, "how many people live in the towns of Peru?");
    const query = page.getByText("SELECT ?town WHERE {");
    await query.waitFor({ state: "attached" });
    assert.equal(await query.isVisible(), false);
    await page.getByText("The query", { exact: true }).click();
    await query.waitFor({ state: "visible" });
    await page.getByText("Mended: No column is called size.").waitFor();
    await isClean(page);
  },

  async "another reading is asked for by its number, and back again"() {
    const page = await open(base);
    await answersWith(page, towns);
    await ask(page, "how many people live in the towns of Peru?");
    const others = page.getByLabel("Other readings");
    await others.getByText(`→ Caral, ${HOSTILE}`).waitFor();
    await others.getByRole("button", { name: `the oldest towns of ${HOSTILE}` }).click();
    await page.getByText("The reading is sure (0.92).").waitFor();
    assert.equal(await page.locator(".good").count(), 2);
    assert.match(page.url(), /reading=2/);
    await isClean(page);
    await others.getByRole("button", { name: "the towns of Peru, the largest first" }).click();
    await page.getByText("Whether the question means this is doubtful (0.41).").waitFor();
    assert.deepEqual(page.asked.map(({ reading }) => reading), [undefined, 2, 1]);
    assert.deepEqual(new Set(page.asked.map(({ question }) => question)), new Set(["how many people live in the towns of Peru?"]));
    await page.goto(page.url().replace("reading=1", "reading=2"));
    await page.reload();
    await page.getByText("The reading is sure (0.92).").waitFor();
  },

  async "a failure says what to do"() {
    const page = await open(broken);
    await page.getByText("There is no language model").waitFor();
    await ask(page, "who directed Kauwboy?", { Method: "io" });
    await page.getByRole("alert").getByText("Failed").waitFor();
    await page.getByText("quipu models pull").first().waitFor();
    await picture(page, "page-failure");
    await isClean(page);
  },

  async "a follow-up is understood from what was said before"() {
    const page = await open(base);
    await ask(page, "who directed Kauwboy?");
    await page.getByLabel("Follow-up question").fill("and where was he born?");
    await page.getByRole("button", { name: "Follow up" }).click();
    await page.getByText("Understood as: where was Boudewijn Koole born?").first().waitFor();
    assert.match(await answered(page).innerText(), /Leidschendam/);
    await page.getByText("who directed Kauwboy?").first().waitFor();
    await isClean(page);
  },

  async "a name that several bear can be put right"() {
    const page = await open(base);
    await ask(page, "who directed Twins?", { Workspace: "twins" });
    await page.getByLabel("Which entities were meant").locator("summary").click();
    await page.getByRole("button", { name: /^Ask about Twins/ }).first().click();
    await page.getByText(/you chose it/).waitFor();
    assert.match(await answered(page).innerText(), /Director (One|Two)/);
    await isClean(page);
  },

  async "two methods are compared side by side"() {
    const page = await open(base);
    await ask(page, "who directed Kauwboy?", { "Compare with": "io" });
    await page.getByText("The value stands in the graph.").waitFor();
    await page.getByText("The value is what the model says; no evidence confirms it.").waitFor();
    await picture(page, "page-compare");
    await isClean(page);
  },

  async "a question has an address, and is remembered and copied"() {
    const page = await open(`${base}/#q=who+directed+Tonio%3F&method=paths`);
    await answered(page).waitFor();
    assert.match(await answered(page).innerText(), /Paula van der Oest/);
    await page.getByRole("button", { name: "Copy as Markdown" }).click();
    await page.getByText("Markdown copied").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, /^\*\*who directed Tonio\?\*\*\n\nPaula van der Oest \[1\]\n\nI read this as: the directors of Tonio\. .*\n\n\[1\]: /);
    await page.getByRole("button", { name: "Copy as JSON" }).click();
    await page.getByText("JSON copied").waitFor();
    assert.deepEqual(JSON.parse(await page.evaluate(() => navigator.clipboard.readText())).answers, ["Paula van der Oest"]);
    await ask(page, "who directed Kauwboy?");
    await page.getByText(/Asked before/).click();
    await page.getByRole("button", { name: "who directed Kauwboy?" }).waitFor();
    await page.waitForURL(/q=who\+directed\+Kauwboy/);
  },

  async "a graph's text stays text"() {
    const page = await open(base);
    page.on("dialog", () => page.complaints.push("a script of the graph's ran"));
    await page.getByRole("button", { name: "Entities" }).click();
    await page.getByLabel("Name of an entity").fill("<script>alert(1)</script>");
    await page.getByRole("button", { name: "Find" }).click();
    await page.getByRole("button", { name: "<script>alert(1)</script>" }).click();
    await page.getByText("<img src=x onerror=alert(1)>").waitFor();
    assert.equal(await page.locator("img").count(), 0);
    await isClean(page);
  },

  async "a key is asked for where one is needed"() {
    const page = await open(keyed);
    await page.getByText("A key is needed").waitFor();
    await picture(page, "page-key");
    await isClean(page);
    await page.getByLabel("Key").fill("wrong");
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByText("not known").waitFor();
    await page.getByLabel("Key").fill("s3cret");
    await page.getByRole("button", { name: "Enter" }).click();
    await ask(page, "who directed Kauwboy?");
    assert.match(await answered(page).innerText(), /Boudewijn Koole/);
  },

  async "keys of the keyboard suffice"() {
    const page = await open(base);
    await page.getByLabel("Your question").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("who directed Kauwboy?");
    await page.keyboard.press("Enter");
    await answered(page).waitFor();
  },

  async "it fits a telephone, in the dark"() {
    const page = await open(base, { viewport: { width: 360, height: 740 }, colorScheme: "dark", isMobile: true });
    await ask(page, "who directed the films with Rifka Lodeizen?");
    await page.locator(".canvas canvas").first().waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 360, `${wide}`);
    await picture(page, "page-phone");
    await isClean(page);
    await answersWith(page, towns);
    await ask(page, "how many people live in the towns of Peru?");
    await answered(page).locator("table").waitFor();
    const wider = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wider <= 360, `${wider}`);
    await isClean(page);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log(`ok ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}\n${error.stack}`);
  }
}
await browser.close();
process.exit(failed ? 1 : 0);
