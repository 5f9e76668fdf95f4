// The page in a real Chromium, against the servers at the base URLs given: one that is open, one with a key, one without a model.
// The first holds the films of the Rust tests, lands with towns, and a workspace in the folder given last that a test removes; its
// model restates follow-ups, answers `io`, and is slow for `cot`.

import assert from "node:assert/strict";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { connect, createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { launch } from "./browser.mjs";

const [base, keyed, broken, vanishing] = process.argv.slice(2, 6);
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const browser = await launch();

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

async function ask(page, question, options = {}) {
  if (Object.keys(options).some((label) => label !== "Workspace")) {
    await page.locator(".more").evaluate((more) => (more.open = true));
  }
  for (const [label, value] of Object.entries(options)) await page.getByLabel(label, { exact: true }).selectOption(value);
  await page.getByLabel("Your question").fill(question);
  await page.getByRole("button", { name: "Ask", exact: true }).click();
}

/** What the graph shows, and which of its texts and boxes lie on others. */
async function drawn(page) {
  await page.locator(".graph .node").first().waitFor();
  return page.evaluate(() => {
    const all = (selector) => [...document.querySelectorAll(`.graph ${selector}`)];
    // Corners as they are seen: what is turned lies within its own box, not within an upright one.
    const corners = (element) => {
      const { x, y, width, height } = element.getBBox();
      const matrix = element.getScreenCTM();
      return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]].map(([a, b]) => {
        const { x: east, y: south } = new DOMPoint(a, b).matrixTransform(matrix);
        return [east, south];
      });
    };
    const boxes = [...all(".node rect"), ...all(".edge-label text")].map((element) => ({
      name: element.parentElement.dataset.name ?? element.textContent,
      box: corners(element),
    }));
    // Two boxes are apart where a side of one has all of the other beyond it.
    const apart = (one, other) =>
      one.some(([x, y], at) => {
        const [u, v] = one[(at + 1) % 4];
        const [east, south] = [v - y, x - u];
        const length = Math.hypot(east, south) || 1;
        const along = (box) => box.map(([a, b]) => (a * east + b * south) / length);
        const [here, there] = [along(one), along(other)];
        return Math.max(...here) <= Math.min(...there) + 1 || Math.max(...there) <= Math.min(...here) + 1;
      });
    const lies = ({ box: a }, { box: b }) => !apart(a, b) && !apart(b, a);
    const overlaps = boxes.flatMap((one, at) => boxes.slice(at + 1).filter((other) => lies(one, other)).map((other) => `${one.name} / ${other.name}`));
    // An arrowhead within a box is hidden by it.
    const hidden = all(".edge").filter((edge) => {
      const { x, y } = edge.getPointAtLength(edge.getTotalLength());
      const end = new DOMPoint(x, y).matrixTransform(edge.getScreenCTM());
      return all(".node rect").some((rect) => {
        const { x: left, y: top, width, height } = rect.getBBox();
        const at = end.matrixTransform(rect.getScreenCTM().inverse());
        const inside = (value, from, length) => value > from + 2 && value < from + length - 2;
        return inside(at.x, left, width) && inside(at.y, top, height);
      });
    });
    return {
      hidden: hidden.map((edge) => edge.dataset.edge),
      nodes: all(".node").map((node) => node.dataset.name),
      anchors: all(".node.anchor").length,
      answers: all(".node.answer").length,
      path: all(".edge.path").length,
      labels: all(".edge-label").length,
      overlaps,
    };
  });
}

const answered = (page) => page.getByTestId("answer").first();

const HOSTILE = "<img src=x onerror=alert(1)>";

