// The page: what its parts do when the user acts. One run at a time; leaving the page ends it, since its stream ends.

import { Artifacts } from "./artifacts.js";
import { Editor } from "./editor.js";
import { EXAMPLES } from "./examples.js";
import { Fields } from "./fields.js";
import { describeEngine } from "./engine.js";
import { describe, notes } from "./outcome.js";
import { Output } from "./output.js";
import { Problem, showProblem } from "./problem.js";
import { run } from "./run.js";
import { Status } from "./status.js";
import { Timings } from "./timings.js";

// The style's own measure: the result below the program, not beside it.
const STACKED = matchMedia("(max-width: 860px)");

const element = (id) => document.getElementById(id);

const editor = new Editor(element("editor"), start);
const fields = new Fields(element("program"), editor);
const status = new Status();
const output = new Output(element("output"));
const artifacts = new Artifacts(element("artifacts-list"));
const timings = new Timings(element("timings"));

// What was written in each language, while the page is open.
const programs = new Map();
let language = "python";
let running = null;

async function start() {
  if (running) {
    return;
  }
  running = new AbortController();
  for (const part of [output, artifacts, timings, fields]) {
    part.clear();
  }
  showProblem(element("problem"), null);
  showNotes([]);
  setRunning(true);
  status.running();
  if (STACKED.matches) {
    element("status").scrollIntoView();
  }
  try {
    await follow(run(fields.request(), running));
  } catch (failure) {
    fail(failure);
  } finally {
    running = null;
    setRunning(false);
  }
}

async function follow(events) {
  for await (const { name, data } of events) {
    switch (name) {
      case "start":
        fields.showDefaults(data);
        status.started();
        break;
      case "stdout":
      case "stderr":
        output.append(name, data.text);
        break;
      case "artifact":
        artifacts.add(data);
        break;
      case "result":
        end(data);
        break;
    }
  }
}

function end(result) {
  endOutput();
  status.ended(describe(result), result);
  showNotes(notes(result));
  timings.show(result.timings_ms);
}

function fail(failure) {
  endOutput();
  if (running.signal.aborted && !(failure instanceof Problem)) {
    status.stopped();
    return;
  }
  const problem = failure instanceof Problem ? failure : Problem.ofConnection(failure);
  status.failed(problem);
  showProblem(element("problem"), problem);
  fields.markWrong(problem);
}

function endOutput() {
  for (const [stream, text] of output.end()) {
    artifacts.addText(`${stream}.txt`, text);
  }
}

function setRunning(on) {
  element("run").setAttribute("aria-disabled", on);
  element("stop").setAttribute("aria-disabled", !on);
}

function showNotes(lines) {
  element("notes").replaceChildren(
    ...lines.map((line) => {
      const item = document.createElement("li");
      item.textContent = line;
      return item;
    }),
  );
}

function showLanguage(chosen) {
  language = chosen;
  const titles = EXAMPLES[language].map((example, index) => new Option(example.title, index));
  const heading = new Option("Examples", "", true, true);
  heading.disabled = true;
  element("example").replaceChildren(heading, ...titles);
  if (programs.has(language)) {
    editor.show(language, programs.get(language));
  } else {
    showExample(EXAMPLES[language][0]);
  }
}

function showExample(example) {
  fields.fill(example);
  editor.show(language, example.code);
}

element("program").addEventListener("submit", (event) => {
  event.preventDefault();
  start();
});
element("stop").addEventListener("click", () => running?.abort());
element("program").addEventListener("change", (event) => {
  if (event.target.name === "language") {
    programs.set(language, editor.text);
    showLanguage(event.target.value);
  }
});
element("example").addEventListener("change", (event) => showExample(EXAMPLES[language][Number(event.target.value)]));
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.defaultPrevented) {
    event.preventDefault();
    start();
  }
});

element("shortcut").textContent = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘ ↵" : "Ctrl ↵";
document.querySelector(`input[name=language][value=${language}]`).checked = true;
showLanguage(language);
describeEngine(element("engine"));
