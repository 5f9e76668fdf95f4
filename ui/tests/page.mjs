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

const tests = {
  async "a question is answered, with its story, evidence, graph and cost"() {
    const page = await open(base);
    await ask(page, "who directed the films with Rifka Lodeizen?");
    await answered(page).waitFor();
    assert.match(await answered(page).innerText(), /Boudewijn Koole/);
    await page.getByText("Grounded: every value stands in the evidence").waitFor();
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
    await page.getByText(/^Not grounded:/).waitFor();
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
    await page.getByText(/^Grounded:/).waitFor();
    await page.getByText(/^Not grounded:/).waitFor();
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
    assert.match(copied, /^\*\*who directed Tonio\?\*\*\n\nPaula van der Oest \[1\]\n\n\[1\]: /);
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
