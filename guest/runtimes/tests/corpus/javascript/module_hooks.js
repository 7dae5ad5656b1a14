// case: {"files": {"hooks.mjs": "export async function resolve(s, c, next) { return s === 'virtual:x' ? { url: 'virtual:x', shortCircuit: true } : next(s, c); }\nexport async function load(u, c, next) { return u === 'virtual:x' ? { format: 'module', source: 'export default 7', shortCircuit: true } : next(u, c); }\n"}}
const { register } = require('module');
const { pathToFileURL } = require('url');
register('./hooks.mjs', pathToFileURL(__filename));
import('virtual:x').then((loaded) => console.log(loaded.default, process.execArgv));
