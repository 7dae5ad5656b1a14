// Where the time of a call went, by the phases that the engine measured: a bar, and the same in words.

// Phases that follow one another; what else there is, such as the total, is a sum or a part of them.
const PHASES = [
  ["read", () => "receiving the request"],
  ["queue", () => "waiting for a place"],
  ["pool", ({ resume }) => (resume === null ? "taking a sandbox that waited" : "resuming a sandbox")],
  ["layout", () => "sending the program"],
  ["run", () => "running"],
  ["destroy", () => "reading the counters"],
];

export class Timings {
  #element;

  constructor(element) {
    this.#element = element;
  }

  clear() {
    this.#element.hidden = true;
    this.#element.replaceChildren();
  }

  show(timings) {
    const heading = document.createElement("h2");
    heading.textContent = `${describe(timings.total)} in the engine`;
    const bar = document.createElement("div");
    bar.className = "timing-bar";
    bar.setAttribute("aria-hidden", "true");
    const legend = document.createElement("ul");
    for (const [phase, words] of PHASES) {
      const part = document.createElement("span");
      part.dataset.phase = phase;
      part.style.flexGrow = timings[phase];
      bar.append(part);
      const item = document.createElement("li");
      item.dataset.phase = phase;
      item.textContent = `${words(timings)} ${describe(timings[phase])}`;
      legend.append(item);
    }
    this.#element.replaceChildren(heading, bar, legend);
    this.#element.hidden = false;
  }
}

function describe(milliseconds) {
  if (milliseconds < 10_000) {
    return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
  }
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
