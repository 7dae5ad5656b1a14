// What went wrong with the service: its problem document (RFC 9457), in words, with what to do.

const ADVICE = {
  unauthenticated:
    "This engine wants to know who calls. Open the page through the gateway, or with a client certificate that it trusts.",
  forbidden: "The policy of this engine does not allow it.",
  body_too_large: "Send less: program, input and files together are too large.",
  sandbox_failed: "The host could not keep the sandbox alive; the program is not at fault.",
  starting: "The engine is making its first sandboxes.",
  draining: "The engine is being shut down.",
};

export class Problem extends Error {
  /** `retryAfter`: seconds, or null. */
  constructor(document, retryAfter = null) {
    super(document.detail || document.title);
    this.title = document.title;
    this.detail = document.detail;
    this.code = document.code;
    this.field = document.field;
    this.legal = document.legal;
    this.executionId = document.execution_id;
    this.retryable = document.retryable;
    this.retryAfter = retryAfter;
  }

  static async ofResponse(response) {
    const type = response.headers.get("Content-Type") ?? "";
    const retryAfter = Number.parseInt(response.headers.get("Retry-After"), 10);
    const document = type.startsWith("application/problem+json")
      ? await response.json()
      : {
          title: `The answer is ${response.status}`,
          detail: "It does not come from the engine but from something in front of it.",
        };
    return new Problem(document, Number.isNaN(retryAfter) ? null : retryAfter);
  }

  static ofConnection(failure) {
    return new Problem({
      title: "The engine does not answer",
      detail: failure.message,
      retryable: true,
    });
  }

  /** What the user can do about it. */
  get advice() {
    const lines = [];
    if (this.legal) {
      lines.push(`Allowed: ${this.legal}.`);
    }
    if (ADVICE[this.code]) {
      lines.push(ADVICE[this.code]);
    }
    if (this.retryAfter !== null) {
      lines.push(`Try again in ${this.retryAfter} s.`);
    } else if (this.retryable) {
      lines.push("Try again.");
    }
    return lines.join(" ");
  }
}

/** Fills the element, or empties it without a problem. */
export function showProblem(element, problem) {
  element.replaceChildren();
  if (!problem) {
    return;
  }
  const line = (tag, text) => {
    if (text) {
      const child = document.createElement(tag);
      child.textContent = text;
      element.append(child);
    }
  };
  line("strong", problem.title);
  line("p", problem.detail);
  line("p", problem.advice);
  line("small", [problem.code, problem.field && `field ${problem.field}`, problem.executionId].filter(Boolean).join(" · "));
}
