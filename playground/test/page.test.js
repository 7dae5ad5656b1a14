// The playground of a running engine, with real sandboxes, in a real Chromium.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ENGINE, close, launch, withPage } from "./browser.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const REFUSED = /^Failed to load resource: the server responded with a status of 400/;
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

before(launch);
after(close);

/** A deadline for each, so that a page that hangs is a test that fails. */
const it = (sentence, use) => test(sentence, { timeout: 120_000 }, use);

it("the first example runs and its plot is shown and can be saved", () =>
  withPage(async ({ page, runButton, output, outcome }) => {
    await runButton.click();
    await page.locator("#status[data-state=good]").waitFor();

    assert.equal(await outcome.textContent(), "Finished");
    assert.match(await output.textContent(), /They ended between/);
    const image = page.getByRole("img", { name: "Image figure-1.png" });
    await image.waitFor();
    assert.ok(await image.evaluate((element) => element.decode().then(() => element.naturalWidth > 100)));
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "figure-1.png" }).click()]);
    assert.equal(download.suggestedFilename(), "figure-1.png");
    assert.equal(readFileSync(await download.path()).subarray(1, 4).toString(), "PNG");
  }));

it("output comes while the program runs, stdout and stderr in order and told apart", () =>
  withPage(async (playground) => {
    const { page, output, runButton, status, stopButton } = playground;
    await playground.write("import sys\nprint('first')\nprint('oops', file=sys.stderr)\nsys.stdout.flush()\nsys.stdin.read()\nimport time; time.sleep(25)\nprint('last')");
    await runButton.click();

    await output.getByText("oops").waitFor();
    assert.equal(await status.getAttribute("data-state"), "running", "the program sleeps");
    await stopButton.click();
    await playground.ended();
    assert.equal(await output.textContent(), "first\nstderr: oops\n");
    assert.equal(await page.locator("[data-stream=stderr]").textContent(), "stderr: oops\n");
  }));

it("Stop ends the run in the engine, too", () =>
  withPage(async (playground) => {
    const { output, stopButton, runButton, outcome } = playground;
    await playground.write("echo started; sleep 25", "Bash");
    await runButton.click();
    await output.getByText("started").waitFor();
    await stopButton.click();
    await playground.ended();

    assert.equal(await outcome.textContent(), "Stopped");
    await nothingRuns();
    await playground.run("echo again", "Bash");
    assert.equal(await output.textContent(), "again\n");
  }));

it("leaving the page ends its run", async () => {
  await withPage(async (playground) => {
    await playground.write("echo started; sleep 25", "Bash");
    await playground.runButton.click();
    await playground.output.getByText("started").waitFor();
  });
  await nothingRuns();
});

it("what became of the program is said in words", () =>
  withPage(async (playground) => {
    const { page, outcome, output } = playground;
    await playground.run("exit 3", "Bash");
    assert.equal(await outcome.textContent(), "Failed with exit code 3");
    await page.getByLabel("Timeout").fill("4");
    await playground.run("echo before; sleep 20", "Bash");
    assert.match(await outcome.textContent(), /^Timed out after/);
    assert.equal(await output.textContent(), "before\n");
    await page.getByLabel("Timeout").fill("");
    await page.getByLabel("Memory").fill("64");
    await playground.run("x = bytearray(1 << 30)");
    assert.match(await outcome.textContent(), /^Out of memory$/);
  }));

it("the phases of the call are shown", () =>
  withPage(async (playground) => {
    await playground.run("echo hello", "Bash");

    const timings = playground.page.locator("#timings");
    assert.match(await timings.textContent(), /^[\d.]+ m?s in the engine.*(taking|resuming) a sandbox.* [\d.]+ m?s.*running [\d.]+ m?s/);
  }));

it("what the service refuses is shown at its field, with what it would take", () =>
  withPage(
    async (playground) => {
      const { page, runButton } = playground;
      const timeout = page.getByLabel("Timeout");
      await timeout.fill("9999");
      await runButton.click();
      await playground.ended();

      assert.match(await page.getByRole("alert").textContent(), /invalid_request · field timeout/);
      assert.match(await page.locator("#timeout-error").textContent(), /Allowed: /);
      assert.equal(await timeout.getAttribute("aria-invalid"), "true");
      assert.ok(await timeout.evaluate((element) => element === document.activeElement));
      await timeout.fill("");
      await runButton.click();
      await page.locator("#status[data-state=good]").waitFor();
      assert.equal(await page.locator("#problem").textContent(), "");
      assert.equal(await timeout.getAttribute("aria-invalid"), null);
    },
    { expected: REFUSED },
  ));

it("what a program prints or draws is never markup or script of the page", () =>
  withPage(async (playground) => {
    const { page, output } = playground;
    const mark = "<img src=x onerror=document.title='broken'>";
    await playground.run(
      `echo "${mark}"; echo '<svg xmlns="http://www.w3.org/2000/svg"><script>parent.document.title="broken"</script></svg>' > a.svg`,
      "Bash",
    );

    assert.equal(await output.textContent(), `${mark}\n`);
    await page.getByRole("img", { name: "Image a.svg" }).waitFor();
    assert.equal(await page.title(), "Sandbox playground");
  }));

