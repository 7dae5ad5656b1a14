// One line about the engine that serves the page.

const ISOLATION = {
  hardware: "hardware isolation",
  user_space_kernel: "user-space kernel",
};
const BACKENDS = { gvisor: "gVisor", firecracker: "Firecracker" };

export async function describeEngine(element) {
  try {
    const response = await fetch("health", { cache: "no-store", signal: AbortSignal.timeout(10_000) });
    const health = await response.json();
    element.dataset.state = health.status;
    element.textContent =
      health.status === "ok"
        ? `${BACKENDS[health.backend] ?? health.backend} · ${ISOLATION[health.isolation] ?? health.isolation} · ${health.version}`
        : `${health.status}: ${health.reason}`;
  } catch {
    element.dataset.state = "unreachable";
    element.textContent = "the engine does not answer";
  }
}
