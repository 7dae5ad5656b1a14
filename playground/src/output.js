// What the program prints, as it comes. Written to the page once a frame, however small the pieces; bounded, since the page
// would come to a halt long before the service does.

const SHOWN = 2 << 20;

export class Output {
  #element;
  #pending = [];
  #shown = 0;
  #frame = null;
  #last = null;

  constructor(element) {
    this.#element = element;
  }

  clear() {
    cancelAnimationFrame(this.#frame);
    this.#frame = null;
    this.#pending = [];
    this.#shown = 0;
    this.#last = null;
    this.#element.replaceChildren();
  }

  append(stream, text) {
    const room = SHOWN - this.#shown;
    if (room <= 0) {
      return;
    }
    this.#shown += text.length;
    this.#pending.push({ stream, text: text.slice(0, room) });
    if (text.length > room) {
      this.#pending.push({ stream: "note", text: "\nThe page shows no more than this.\n" });
    }
    this.#frame ??= requestAnimationFrame(() => this.#write());
  }

  /** The rest at once: frames stop coming where nobody looks. */
  end() {
    cancelAnimationFrame(this.#frame);
    this.#write();
  }

  #write() {
    this.#frame = null;
    const { scrollTop, scrollHeight, clientHeight } = this.#element;
    const follows = scrollHeight - clientHeight - scrollTop < 24;
    const chunks = document.createDocumentFragment();
    for (const { stream, text } of this.#pending) {
      if (this.#last?.dataset.stream !== stream) {
        this.#last = this.#chunk(stream);
        chunks.append(this.#last);
      }
      this.#last.append(text);
    }
    this.#pending = [];
    this.#element.append(chunks);
    if (follows) {
      this.#element.scrollTop = this.#element.scrollHeight;
    }
  }

  #chunk(stream) {
    const chunk = document.createElement("span");
    chunk.dataset.stream = stream;
    if (stream === "stderr") {
      const name = document.createElement("span");
      name.className = "hidden";
      name.textContent = "stderr: ";
      chunk.append(name);
    }
    return chunk;
  }
}