it("examples fill the other fields, and each language keeps what was written in it", () =>
  withPage(async (playground) => {
    const { page, editor, output } = playground;
    await page.getByLabel("Example").selectOption("Arguments, input and a file");
    await playground.runButton.click();
    await playground.ended();
    assert.match(await output.textContent(), /total,12/);
    await page.getByRole("link", { name: "report.csv" }).waitFor();

    await playground.overwrite("print('mine')");
    await page.getByText("Bash", { exact: true }).click();
    assert.doesNotMatch(await editor.innerText(), /mine/);
    await page.getByText("Python", { exact: true }).click();
    assert.equal(await editor.innerText(), "print('mine')");
  }));

it("everything can be reached and done with the keyboard, and the focus is seen", () =>
  withPage(async ({ page, editor, output, outcome }) => {
    const seen = [];
    for (const stop of ["skip", "a", "language", "example", "editor"]) {
      await page.keyboard.press("Tab");
      seen.push(await page.evaluate(focused));
      assert.ok(await page.evaluate(hasOutline), `the focus on ${stop} is not seen`);
    }
    assert.deepEqual(seen, ["skip", "openapi.yaml", "language", "example", "editor"]);

    await page.keyboard.press("Control+A");
    await page.keyboard.type("if True:");
    await page.keyboard.press("Enter");
    await page.keyboard.type("print(1)");
    assert.equal(await editor.innerText(), "if True:\n    print(1)");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(focused), "editor", "Tab indents in the editor");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Control+Enter");
    await page.locator("#status[data-state=good]").waitFor();
    assert.equal(await output.textContent(), "1\n");

    await page.keyboard.press("Escape");
    for (const next of ["summary", "timeout", "memory_mb", "stop", "run", "output"]) {
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(focused), next);
      assert.ok(await page.evaluate(hasOutline), `the focus on ${next} is not seen`);
    }
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.locator("#status[data-state=good]").waitFor();
    assert.equal(await outcome.textContent(), "Finished");
    assert.equal(await page.evaluate(focused), "run", "the focus stays where it was");
  }));

it("the page fits a phone", () =>
  withPage(async (playground) => {
    const { page, runButton } = playground;
    await runButton.tap();
    await playground.ended();
    await page.getByRole("img", { name: "Image figure-1.png" }).waitFor();

    assert.equal(await page.evaluate(() => document.scrollingElement.scrollWidth), 360);
    assert.ok(await playground.status.evaluate((element) => element.getBoundingClientRect().top < 370), "the result is in view");
    await screenshot(page, "phone");
  }, PHONE));

for (const colorScheme of ["light", "dark"]) {
  it(`the page is ${colorScheme} where that is preferred, and has no serious barrier`, () =>
    withPage(
      async (playground) => {
        const { page, runButton } = playground;
        assert.deepEqual(await barriers(page), [], "before a run");
        await runButton.click();
        await playground.ended();
        await page.getByRole("img", { name: "Image figure-1.png" }).waitFor();
        const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const brightness = ground.match(/\d+/g).map(Number).reduce((sum, part) => sum + part) / 3;
        assert.equal(brightness > 128, colorScheme === "light", ground);
        await screenshot(page, colorScheme);
        assert.deepEqual(await barriers(page), [], "after a run");

        await page.locator("summary").click();
        await page.getByLabel("Timeout").fill("9999");
        await playground.run("import sys; print(1, file=sys.stderr)");
        assert.deepEqual(await barriers(page), [], "with an error");
        await page.getByLabel("Timeout").fill("");
        await playground.run("import sys; print(1, file=sys.stderr); sys.exit(3)");
        assert.deepEqual(await barriers(page), [], "with stderr");
      },
      { colorScheme, expected: REFUSED },
    ));
}

it("nothing moves where less motion is preferred", () =>
  withPage(
    async (playground) => {
      const { page, runButton, stopButton } = playground;
      await playground.write("echo started; sleep 20", "Bash");
      await runButton.click();
      await page.locator("#status[data-state=running]").waitFor();

      assert.deepEqual(await page.evaluate(() => document.getAnimations().length), 0);
      await stopButton.click();
      await playground.ended();
    },
    { reducedMotion: "reduce" },
  ));

it("a flood of output leaves the page usable, and can be saved", () =>
  withPage(async (playground) => {
    const { page, output } = playground;
    await playground.run("yes | head -c 3000000; echo end >&2", "Bash");

    assert.match(await page.locator("#notes").textContent(), /more on stdout than the engine keeps/);
    assert.match(await output.textContent(), /^(y\n){5000}\n?.*shows no more than this/);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "stdout.txt" }).click()]);
    assert.equal(readFileSync(await download.path(), "utf8"), "y\n".repeat(1 << 19));
    await playground.run("echo quick", "Bash");
    assert.equal(await output.textContent(), "quick\n");
  }));

async function nothingRuns() {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const { load } = await (await fetch(`${ENGINE}/health`)).json();
    if (load.running === 0) {
      return;
    }
    assert.ok(Date.now() < deadline, `the engine still runs something: ${JSON.stringify(load)}`);
  }
}

/** What has the focus, in the page: the editor is a tree of its own. */
function focused() {
  const element = document.activeElement;
  return element.id || element.name || element.className || element.getAttribute("href") || element.localName;
}

function hasOutline() {
  const element = document.activeElement;
  const shown = element.type === "radio" ? element.nextElementSibling : element;
  return getComputedStyle(shown).outlineStyle !== "none";
}

/** Serious and critical violations that axe-core finds. */
async function barriers(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
  return violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("; ")}`);
}

async function screenshot(page, name) {
  const directory = process.env.PLAYGROUND_SCREENSHOTS;
  if (directory) {
    mkdirSync(directory, { recursive: true });
    await page.screenshot({ path: join(directory, `playground-${name}.png`) });
  }
}
