// The fields of the form: a request made of them, and what the service says against them.

const lines = (text) => text.split("\n").filter((line) => line !== "");

export class Fields {
  #form;
  #editor;

  constructor(form, editor) {
    this.#form = form;
    this.#editor = editor;
  }

  #input(name) {
    return this.#form.querySelector(`#${name}`);
  }

  /** What is left empty is left to the service; what is no number goes to it as it is, and it says what would be one. */
  request() {
    const request = {
      code: this.#editor.text,
      language: this.#form.elements.language.value,
    };
    const put = (name, read) => {
      const text = this.#input(name).value;
      if (text.trim() !== "") {
        request[name] = read(text);
      }
    };
    const number = (text) => (Number.isFinite(Number(text)) ? Number(text) : text);
    put("timeout", number);
    put("memory_mb", number);
    put("args", lines);
    put("stdin", (text) => text);
    put("artifacts", lines);
    return request;
  }

  fill(example) {
    for (const name of ["args", "stdin", "artifacts", "timeout", "memory_mb"]) {
      this.#input(name).value = example[name] ?? "";
    }
    this.#form.querySelector("#more").open = Boolean(example.args || example.stdin || example.artifacts);
    this.clear();
  }

  /** The limits that hold, which the service knows and says when a run starts. */
  showDefaults(start) {
    this.#input("timeout").placeholder = start.timeout;
    this.#input("memory_mb").placeholder = start.memory_mb;
  }

  markWrong(problem) {
    // a field may be named with its place in it: args[3]
    const name = /^[a-z_]*/.exec(problem.field ?? "")[0];
    const message = this.#form.querySelector(`.field-error[data-field="${name}"]`);
    if (!name || !message) {
      return;
    }
    message.textContent = problem.legal ? `${problem.detail} Allowed: ${problem.legal}.` : problem.detail;
    const input = this.#input(name);
    if (input) {
      const details = input.closest("details");
      if (details) {
        details.open = true;
      }
      input.setAttribute("aria-invalid", "true");
      input.focus();
    }
  }

  clear() {
    for (const message of this.#form.querySelectorAll(".field-error")) {
      message.textContent = "";
    }
    for (const input of this.#form.querySelectorAll("[aria-invalid]")) {
      input.removeAttribute("aria-invalid");
    }
  }
}
