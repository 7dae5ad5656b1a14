// Files to be saved, images shown. Nothing of them is ever run: an image element runs no script
// of an SVG, and a saved file is bytes without a type, so that a browser which opens it does not take it for a page.

export class Artifacts {
  #element;
  #urls = [];

  constructor(element) {
    this.#element = element;
  }

  clear() {
    this.#urls.forEach((url) => URL.revokeObjectURL(url));
    this.#urls = [];
    this.#element.replaceChildren();
  }

  add(artifact) {
    const bytes = Uint8Array.from(atob(artifact.content_base64), (character) => character.charCodeAt(0));
    this.#show(artifact.path, artifact.media_type, bytes);
  }

  addText(path, text) {
    this.#show(path, "text/plain", new TextEncoder().encode(text));
  }

  #show(path, type, bytes) {
    const figure = document.createElement("figure");
    if (type.startsWith("image/")) {
      const image = document.createElement("img");
      image.alt = `Image ${path}`;
      image.src = this.#url(bytes, type);
      figure.append(image);
    }
    const caption = document.createElement("figcaption");
    const link = document.createElement("a");
    link.href = this.#url(bytes, "application/octet-stream");
    link.download = path.split("/").pop();
    link.textContent = path;
    const size = document.createElement("span");
    size.textContent = ` ${describeSize(bytes.length)}`;
    caption.append(link, size);
    figure.append(caption);
    this.#element.append(figure);
  }

  #url(bytes, type) {
    const url = URL.createObjectURL(new Blob([bytes], { type }));
    this.#urls.push(url);
    return url;
  }
}

export function describeSize(bytes) {
  if (bytes < 1024) {
    return `${bytes} B`;
  }
  return bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`;
}
