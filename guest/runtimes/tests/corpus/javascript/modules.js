// case: {"files": {"lib/counter.js": "exports.n = 0; exports.up = () => ++exports.n;\n", "lib/esm.mjs": "import { up } from './counter.js';\nexport default up;\nexport const url = import.meta.url;\n", "data.json": "[1]", "node_modules/dep/index.js": "module.exports = __filename;\n"}}
const counter = require('./lib/counter');
counter.up();
console.log(require('./lib/counter').n, require('./data'), require('dep'), require.resolve('./lib/esm.mjs'));
console.log(module.children.map((child) => child.id), Object.keys(require.cache));
try {
  require('./none');
} catch (error) {
  console.log(error.code, error.requireStack, error.message);
}
import('./lib/esm.mjs').then((loaded) => console.log(loaded.default(), loaded.url, Object.keys(require.cache).length));
try {
  require('internal/util');
} catch (error) {
  console.log(error.code);
}
console.log(require('module').builtinModules.length, require('module').isBuiltin('fs'));
