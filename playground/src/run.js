// One run: the request, and the events of its answer as they come.

import { EventSourceParserStream } from "eventsource-parser/stream";
import { Problem } from "./problem.js";

// After the program's own time: for files in and out, and the events that tell of its end.
const GRACE_SECONDS = 60;

/** Yields {name, data} up to the result. Ends the run when `controller` is aborted, and when its time is over. */
export async function* run(request, controller) {
  const response = await fetch("api/v1/exec", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify(request),
    cache: "no-store",
    signal: controller.signal,
  });
  if (!response.ok) {
    throw await Problem.ofResponse(response);
  }
  const events = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ onError: "terminate" }))
    .getReader();
  let deadline;
  try {
    for (;;) {
      const { done, value } = await events.read();
      if (done) {
        throw new Problem({ title: "The answer broke off", detail: "The connection ended before the program did." });
      }
      const data = JSON.parse(value.data);
      if (value.event === "start") {
        deadline = setTimeout(
          () => controller.abort(new Problem({ title: "The engine has fallen silent" })),
          (data.timeout + GRACE_SECONDS) * 1000,
        );
      }
      if (value.event === "error") {
        throw new Problem(data);
      }
      yield { name: value.event, data };
      if (value.event === "result") {
        return;
      }
    }
  } finally {
    clearTimeout(deadline);
    // frees the connection; a run that has not ended ends by it
    events.cancel().catch(() => {});
  }
}
