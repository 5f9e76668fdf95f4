// Starts the Chromium that CHROMIUM names.

import { chromium } from "playwright-core";

/** Chromium sometimes dies while it starts, before any page is open. Each death is told; the third is an error. */
export async function launch() {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
    } catch (error) {
      if (attempt === 3) throw error;
      console.log(`Chromium did not start (attempt ${attempt} of 3): ${String(error).split("\n")[0]}`);
    }
  }
}
