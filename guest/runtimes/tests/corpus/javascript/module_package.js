// case: {"files": {"package.json": "{\"type\": \"module\", \"imports\": {\"#x\": \"./x.js\"}}", "x.js": "export const x = 3;\n"}}
import { x } from '#x';
import { createRequire } from 'node:module';

console.log(x, createRequire(import.meta.url)('./package.json').type);
