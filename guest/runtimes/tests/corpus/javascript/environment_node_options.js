// case: {"environment": {"NODE_OPTIONS": "--stack-trace-limit=3 --no-warnings", "NODE_PATH": "/workspace/lib"}, "files": {"lib/found.js": "exports.found = true;\n"}, "arguments": ["a b"]}
process.emitWarning('not shown');
console.log(Error.stackTraceLimit, require('found'), process.execArgv, process.argv, Object.keys(process.env).filter((n) => /HEXR/.test(n)));
