// What a program can ask Node.js about itself.
const { inspect } = require('util');
const Module = require('module');
const { main, children, paths, id, filename, loaded, parent } = module;
const show = (name, value) =>
  console.log(name, inspect(value, { depth: 3, maxArrayLength: null, breakLength: Infinity, compact: 100, sorted: true }));
show('argv', [process.argv, process.argv0, process.execArgv, process.execPath, process.title]);
show('environment', process.env);
show('globals', Object.getOwnPropertyNames(globalThis).sort());
for (const [name, { value, get, ...flags }] of Object.entries(Object.getOwnPropertyDescriptors(process)).sort()) {
  show(`process.${name}`, [typeof value, typeof get, flags]);
}
show('preload', process._preload_modules);
show('module', [main, children, paths, id, filename, loaded, parent, require.main === module, module.isPreloading]);
show('caches', [Object.keys(require.cache), Module._pathCache, Module.globalPaths, Object.keys(Module._extensions)]);
show('listeners', process.eventNames().map((name) => [String(name), process.listenerCount(name)]));
show('directory', [process.cwd(), process.umask(), __filename, __dirname]);
for (const stream of [process.stdin, process.stdout, process.stderr]) {
  const events = stream.eventNames().map((name) => [String(name), stream.listenerCount(name)]);
  show('stream', [stream.fd, stream._type, stream.isTTY, stream.constructor.name, stream.writableLength, events]);
}
show('intl', [Intl.DateTimeFormat().resolvedOptions(), new Date(0).toString(), process.exitCode]);
show('stack', [new Error('here').stack, Error.stackTraceLimit]);
show('asynchronous', [require('async_hooks').executionAsyncId(), process.getActiveResourcesInfo()]);
show('versions', [process.versions, process.features, process.report.signal, process.allowedNodeEnvironmentFlags.size]);
