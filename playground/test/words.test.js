// What the page says of results and errors; the rest of it needs a browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { describe, notes } from "../src/outcome.js";
import { take } from "../src/output.js";
import { Problem } from "../src/problem.js";

const RESULT = {
  exit_code: 0,
  execution_time_ms: 2004,
  limit: null,
  signal: null,
  stdout_truncated: false,
  stderr_truncated: false,
  artifacts_skipped: [],
};

for (const [text, state, differs] of [
  ["Finished", "good", {}],
  ["Failed with exit code 1", "bad", { exit_code: 1 }],
  ["Timed out after 2.00 s", "bad", { exit_code: 124, limit: "time" }],
  ["Out of memory", "bad", { exit_code: 137, limit: "memory", signal: "SIGKILL" }],
  ["Too many processes", "bad", { exit_code: 137, limit: "processes" }],
  ["Ended by SIGSEGV", "bad", { exit_code: 139, signal: "SIGSEGV" }],
  ["Failed with exit code 2", "bad", { exit_code: 2, limit: "of a later version" }],
]) {
  test(`${JSON.stringify(differs)} is "${text}"`, () => assert.deepEqual(describe({ ...RESULT, ...differs }), { state, text }));
}

test("output that was cut and files that did not come are told", () => {
  const result = { ...RESULT, stderr_truncated: true, artifacts_skipped: [{ path: "a.png", reason: "too_large" }] };

  assert.deepEqual(notes(result), [
    "There was more on stderr than the engine keeps: the end is missing.",
    "a.png did not come back: too large.",
  ]);
});

test("a quota says when to try again", async () => {
  const problem = await Problem.ofResponse(
    Response.json({ title: "Too many calls", detail: "x", code: "rate_limited", field: "concurrent", retryable: true }, {
      status: 429,
      headers: { "Content-Type": "application/problem+json", "Retry-After": "3" },
    }),
  );

  assert.equal(problem.advice, "Try again in 3 s.");
  assert.equal(problem.field, "concurrent");
});

test("who is not known is told what to do", async () => {
  const problem = await Problem.ofResponse(
    Response.json({ title: "Unauthenticated", code: "unauthenticated" }, { status: 401, headers: { "Content-Type": "application/problem+json" } }),
  );

  assert.match(problem.advice, /through the gateway, or with a client certificate/);
});

test("an answer that is not the engine's is not taken for one", async () => {
  const problem = await Problem.ofResponse(new Response("<h1>Bad gateway</h1>", { status: 502 }));

  assert.equal(problem.title, "The answer is 502");
  assert.match(problem.detail, /something in front of it/);
});

for (const [shown, text, characters, lines] of [
  ["ab\ncd", "ab\ncd", 10, 2],
  ["ab\n", "ab\ncd", 10, 1],
  ["ab\n", "ab\n\n\n", 10, 1],
  ["ab", "ab\ncd", 2, 9],
  ["", "ab", 10, 0],
  ["", "a\nb", 10, 0],
  ["", "ab", 0, 9],
]) {
  test(`of ${JSON.stringify(text)} ${characters} characters and ${lines} lines are ${JSON.stringify(shown)}`, () => {
    const room = { characters, lines };

    assert.equal(take(text, room), shown);
    assert.equal(room.characters, characters - shown.length);
    assert.equal(room.lines, lines - shown.split("\n").length + 1);
  });
}
