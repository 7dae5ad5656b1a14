// What the program prints, as it comes. Written to the page once a frame, however small the pieces. Of much output the page
// shows the beginning, since laying out hundreds of thousands of lines would halt it; all of it is kept, at most what the
// engine keeps, to be saved.

const CHARACTERS = 200_000;
const LINES = 5_000;

export class Output {
  #element;
  #printed;
  #pending;
  #room;
  #isCut;
  #frame = null;
  #last = null;

  constructor(element) {
    this.#element = element;
    this.clear();
  }

  clear() {
    cancelAnimationFrame(this.#frame);
    this.#frame = null;
    this.#printed = { stdout: [], stderr: [] };
    this.#pending = [];
    this.#room = { characters: CHARACTERS, lines: LINES };
    this.#isCut = false;
    this.#last = null;
    this.#element.replaceChildren();
  }

  append(stream, text) {
    this.#printed[stream].push(text);
    const shown = take(text, this.#room);
    this.#isCut ||= shown.length < text.length;
    if (shown !== "") {
      this.#pending.push({ stream, text: shown });
      this.#frame ??= requestAnimationFrame(() => this.#write());
    }
  }

  /** Shows the rest at once, for frames stop coming where nobody looks; gives what was too much to be shown, by stream. */
  end() {
    cancelAnimationFrame(this.#frame);
    const printed = Object.entries(this.#printed)
      .map(([stream, parts]) => [stream, parts.join("")])
      .filter(([, text]) => text !== "");
    if (this.#isCut) {
      this.#pending.push({ stream: "note", text: "\nThe page shows no more than this; all of it is below, to be saved.\n" });
    }
    this.#write();
    return this.#isCut ? printed : [];
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

/** As much of the beginning of the text as there is room for, which gets less. */
export function take(text, room) {
  let end = Math.min(text.length, room.characters);
  let newline = -1;
  while (room.lines > 0 && (newline = text.indexOf("\n", newline + 1)) !== -1 && newline < end) {
    room.lines--;
    if (room.lines === 0) {
      end = newline + 1;
    }
  }
  if (room.lines === 0 && newline === -1) {
    end = 0;
  }
  room.characters -= end;
  return text.slice(0, end);
}
