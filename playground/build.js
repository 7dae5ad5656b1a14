// Makes the playground: `node build.js DIRECTORY` writes
//
//   page.html.gz             the page with its style and its script in it
//   content-security-policy  the header that goes with it, which names these two by their hashes
//
// Needs what `npm ci` installs.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [out] = process.argv.slice(2);

const bundle = await build({
  entryPoints: [join(here, "src/main.js")],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "none",
  metafile: true,
  write: false,
  absWorkingDir: here,
});
const css = readFileSync(join(here, "src/style.css"), "utf8");
const style = (await transform(css, { loader: "css", minify: true, target: "chrome111" })).code.trim();
const script = bundle.outputFiles[0].text.trim();
if (bundle.warnings.length > 0) {
  process.exit(1);
}
// Where a script ends is the business of HTML's tokenizer, which these two confuse (WHATWG HTML, section 4.12.1.3).
for (const text of ["<!--", "</script"]) {
  if (script.toLowerCase().includes(text)) {
    throw new Error(`the script has ${text} in it`);
  }
}

const page = [
  ["<style></style>", `<style>${style}</style>`],
  ['<script type="module"></script>', `<script type="module">${script}</script>`],
  ["</html>", `</html>\n<!--\n${licences(Object.keys(bundle.metafile.inputs))}\n-->`],
].reduce((text, [place, content]) => {
  if (text.split(place).length !== 2) {
    throw new Error(`page.html has not exactly one ${place}`);
  }
  return text.replace(place, () => content);
}, readFileSync(join(here, "src/page.html"), "utf8"));

writeFileSync(join(out, "page.html.gz"), gzipSync(page, { level: 9 }));
writeFileSync(
  join(out, "content-security-policy"),
  [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "img-src blob: data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
);

function hash(text) {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

// Of the packages in the bundle; several have the same.
function licences(inputs) {
  const packages = new Set(inputs.map((path) => /^node_modules\/((@[^/]+\/)?[^/]+)\//.exec(path)?.[1]).filter(Boolean));
  const byText = new Map();
  for (const name of [...packages].sort()) {
    const text = readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim();
    byText.set(text, [...(byText.get(text) ?? []), name]);
  }
  return [...byText].map(([text, names]) => `${names.join(", ")}:\n\n${text}`).join("\n\n");
}
