// A page of the playground in a real Chromium. Whatever the browser complains of, and whatever it asks another origin for,
// fails the test that had the page open.

import assert from "node:assert/strict";
import { chromium } from "playwright-core";

export const ENGINE = process.env.HEXR_SANDBOX_URL;

let browser;

/** `--no-sandbox`: Chromium's own sandbox does not work for root, and the page is ours. */
export async function launch() {
  assert.ok(ENGINE, "HEXR_SANDBOX_URL is not set: run these tests by dev.d/test-playground");
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_BIN,
    args: ["--no-sandbox"],
    timeout: 60_000,
  });
}

export const close = () => browser.close();

/** Opens the page and gives it to `use`. `expected`: a pattern of what the browser may complain of. */
export async function withPage(use, { expected = /^$/, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(30_000);
  const complaints = [];
  try {
    const page = await context.newPage();
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type()) && !expected.test(message.text())) {
        complaints.push(`${message.type()}: ${message.text()}`);
      }
    });
    page.on("pageerror", (error) => complaints.push(`exception: ${error.stack}`));
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(`${ENGINE}/`) && !/^(data|blob):/.test(url)) {
        complaints.push(`request: ${url}`);
      }
    });
    await page.addInitScript(() =>
      document.addEventListener("securitypolicyviolation", (event) =>
        console.error(`policy: ${event.violatedDirective} refused ${event.blockedURI} ${event.sample}`),
      ),
    );
    await page.goto(`${ENGINE}/`);
    await use(new Playground(page));
  } finally {
    await context.close();
  }
  assert.deepEqual(complaints, [], "the browser complained");
}

/** The page as a user has it before them. */
class Playground {
  constructor(page) {
    this.page = page;
    this.editor = page.getByRole("textbox", { name: /^Program text/ });
    this.runButton = page.getByRole("button", { name: "Run" });
    this.stopButton = page.getByRole("button", { name: "Stop" });
    this.output = page.getByRole("region", { name: "Output" });
    this.status = page.locator("#status");
    this.outcome = page.locator("#outcome");
  }

  async write(code, language = "Python") {
    await this.page.getByText(language, { exact: true }).click();
    await this.overwrite(code);
  }

  /** As typing does: what Playwright's `fill` does is no input that a user can make. */
  async overwrite(code) {
    await this.editor.focus();
    await this.page.keyboard.press("ControlOrMeta+A");
    await this.page.keyboard.insertText(code);
  }

  async run(code, language) {
    await this.write(code, language);
    await this.runButton.click();
    await this.ended();
  }

  /** Until the run has ended, however it did. */
  async ended() {
    await this.page.locator("#status:not([data-state=running], [data-state=idle])").waitFor();
  }
}
