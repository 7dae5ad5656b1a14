"""Figures as a table, as JSON and as a chart, against the bars of the issue and the bounds of the regression check."""

import os
import platform
from datetime import UTC, datetime

SIDES = ("engine", "native", "bubblewrap", "runsc")


def result(about, measurement, plan, emulation):
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "emulation": emulation,
        "engine": about,
        "machine": {"processors": os.cpu_count(), "kernel": platform.release(), "load": os.getloadavg()},
        "plan": vars(plan),
        "failures": measurement.failures[:100],
        "figures": {name: round(value, 3) for name, value in sorted(measurement.figures.items())},
    }


def holds(value, rule):
    kind, limit = rule
    return value <= limit if kind == "<=" else value >= limit


def check(result, bounds):
    """How many bounds hold, and a line for each that does not. A figure that is missing holds nothing."""
    lines = []
    for name, rule in bounds.items():
        value = result["figures"].get(name)
        if value is None or not holds(value, rule):
            lines.append(f"NOT ok: {name} is {number(value)}, bound {rule[0]} {rule[1]}")
    return len(bounds) - len(lines), lines


def number(value):
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def programs(figures):
    return sorted({name.split(".")[0] for name in figures if name.endswith(".engine_samples")})


def clients(figures):
    return sorted(int(name.split(".")[0].split("-")[1]) for name in figures if name.endswith(".calls_per_second"))


def columns(rows):
    widths = [max(len(cell) for cell in column) for column in zip(*rows)]
    lines = ([cell.rjust(width) for cell, width in zip(row, widths)] for row in rows)
    return "\n".join("  ".join([row[0].ljust(widths[0]), *cells[1:]]) for row, cells in zip(rows, lines))


def table(result, bars):
    figures = result["figures"]
    about, machine = result["engine"], result["machine"]
    parts = [
        f"{about['backend']} ({about['isolation']}), {machine['processors']} processors, load {machine['load'][0]:.1f}"
        + (". EMULATION: these figures say nothing about speed" if result["emulation"] else "")
    ]
    rows = [("ms: p50 / p90 / p99", *SIDES)]
    for program in programs(figures):
        rows.append((program, *(spread(figures, f"{program}.{side}") for side in SIDES)))
    parts.append(columns(rows))
    rows = [("mixed load", "calls/s", "right", "p50", "p99", "queue p50", "waited")]
    for count in clients(figures):
        name = f"clients-{count}"
        keys = ("calls_per_second", "success_rate", "latency_p50_ms", "latency_p99_ms", "queue_p50_ms", "waited_share")
        rows.append((f"{count} at once", *(number(figures.get(f"{name}.{key}")) for key in keys)))
    parts.append(columns(rows))
    rows = [("bar", "measured", "asked", "")]
    for name, rule in bars.items():
        value = figures.get(name)
        verdict = "not measured" if value is None else "met" if holds(value, rule) else "MISSED"
        rows.append((name, number(value), f"{rule[0]} {rule[1]}", verdict))
    if not result["emulation"]:
        parts.append(columns(rows))
    others = [name for name in figures if name.split(".")[0] in ("engine", "memory", "resume", "burst") and name not in bars]
    parts.append(columns([("more", ""), *((name, number(figures[name])) for name in others)]))
    parts += [f"failed: {problem}" for problem in result["failures"][:10]]
    return "\n\n".join(parts)


def spread(figures, name):
    if f"{name}_p50_ms" not in figures:
        return "-"
    return " / ".join(number(figures[f"{name}_p{each}_ms"]) for each in (50, 90, 99))


def draw(result, path):
    """Latency side by side, and throughput by callers."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figures = result["figures"]
    figure, (latency, load) = pyplot.subplots(1, 2, figsize=(13, 5), width_ratios=(2, 1), layout="constrained")
    names = programs(figures)
    for index, side in enumerate(SIDES):
        places = [place + index * 0.2 for place in range(len(names))]
        bars = latency.bar(places, [figures.get(f"{name}.{side}_p50_ms", 0) for name in names], 0.2, label=side)
        latency.bar_label(bars, [number(figures.get(f"{name}.{side}_p50_ms")) for name in names], fontsize=8)
    latency.set(yscale="log", ylabel="ms, p50, one after another", title="Until the whole answer is there")
    latency.set_xticks([place + 0.3 for place in range(len(names))], names)
    latency.legend()
    counts = clients(figures)
    load.plot(counts, [figures[f"clients-{count}.calls_per_second"] for count in counts], marker="o")
    load.set(xlabel="clients", ylabel="right answers a second", title="Mixed load", ylim=(0, None))
    load.set_xticks(counts)
    mark = "EMULATION, not a measure of speed. " if result["emulation"] else ""
    figure.suptitle(f"{mark}{result['engine']['backend']}, {result['machine']['processors']} processors, {result['at']}")
    figure.savefig(path)
