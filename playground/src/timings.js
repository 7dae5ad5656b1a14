// Where the time of a call went, by the phases that the engine measured: a bar, and the same in words.

// Phases that follow one another; what else there is, such as the total, is a sum or a part of them.
const PHASES = [
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
    heading.textContent = `${round(timings.total)} ms in the engine`;
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
      item.textContent = `${words(timings)} ${round(timings[phase])} ms`;
      legend.append(item);
    }
    this.#element.replaceChildren(heading, bar, legend);
    this.#element.hidden = false;
  }
}

function round(milliseconds) {
  return milliseconds < 10 ? milliseconds.toFixed(1) : milliseconds.toFixed(0);
}