/** Towns with their numbers of people, read in two ways; the reading that is asked for comes first. */
function towns({ question, reading }) {
  const row = (key, name, people) => [{ key, name }, people && { name: people, datatype: "http://www.w3.org/2001/XMLSchema#integer" }];
  const many = Array.from({ length: 30 }, (_, at) => row(`t:${at}`, `Town ${at}`, String(9000 - at)));
  const rows = [row("t:a", "Twins", "12000"), row("t:b", "Twins", "11000"), row("t:c", HOSTILE, null), ...many];
  const readings = [
    { words: "the towns of Peru, the largest first", confidence: 0.41, unexplained: ["old", HOSTILE], sparql: "SELECT ?town WHERE {\n  ?town <people> ?n }", mends: ["No column is called size.", `1 more row ties ${HOSTILE}`], remarks: [`1 more row ties ${HOSTILE}`] },
    { words: `the oldest towns of ${HOSTILE}`, confidence: 0.92, values: ["Caral", HOSTILE] },
  ];
  if (reading === 2) readings.reverse();
  const sure = reading === 2;
  return {
    workspace: "films", question, status: "answered", answer: "Twins, Twins", answers: ["Twins", "Twins"],
    table: { columns: ["town", ""], rows, ordered: true, left_out: 7 }, readings,
    trust: sure
      ? { values_held: true, values: "The values stand in the graph.", sureness: "sure", reading: "The reading is sure (0.92)." }
      : { values_held: true, values: "The values stand in the graph.", sureness: "doubtful", reading: "The reading is doubtful (0.41)." },
    cited: { text: "Twins, Twins", citations: [] }, markdown: "| # | town |", sentences: [], evidence: [], citations: [], notes: [],
    failures: ["The language model did not answer in time."],
    grounded: true, confidence: 0.5, method: "query", llm: "small",
    usage: { llm_calls: 1, prompt_tokens: 1, completion_tokens: 1, seconds: 0.1, by_stage: [] },
  };
}

const number = (name) => ({ name, datatype: "http://www.w3.org/2001/XMLSchema#integer" });

/** Values as the server shows them, in one column of entities and others. */
function values(question, columns, rows, more = {}) {
  const names = rows.map(([first]) => first.name);
  const evidence = more.evidence ?? [];
  return {
    ...towns({ question, reading: 2 }), answer: names.join(", "), answers: names, failures: [],
    table: { columns: [columns[0].title], rows: rows.map(([first]) => [first]), ordered: false, left_out: 0 },
    shown: { columns, rows, ordered: false, left_out: 0, places: more.places ?? [] },
    cited: { text: names.join(", "), citations: evidence.map(({ id }, at) => ({ number: at + 1, id, sentence: id })) },
    evidence, sentences: evidence.map(({ id }) => id), citations: evidence.map(({ id }) => id),
  };
}

const LANDS = ["Aria", "Boria", "Coria", "Doria"].map((name) => ({ key: `l:${name}`, name }));
const entity = { title: "land", kind: "entity" };

/** A way through the server that can be cut and opened again, as a server that is started anew. */
async function gate(target) {
  const { hostname, port } = new URL(target);
  const open = new Set();
  const listen = (at) =>
    new Promise((listening) => {
      const server = createServer((client) => {
        const beyond = connect(Number(port), hostname);
        for (const socket of [client, beyond]) {
          open.add(socket);
          socket.on("error", () => undefined);
          socket.on("close", () => (open.delete(socket), client.destroy(), beyond.destroy()));
        }
        client.pipe(beyond).pipe(client);
      });
      server.listen(at, "127.0.0.1", () => listening(server));
    });
  let server = await listen(0);
  const at = server.address().port;
  return {
    url: `http://127.0.0.1:${at}`,
    async cut() {
      const closed = new Promise((done) => server.close(done));
      open.forEach((socket) => socket.destroy());
      await closed;
    },
    async restore() {
      server = await listen(at);
    },
  };
}

