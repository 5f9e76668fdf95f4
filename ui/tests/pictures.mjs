// Pictures of the page's states for the documentation: `node pictures.mjs BASE FOLDER [NAME...]`, where
// BASE serves the demo graph alone; without names it takes all.

import { statSync, writeFileSync } from "node:fs";
import { launch } from "./browser.mjs";

const [base, folder, ...wanted] = process.argv.slice(2);
/** Bytes of one picture. */
const MOST = 60 * 1024;
const QUESTION = "What are the five largest cities of Peru?";

const browser = await launch();
const painter = await browser.newPage();

/** A picture as WebP, as good as its size allows. */
async function keep(name, png) {
  for (const quality of [0.9, 0.8, 0.65, 0.5, 0.35]) {
    const text = await painter.evaluate(
      async ([bytes, quality]) => {
        const image = new Image();
        image.src = `data:image/png;base64,${bytes}`;
        await image.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        canvas.getContext("2d").drawImage(image, 0, 0);
        return canvas.toDataURL("image/webp", quality).split(",")[1];
      },
      [png.toString("base64"), quality],
    );
    writeFileSync(`${folder}/${name}.webp`, Buffer.from(text, "base64"));
    if (statSync(`${folder}/${name}.webp`).size <= MOST) return;
  }
  throw new Error(`${name} is larger than ${MOST} bytes`);
}

async function take(name, steps, { width = 1200, height = 760, dark = false, js = true } = {}) {
  if (wanted.length > 0 && !wanted.includes(name)) return;
  const options = { viewport: { width, height }, colorScheme: dark ? "dark" : "light", javaScriptEnabled: js, isMobile: width < 500 };
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(base);
  await steps(page);
  await page.waitForTimeout(500);
  await keep(name, await page.screenshot());
  await context.close();
  console.log(name);
}

async function ask(page, question) {
  await page.getByLabel("Your question").fill(question);
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByTestId("answer").first().waitFor({ timeout: 300_000 });
  await page.evaluate(() => document.activeElement?.blur());
}

await take("page-start", async (page) => {
  await page.getByText("Trying questions on the graph…").waitFor({ state: "detached", timeout: 300_000 });
  await page.locator(".held .node").first().waitFor();
});
await take("page-answer", (page) => ask(page, QUESTION), { height: 1060 });
await take("page-dark", (page) => ask(page, "What is the time zone of the capital of Mongolia?"), { dark: true });
await take("page-phone", (page) => ask(page, QUESTION), { width: 390, height: 844 });
await take("page-graph", async (page) => {
  await ask(page, "Which countries border Germany?");
  await page.getByRole("button", { name: "Show more around Germany" }).click();
  await page.getByText(/\d more neighbours of Germany/).waitFor();
  await page.locator(".graph").evaluate((graph) => graph.scrollIntoView({ block: "end" }));
});
await take("page-compare", async (page) => {
  await page.getByText("More", { exact: true }).click();
  await page.getByLabel("Compare with").selectOption("io");
  await ask(page, "Which countries border Peru?");
  await page.locator(".differences").waitFor({ timeout: 300_000 });
});
await take("page-explore", async (page) => {
  await page.getByRole("link", { name: "Explore" }).click();
  await page.getByRole("button", { name: /^country/ }).click();
  await page.getByLabel("Rows of country").getByRole("button", { name: "population" }).click();
  await page.locator("th[aria-sort=descending]").waitFor();
});
await take("page-sparql", async (page) => {
  await page.getByRole("link", { name: "SPARQL" }).click();
  await page.getByRole("button", { name: "Run" }).click();
  await page.locator(".sparql table").waitFor();
});
await take("page-chart", async (page) => {
  await ask(page, "How many countries are there in each continent?");
  await page.locator("[data-chart=bars]").first().scrollIntoViewIfNeeded();
});
await take("page-map", async (page) => {
  await ask(page, "What are the names, latitudes and longitudes of the ten largest cities of Peru?");
  await page.locator("[data-chart=map]").first().scrollIntoViewIfNeeded();
});
await take("page-work", async (page) => {
  await page.getByText("More", { exact: true }).click();
  await page.getByLabel("Method", { exact: true }).selectOption("tog");
  await page.getByLabel("Your question").fill("Which countries border Peru?");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByText("At work").waitFor();
});
await take("page-alone", async (page) => {
  await page.getByText("More", { exact: true }).click();
  await page.getByLabel("Method", { exact: true }).selectOption("cot");
  await ask(page, "Why is the sky blue?");
});
await take("page-gone", async (page) => {
  await ask(page, "Which countries border Peru?");
  await page.route("**/*", (route) => route.abort());
  await page.getByText("The server does not answer.").waitFor({ timeout: 60_000 });
});
await take("page-abstention", (page) => ask(page, "Who painted the ceiling of Xyzzyplugh?"));
await take(
  "page-plain",
  async (page) => {
    await page.locator("noscript input[name=question]").fill("What is the time zone of the capital of Mongolia?");
    await page.locator("noscript button").click();
    await page.locator(".answer").waitFor({ timeout: 300_000 });
  },
  { js: false, height: 560 },
);
await browser.close();
