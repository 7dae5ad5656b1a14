// Programs to start from, the first of each language is there when the page opens. Each may fill other fields, too.

export const EXAMPLES = {
  python: [
    {
      title: "A plot",
      code: `import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng()
walks = rng.normal(size=(500, 40)).cumsum(axis=0)

plt.figure(figsize=(8, 4))
plt.plot(walks, color="tab:blue", alpha=0.2)
plt.plot(walks.mean(axis=1), color="tab:orange", label="mean")
plt.title("Forty random walks")
plt.legend()
plt.show()

low, high = walks[-1].min(), walks[-1].max()
print(f"They ended between {low:.1f} and {high:.1f}.")
`,
    },
    {
      title: "A table",
      code: `import pandas as pd

orders = pd.DataFrame({
    "city": ["Lagos", "Lima", "Oslo", "Lima", "Oslo", "Lagos"],
    "amount": [120, 80, 310, 45, 95, 60],
})
print(orders.groupby("city")["amount"].describe())
`,
    },
    {
      title: "Output as it comes",
      code: `import sys
import time

for step in range(1, 6):
    print(f"step {step} of 5")
    if step == 3:
        print("halfway there", file=sys.stderr)
    time.sleep(0.6)
`,
    },
    {
      title: "Arguments, input and a file",
      args: "total",
      stdin: "3 4 5",
      artifacts: "*.csv",
      code: `import csv
import sys

numbers = [int(word) for word in sys.stdin.read().split()]
with open("report.csv", "w", newline="") as file:
    csv.writer(file).writerows([["name", "value"], [sys.argv[1], sum(numbers)]])
print(open("report.csv").read())
`,
    },
    {
      title: "Too slow",
      timeout: "2",
      code: `print("This never ends by itself.")
while True:
    pass
`,
    },
    {
      title: "Too large",
      memory_mb: "64",
      code: `print("A list of everything:")
everything = []
while True:
    everything.append(bytearray(1 << 20))
`,
    },
    {
      title: "No network",
      code: `import urllib.request

urllib.request.urlopen("https://example.org", timeout=5)
`,
    },
  ],
  javascript: [
    {
      title: "Top-level await",
      code: `import { setTimeout } from "node:timers/promises";
import { randomUUID } from "node:crypto";

for (const name of ["one", "two", "three"]) {
  console.log(name, randomUUID());
  await setTimeout(400);
}
console.error("and this is stderr, of Node.js", process.version);
`,
    },
    {
      title: "An image of its own",
      code: `const { writeFileSync } = require("fs");

const petals = Array.from({ length: 18 }, (_, i) =>
  \`<ellipse cx="100" cy="52" rx="14" ry="44" transform="rotate(\${i * 20} 100 100)" fill="hsl(\${i * 20} 80% 60% / .55)"/>\`);
writeFileSync("flower.svg",
  \`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200" width="400" height="400">\${petals.join("")}</svg>\`);
console.log("flower.svg has", petals.length, "petals");
`,
    },
    {
      title: "An error",
      code: `const orders = [{ id: 1, lines: [3, 4] }, { id: 2 }];

for (const order of orders) {
  console.log(order.id, order.lines.length);
}
`,
    },
  ],
  bash: [
    {
      title: "Words by count",
      stdin: "to be or not to be that is the question",
      code: `tr ' ' '\\n' | sort | uniq -c | sort -rn | head -5
`,
    },
    {
      title: "Where it runs",
      code: `id
uname -sr
df -h /workspace /tmp | awk '{print $6, $2}'
ls -la
echo "no network:" >&2
cat /proc/net/dev
`,
    },
  ],
};