/** Answers questions in the server's place, and keeps what was asked. */
async function answersWith(page, reply) {
  page.asked = [];
  await page.route("**/api/v1/ask", async (route) => {
    const question = route.request().postDataJSON();
    page.asked.push(question);
    const { events = [], ...answer } = reply(question);
    const told = [...events.map((event) => ["trace", event]), ["answer", answer]];
    const body = told.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join("");
    await route.fulfill({ contentType: "text/event-stream", body });
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
    await page.getByText("Steps to the answer").click();
    await page.getByText("paths considered").waitFor();
    await page.getByText("Steps to the answer").click();
    const graph = await drawn(page);
    assert.ok(graph.nodes.includes("Rifka Lodeizen") && graph.nodes.includes("Paula van der Oest"), JSON.stringify(graph));
    assert.ok(graph.anchors === 1 && graph.answers === 2 && graph.nodes.length <= 6, JSON.stringify(graph));
    // The way from the question's entity to the answers is told apart, and no label lies on another.
    assert.ok(graph.path >= 4, JSON.stringify(graph));
    assert.deepEqual(graph.overlaps, []);
    assert.deepEqual(graph.hidden, []);
    await isClean(page);
  },

  async "a citation, its sentence and its edge light up together"() {
    const page = await open(base);
    await ask(page, "who directed Kauwboy?");
    await answered(page).waitFor();
    await page.locator(".evidence li").first().waitFor();
    await page.getByRole("button", { name: /^Citation 1/ }).click();
    const id = await page.locator(".evidence li.lit").getAttribute("data-evidence");
    assert.equal(await page.locator(".edge.lit").getAttribute("data-edge"), id);
    assert.match(await page.locator(".edge.lit").getAttribute("marker-end"), /arrow-lit/);
    assert.equal(await page.getByRole("button", { name: /^Citation 1/ }).getAttribute("aria-pressed"), "true");
  },

  async "the graph grows on request, and its entities can be looked at"() {
    const page = await open(base);
    await ask(page, "who directed Kauwboy?");
    await page.locator(".node").first().waitFor();
    const before = await drawn(page);
    await page.getByRole("button", { name: "Show more around Kauwboy" }).click();
    await page.getByText(/\d more neighbours of Kauwboy/).waitFor();
    const after = await drawn(page);
    assert.ok(after.nodes.length > before.nodes.length);
    assert.deepEqual(after.overlaps, []);
    assert.deepEqual(after.hidden, []);
    await page.getByRole("button", { name: "Look at Kauwboy" }).click();
    const panel = page.getByLabel("Entity", { exact: true });
    await panel.getByRole("heading", { name: "Kauwboy" }).waitFor();
    await panel.getByRole("button", { name: "Rick Lens" }).click();
    await panel.getByRole("heading", { name: "Rick Lens" }).waitFor();
    await panel.getByLabel("Name of an entity").fill("tonyo");
    await panel.getByRole("button", { name: "Find" }).click();
    await panel.getByRole("button", { name: "Tonio" }).click();
    await panel.getByRole("heading", { name: "Tonio" }).waitFor();
    await isClean(page);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
  },

  async "work is shown as it happens, and can be stopped"() {
    const page = await open(base);
    await ask(page, "who directed Kauwboy?", { Method: "cot" });
    await page.getByText("At work").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped, on the server too.").waitFor();
    await isClean(page);
  },

  async "an abstention says why and what was tried"() {
    const page = await open(base);
    await ask(page, "who painted the ceiling of Xyzzyplugh?");
    await page.getByText(/^No answer:/).waitFor();
    await page.getByText("Attempts:").waitFor();
    await isClean(page);
  },

  async "an answer that the graph does not hold is marked so"() {
    const page = await open(base);
    await ask(page, "who directed Kauwboy?", { Method: "io" });
    await page.getByText("The value is from the model alone; no evidence confirms it.").waitFor();
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
    assert.deepEqual(cells[0], ["1", "Twins t:a", "12,000"]);
    assert.deepEqual(cells[1], ["2", "Twins t:b", "11,000"]);
    assert.deepEqual(cells[2].slice(0, 2), ["3", HOSTILE]);
    assert.match(cells[2][2], /^—/);
    assert.equal(rows.length, 25);
    await page.getByText("At least 7 more rows were found and left out.").waitFor();
    await page.getByRole("button", { name: "Show all 33 rows" }).click();
    assert.equal(await table.locator("tbody tr").count(), 33);
    // The list in the answer's words would say the same again.
    assert.equal(await answered(page).getByText("Twins, Twins").count(), 0);
    await page.getByText("The reading is doubtful (0.41).").waitFor();
    await page.getByText("The values stand in the graph.").waitFor();
    assert.equal(await page.locator(".good").count(), 0);
    await page.getByText("The language model did not answer in time.").waitFor();
    await page.getByText("I read this as: the towns of Peru, the largest first").waitFor();
    await page.getByText(`Not used: “old”, “${HOSTILE}”`).waitFor();
    await page.getByText(`Note: 1 more row ties ${HOSTILE}`).waitFor();
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
    await page.getByText("The reading is doubtful (0.41).").waitFor();
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
    await page.getByLabel("Chosen entities").locator("summary").click();
    await page.getByRole("button", { name: /^Ask about Twins/ }).first().click();
    await page.getByText(/you chose it/).waitFor();
    assert.match(await answered(page).innerText(), /Director (One|Two)/);
    await isClean(page);
  },

  async "two methods are compared side by side"() {
    const page = await open(base);
    await ask(page, "who directed Kauwboy?", { "Compare with": "io" });
    await page.locator(".badge").getByText("The value stands in the graph.").waitFor();
    await page.locator(".badge").getByText("The value is from the model alone; no evidence confirms it.").waitFor();
    const differences = page.getByLabel("Differences", { exact: true });
    await differences.getByText("The answers differ").waitFor();
    await differences.getByText("Only paths: Boudewijn Koole").waitFor();
    await differences.getByText("Only io: Somebody Else").waitFor();
    await isClean(page);
  },

  async "a question has an address, and is remembered and copied"() {
    const page = await open(`${base}/#q=who+directed+Tonio%3F&method=paths`);
    await answered(page).waitFor();
    assert.match(await answered(page).innerText(), /Paula van der Oest/);
    await page.getByRole("button", { name: "Copy as Markdown" }).click();
    await page.getByText("Markdown copied").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, /^\*\*who directed Tonio\?\*\*\n\nPaula van der Oest \[1\]\n\nI read this as: .*Tonio.*\. .*\n\n\[1\]: /);
    await page.getByRole("button", { name: "Copy as JSON" }).click();
    await page.getByText("JSON copied").waitFor();
    assert.deepEqual(JSON.parse(await page.evaluate(() => navigator.clipboard.readText())).answers, ["Paula van der Oest"]);
    await ask(page, "who directed Kauwboy?");
    await page.getByText(/Recent questions/).click();
    await page.getByRole("button", { name: "who directed Kauwboy?" }).waitFor();
    await page.waitForURL(/q=who\+directed\+Kauwboy/);
  },

  async "a graph's text stays text"() {
    const page = await open(base);
    page.on("dialog", () => page.complaints.push("a script of the graph's ran"));
    await page.getByRole("link", { name: "Explore" }).click();
    await page.getByRole("button", { name: "Find an entity" }).click();
    await page.getByLabel("Name of an entity").fill("<script>alert(1)</script>");
    await page.getByRole("button", { name: "Find", exact: true }).click();
    await page.getByRole("button", { name: "<script>alert(1)</script>" }).click();
    await page.getByText("<img src=x onerror=alert(1)>").waitFor();
    assert.equal(await page.locator("img").count(), 0);
    await isClean(page);
  },

  async "a key is asked for where one is needed"() {
    const page = await open(keyed);
    await page.getByText("A key is needed").waitFor();
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
    await page.locator(".node").first().waitFor();
    // The question's field goes with the page, and covers no answer.
    const field = page.getByLabel("Your question");
    await answered(page).evaluate((answer) => answer.scrollIntoView({ block: "start" }));
    const [over, under] = [await field.boundingBox(), await answered(page).boundingBox()];
    assert.ok(over.y + over.height <= under.y, JSON.stringify([over, under]));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 360, `${wide}`);
    await isClean(page);
    await answersWith(page, towns);
    await ask(page, "how many people live in the towns of Peru?");
    await answered(page).locator("table").waitFor();
    const wider = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wider <= 360, `${wider}`);
    await isClean(page);
  },

  async "the start shows what the graph holds and questions that it answers"() {
    const page = await open(`${base}/#`);
    await page.getByLabel("Workspace").selectOption("lands");
    const held = page.getByLabel("Contents of the graph");
    await held.getByRole("button", { name: "Rows of town" }).waitFor();
    assert.match(await held.innerText(), /entities of 2 types/);
    assert.match(await held.locator(".node").filter({ hasText: "town" }).first().textContent(), /4/);
    assert.ok((await held.locator(".edge").count()) >= 2);
    const questions = page.getByLabel("Example questions").getByRole("button");
    await page.getByText("Trying questions on the graph…").waitFor({ state: "detached", timeout: 60000 });
    assert.ok((await questions.count()) >= 3, await page.locator(".starters").innerText());
    await isClean(page);
    await questions.first().click();
    await answered(page).waitFor();
    await page.getByText(/^The reading is sure/).waitFor();
    assert.match(await page.getByTestId("cost").innerText(), /^0 model calls/);
    await page.getByRole("link", { name: "Quipu" }).click();
    await page.getByLabel("Recent questions").getByRole("button").first().waitFor();
    await held.getByRole("button", { name: "Rows of town" }).click();
    await page.getByLabel("Rows of town").getByRole("button", { name: "Oldham" }).waitFor();
  },

  async "types, their rows and relations are explored"() {
    const page = await open(`${base}/#explore`);
    await page.getByLabel("Workspace").selectOption("lands");
    await page.getByLabel("Types").getByRole("button", { name: /^town/ }).click();
    const rows = page.getByLabel("Rows of town");
    await rows.getByRole("button", { name: "population" }).click();
    await rows.locator("th[aria-sort=descending]").waitFor();
    await page.waitForFunction(() => document.querySelector("section[aria-label='Rows of town'] tbody tr")?.textContent.includes("Quern"));
    assert.match(await rows.locator("tbody tr").first().innerText(), /45,000/);
    await page.getByRole("button", { name: /^twin town/ }).click();
    await page.getByRole("heading", { name: "twin town" }).waitFor();
    assert.match(await page.getByLabel("Relations").innerText(), /currency\s+2/);
    await isClean(page);
  },

  async "SPARQL gives a table and CSV, and says what is wrong"() {
    const page = await open(`${base}/#sparql`);
    await page.getByLabel("Query").fill("SELECT ?film ?year WHERE { ?film <urn:quipu:release_year> ?year }");
    await page.getByLabel("Query").fill("SELECT (1 AS ?one) (\"<b>\" AS ?two) {}");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("1 row").waitFor();
    assert.deepEqual(await page.locator(".sparql td").allInnerTexts(), ["1", "<b>"]);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as CSV" }).click()]);
    assert.equal(readFileSync(await download.path(), "utf8").replaceAll("\r", ""), "one,two\n1,<b>\n");
    await isClean(page);
    await page.getByLabel("Query").fill("SELECT nothing");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Query").fill("ASK { ?a ?b ?c }");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("yes", { exact: true }).waitFor();
  },

  async "numbers have separators and units, the values that decided stand beside, and columns sort"() {
    const page = await open(base);
    const people = { title: "people", kind: "number", decided: true };
    const area = { title: "area", kind: "number", unit: "km²" };
    const code = { title: "code", kind: "number", plain: true };
    const cells = [["31000000", "1285216", "51000"], ["9500", "92", "1000"], ["120000", "17.5", "2"], ["7", "3", "1"]];
    const rows = LANDS.map((land, at) => [land, ...cells[at].map(number)]);
    const evidence = [{ id: "e1", kind: "triple", source: "films", head: "Boria", relation: "people", tail: "9500", keys: ["l:Boria", "p", "9500"] }];
    await answersWith(page, ({ question }) => values(question, [entity, people, area, code], rows, { evidence }));
    await ask(page, "which lands are the largest?");
    const table = answered(page).locator("table");
    const first = async () => (await table.locator("tbody tr").first().innerText()).split("\t").map((cell) => cell.trim());
    await table.waitFor();
    assert.deepEqual(await first(), ["Aria", "31,000,000", "1,285,216 km²", "51000"]);
    await answered(page).getByRole("button", { name: "Citation 1: e1" }).waitFor();
    await table.getByRole("button", { name: "people" }).click();
    assert.equal((await first())[0], "Aria");
    await table.getByRole("button", { name: "people" }).click();
    assert.equal((await first())[0], "Doria");
    assert.equal(await table.locator("th").nth(1).getAttribute("aria-sort"), "ascending");
    await table.getByRole("button", { name: "land" }).click();
    assert.equal((await first())[0], "Aria");
    await page.locator("[data-chart=bars] .bar").first().waitFor();
    const widths = await page.locator("[data-chart=bars] .bar").evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
    assert.ok(widths[0] > 100 * widths[1] && widths.length === 4, widths.join());
    await isClean(page);
  },

  async "a number alone is large, with separators and its unit"() {
    const page = await open(base);
    await answersWith(page, ({ question }) => values(question, [{ title: "area", kind: "number", unit: "km²" }], [[number("1285216")]]));
    await ask(page, "how large is Peru?");
    await answered(page).getByText("1,285,216 km²").waitFor();
    assert.ok(parseFloat(await answered(page).locator("p").evaluate((text) => getComputedStyle(text).fontSize)) >= 24);
  },

  async "a date and a number make a line, dates a timeline, coordinates a map"() {
    const page = await open(base);
    const year = { title: "year", kind: "date", plain: true };
    const people = { title: "people", kind: "number" };
    const dated = ["1301-04-02", "1502-01-20", "1650-06-06", "1800-12-31"];
    const places = LANDS.map(({ key, name }, at) => ({ id: key, name, latitude: 10 * at - 20, longitude: 40 * at - 80 }));
    // Just beside another one: its name must not lie on that place, nor the other's on it.
    const beside = { id: "l:beside", name: "Beside Doria", latitude: 10.2, longitude: 41 };
    const replies = {
      line: (question) => values(question, [year, people], [["1900", "10"], ["1950", "40"], ["2000", "25"]].map((row) => row.map(number))),
      dates: (question) => values(question, [entity, { title: "founded", kind: "date" }], LANDS.map((land, at) => [land, { name: dated[at] }])),
      many: (question) =>
        values(question, [entity, { title: "founded", kind: "date" }], Array.from({ length: 40 }, (_, at) => [{ key: `t:${at}`, name: `Town ${at}` }, { name: `${1900 + 2 * at}-05-01` }])),
      long: (question) =>
        values(question, [entity, people], Array.from({ length: 40 }, (_, at) => [{ key: `t:${at}`, name: `Town ${at}` }, number(String(at + 1))])),
      decided: (question) =>
        values(question, [entity, { title: "rank", kind: "number" }, { ...people, decided: true }], LANDS.map((land, at) => [land, number(String(9 - at)), number(String(100 * at + 1))])),
      map: (question) => values(question, [entity], LANDS.map((land) => [land]), { places: [...places, beside] }),
    };
    await answersWith(page, ({ question }) => replies[question](question));
    await ask(page, "line");
    await page.locator("[data-chart=line] polyline").waitFor();
    assert.equal(await page.locator("[data-chart=line] .dot").count(), 3);
    await isClean(page);
    await ask(page, "dates");
    await page.locator("[data-chart=dates] .dot").first().waitFor();
    const places_ = await page.locator("[data-chart=dates] .dot").evaluateAll((dots) => dots.map((dot) => dot.getBoundingClientRect().x));
    assert.ok(places_.every((x, at) => at === 0 || x > places_[at - 1]), places_.join());
    await isClean(page);
    // Many dates are counted by periods, and of many numbers the greatest are drawn.
    await ask(page, "many");
    const bars = page.locator("[data-chart=bars]");
    await bars.getByText("Number by founded").waitFor();
    const counts = (await bars.locator("text.note").allTextContents()).map(Number);
    assert.ok(counts.length <= 12 && counts.reduce((sum, count) => sum + count) === 40, counts.join());
    await ask(page, "long");
    await bars.getByText("The 30 greatest of 40").waitFor();
    assert.equal(await bars.locator(".bar").count(), 30);
    assert.match(await bars.locator("text").first().textContent(), /Town 39/);
    await isClean(page);
    // Of several numbers, those that decided the rows.
    await ask(page, "decided");
    await page.locator("[data-chart=bars][aria-label^='Bars of people']").waitFor();
    await ask(page, "map");
    const map = page.locator("[data-chart=map]");
    await map.getByRole("button", { name: "Look at Doria" }).waitFor();
    assert.ok((await map.locator(".land").first().getAttribute("d")).length > 10000);
    const boxes = await map.locator(".place").evaluateAll((found) =>
      found.map((place) => [place.querySelector("circle"), place.querySelector("text")].map((part) => part?.getBoundingClientRect().toJSON())),
    );
    const onDot = boxes.filter(([, text], at) =>
      boxes.some(([dot], other) => text && other !== at && text.left < dot.right && dot.left < text.right && text.top < dot.bottom && dot.top < text.bottom),
    );
    assert.deepEqual(onDot, []);
    const dots = await map.locator(".place circle").evaluateAll((found) => found.slice(0, 4).map((dot) => dot.getBoundingClientRect()).map(({ x, y }) => [x, y]));
    assert.ok(dots.every(([x, y], at) => at === 0 || (x > dots[at - 1][0] && y < dots[at - 1][1])), JSON.stringify(dots));
    await isClean(page);
  },

  async "what is asked about and is the answer is drawn as the answer"() {
    const page = await open(base);
    const evidence = [{ id: "e", kind: "triple", source: "films", head: "Boria", relation: "people", tail: "9500", keys: ["l:Boria", "p", "9500"] }];
    const mentions = ["Aria", "Boria"].map((name) => ({ text: name, candidates: [{ name, reason: "its name" }] }));
    const events = [{ stage: "link", at: 0, event: "linked", mentions }];
    await answersWith(page, ({ question }) => ({ ...values(question, [entity], [[LANDS[1]]], { evidence }), events }));
    await ask(page, "which has more people, Aria or Boria?");
    const graph = await drawn(page);
    assert.deepEqual([graph.nodes, graph.anchors, graph.answers], [["Boria", "9500"], 0, 1]);
  },

  async "two hundred nodes are drawn at once, and none lies on another"() {
    const page = await open(base);
    const star = { key: "l:Aria", name: "Aria" };
    await answersWith(page, ({ question }) => ({
      ...values(question, [entity], [[star]], {
        evidence: [{ id: "e", kind: "triple", source: "films", head: "Aria", relation: "near", tail: "Boria", keys: ["l:Aria", "near", "l:Boria"] }],
      }),
    }));
    let asked = 0;
    await page.route("**/api/v1/neighbourhood**", async (route) => {
      asked += 1;
      const neighbours = Array.from({ length: 12 }, (_, at) => ({ id: `t:${asked}:${at}`, name: `Town ${asked} of ${at}` }));
      await route.fulfill({ json: { relations: [{ id: "r", relation: `relation ${asked}`, direction: "forward", neighbours }] } });
    });
    await ask(page, "what is near Aria?");
    await page.locator(".graph .node").first().waitFor();
    const node = (name) => page.getByRole("button", { name: `Show more around ${name}`, exact: true });
    for (let at = 0; at < 17; at += 1) {
      const grown = page.locator(".graph .node").nth(2 + 12 * at);
      await node("Aria").dispatchEvent("click");
      await grown.waitFor({ state: "attached" });
    }
    const graph = await drawn(page);
    assert.ok(graph.nodes.length >= 200, `${graph.nodes.length}`);
    assert.deepEqual(graph.overlaps, []);
    assert.deepEqual(graph.hidden, []);
    // One label for each bundle of like edges.
    assert.equal(graph.labels, 18);
    const slow = await page.evaluate(async () => {
      const canvas = document.querySelector(".graph .canvas");
      let longest = 0;
      let before = performance.now();
      for (let frame = 0; frame < 30; frame += 1) {
        canvas.scrollTop += 20;
        await new Promise(requestAnimationFrame);
        longest = Math.max(longest, performance.now() - before);
        before = performance.now();
      }
      return longest;
    });
    assert.ok(slow < 1000, `a frame took ${slow} ms`);
    await isClean(page);
  },

  async "each method has a sentence, and model calls can be limited"() {
    const page = await open(base);
    await answersWith(page, towns);
    await page.getByText("More", { exact: true }).click();
    for (const method of ["auto", "kerag", "react"]) {
      await page.getByLabel("Method", { exact: true }).selectOption(method);
      const sentence = await page.locator(".choice p").first().innerText();
      assert.ok(sentence.length > 20, `${method}: ${sentence}`);
    }
    const untold = await page.getByLabel("Method", { exact: true }).locator("> option").allInnerTexts();
    assert.deepEqual(untold, [], "methods without a sentence");
    await page.getByLabel("Model call limit").fill("3");
    await ask(page, "how many people live in the towns of Peru?");
    await answered(page).waitFor();
    assert.deepEqual([page.asked[0].method, page.asked[0].max_llm_calls], ["react", 3]);
    await isClean(page);
  },

  async "a planner can replace a paper's plan, and stays with the question"() {
    const page = await open(base);
    await answersWith(page, (question) => ({ ...towns(question), method: question.method }));
    const method = page.getByLabel("Method", { exact: true });
    const planner = page.getByLabel("Planner", { exact: true });
    const values = (list) =>
      list.locator("option").evaluateAll((options) => options.map(({ value }) => value));
    await page.getByText("More", { exact: true }).click();
    // Each method stands once. Only published methods take a planner.
    const methods = await values(method);
    assert.equal(new Set(methods).size, methods.length);
    assert.deepEqual(methods.filter((name) => name.includes("+")), []);
    const takes = [];
    for (const name of methods) {
      await method.selectOption(name);
      if (await planner.count()) takes.push(name);
    }
    assert.deepEqual(takes, ["kerag", "anchor", "pseudo", "hybrid", "verify"]);
    await method.selectOption("kerag");
    const planners = ["published", "paths", "query"];
    assert.deepEqual(await planner.locator("option").allInnerTexts(), planners);
    for (const name of planners) {
      await planner.selectOption({ label: name });
      const choice = page.locator(".choice").filter({ has: planner });
      const sentence = await choice.locator("p").innerText();
      assert.ok(sentence.length > 20, `${name}: ${sentence}`);
    }
    // Another published method keeps the planner.
    await planner.selectOption({ label: "paths" });
    await method.selectOption("anchor");
    assert.equal(await planner.inputValue(), "anchor + paths");
    await method.selectOption("kerag");
    await isClean(page);
    await ask(page, "how many people live in the towns of Peru?");
    await answered(page).waitFor();
    assert.equal(page.asked[0].method, "kerag + paths");
    assert.match(await page.getByTestId("cost").innerText(), / · kerag \+ paths · /);
    const address = new URLSearchParams(new URL(page.url()).hash.slice(1));
    assert.equal(address.get("method"), "kerag + paths");
    // The address and the recent questions bring the pair back.
    await page.reload();
    await answered(page).waitFor();
    assert.equal(page.asked[1].method, "kerag + paths");
    assert.equal(await method.inputValue(), "kerag");
    assert.equal(await planner.inputValue(), "kerag + paths");
    await page.getByRole("link", { name: "Quipu" }).click();
    await page.getByText("More", { exact: true }).click();
    await method.selectOption("io");
    const recent = page.getByLabel("Recent questions");
    await recent.getByText("kerag + paths").waitFor();
    await recent.getByRole("button", { name: "how many people live" }).click();
    await answered(page).waitFor();
    assert.equal(page.asked[2].method, "kerag + paths");
    assert.equal(await planner.inputValue(), "kerag + paths");
    // The same method by its own plan and by ours.
    await page.getByLabel("Compare with", { exact: true }).selectOption("kerag");
    const other = page.getByLabel("Its planner", { exact: true });
    assert.deepEqual(await other.locator("option").allInnerTexts(), ["published", "query"]);
    await ask(page, "how many people live in the towns of Peru?");
    const differences = page.getByLabel("Differences", { exact: true });
    await differences.getByText("The answers are the same").waitFor();
    const pairs = ["kerag + paths", "kerag"];
    assert.deepEqual(await differences.locator("th").allInnerTexts(), ["aspect", ...pairs]);
    assert.deepEqual(page.asked.slice(3).map((question) => question.method), pairs);
    await isClean(page);
    // A pair is not compared with itself.
    await planner.selectOption({ label: "published" });
    assert.equal(await page.getByLabel("Compare with", { exact: true }).inputValue(), "");
  },

  async "a page goes on when the server comes back"() {
    const way = await gate(base);
    const page = await open(way.url);
    await page.getByLabel("Contents of the graph").locator(".node").first().waitFor();
    await way.cut();
    await page.getByText("The server does not answer.").waitFor({ timeout: 15000 });
    await isClean(page);
    await ask(page, "who directed Kauwboy?");
    await page.getByText("The question is asked again when it is back.").waitFor();
    await way.restore();
    await answered(page).waitFor({ timeout: 15000 });
    assert.match(await answered(page).innerText(), /Boudewijn Koole/);
    assert.equal(await page.getByText("The server does not answer.").count(), 0);
    // In the midst of an answer, too.
    await ask(page, "who directed Tonio?", { Method: "cot" });
    await page.getByText("At work").waitFor();
    await way.cut();
    await page.getByText("The question is asked again when it is back.").waitFor();
    await way.restore();
    await page.getByText("The server does not answer.").waitFor({ state: "detached", timeout: 15000 });
    await page.getByText("At work").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await way.cut();
  },

  async "a workspace that disappears is said"() {
    const page = await open(base);
    await page.getByLabel("Workspace").selectOption("vanishing");
    await ask(page, "who directed Kauwboy?");
    await answered(page).waitFor();
    // The server may write a file meanwhile.
    rmSync(vanishing, { recursive: true, maxRetries: 10, retryDelay: 100 });
    await ask(page, "who directed Tonio?");
    await page.getByRole("alert").filter({ hasText: "the workspace vanishing is missing" }).first().waitFor();
    await page.getByText("the server then opens it by itself").waitFor();
    // Without a question, too.
    await page.locator("main > .badge.failed").waitFor({ timeout: 25000 });
    await isClean(page);
  },

  async "without JavaScript a form asks and HTML answers"() {
    const page = await open(base, { javaScriptEnabled: false });
    await page.locator("noscript input[name=question]").fill("who directed Kauwboy?");
    await page.locator("noscript button").click();
    await page.locator(".answer").waitFor();
    assert.equal(await page.locator(".answer").innerText(), "Boudewijn Koole");
    await page.getByText("Kauwboy – directed by – Boudewijn Koole").waitFor();
    await page.getByLabel("Your question").fill("who directed <script>alert(1)</script>?");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByText("<img src=x onerror=alert(1)>").first().waitFor();
    assert.equal(await page.locator("script, img").count(), 0);
    const locked = await open(`${keyed}/plain`, { javaScriptEnabled: false });
    await locked.getByLabel("Your question").fill("who directed Kauwboy?");
    await locked.getByLabel("Key").fill("s3cret");
    await locked.getByRole("button", { name: "Ask", exact: true }).click();
    assert.equal(await locked.locator(".answer").innerText(), "Boudewijn Koole");
    // The same page where axe can run.
    const plain = await open(`${base}/plain`);
    await plain.getByLabel("Your question").fill("who directed Kauwboy?");
    await plain.getByRole("button", { name: "Ask", exact: true }).click();
    await plain.locator(".answer").waitFor();
    await isClean(plain);
  },

  async "the page is small"() {
    const dist = fileURLToPath(new URL("../dist", import.meta.url));
    const files = readdirSync(dist).filter((name) => !name.startsWith("."));
    const bytes = files.map((name) => gzipSync(readFileSync(`${dist}/${name}`)).length).reduce((sum, size) => sum + size, 0);
    assert.ok(bytes > 0 && bytes < 400 * 1024, `${bytes} bytes`);
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
