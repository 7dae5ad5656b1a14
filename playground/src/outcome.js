// A result in plain words.

const LIMITS = {
  time: (result) => `Timed out after ${seconds(result.execution_time_ms)}`,
  memory: () => "Out of memory",
  processes: () => "Too many processes",
};

/** {state: "good" or "bad", text} */
export function describe(result) {
  if (result.limit in LIMITS) {
    return { state: "bad", text: LIMITS[result.limit](result) };
  }
  if (result.signal) {
    return { state: "bad", text: `Ended by ${result.signal}` };
  }
  return result.exit_code === 0
    ? { state: "good", text: "Finished" }
    : { state: "bad", text: `Failed with exit code ${result.exit_code}` };
}

/** What else there is to know, a sentence each. */
export function notes(result) {
  const notes = [];
  if (result.limit && result.exit_code !== 0) {
    notes.push(`The sandbox ended the program; its exit code is ${result.exit_code}.`);
  }
  for (const stream of ["stdout", "stderr"]) {
    if (result[`${stream}_truncated`]) {
      notes.push(`There was more on ${stream} than the engine keeps: the end is missing.`);
    }
  }
  for (const { path, reason } of result.artifacts_skipped) {
    notes.push(`${path} did not come back: ${reason.replaceAll("_", " ")}.`);
  }
  return notes;
}

export function seconds(milliseconds) {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
}
