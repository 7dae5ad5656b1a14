// The line above the output: how the run is going, then how it ended. What changes ten times a second is not read out; what
// a listener wants to know goes into a live region of its own.

import { seconds } from "./outcome.js";

const element = (id) => document.getElementById(id);

export class Status {
  #timer = null;
  #began = 0;

  running() {
    this.#began = performance.now();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#tick(), 100);
    this.#tick();
    this.#show("running", "Waiting for a sandbox", "", "Running");
  }

  started() {
    this.#show("running", "Running", "", "");
  }

  ended({ state, text }, result) {
    const facts = [`${seconds(result.execution_time_ms)}`, `${result.memory_used_mb.toFixed(0)} MiB`];
    if (!result.limit && !result.signal && result.exit_code === 0) {
      facts.unshift("exit code 0");
    }
    this.#stop();
    this.#show(state, text, facts.join(" · "), `${text}. ${facts.join(", ")}.`);
  }

  stopped() {
    this.#stop();
    this.#show("stopped", "Stopped", "the sandbox is gone", "Stopped");
  }

  failed(problem) {
    this.#stop();
    this.#show("bad", "Not run to its end", problem.code ?? "", "");
  }

  #stop() {
    clearInterval(this.#timer);
    element("clock").textContent = "";
  }

  #tick() {
    element("clock").textContent = `${((performance.now() - this.#began) / 1000).toFixed(1)} s`;
  }

  #show(state, text, facts, announcement) {
    element("status").dataset.state = state;
    element("outcome").textContent = text;
    element("facts").textContent = facts;
    element("announcement").textContent = announcement;
  }
}
