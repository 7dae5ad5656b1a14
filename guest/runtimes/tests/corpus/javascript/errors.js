// case: {"files": {"bad.js": "const x = ;\n", "thrower.js": "exports.fail = () => { throw new RangeError('thrown'); };\n"}}
process.on('uncaughtExceptionMonitor', (error, origin) => console.log('monitor', error.message, origin));
try {
  require('./bad');
} catch (error) {
  console.log(error.name, error.stack);
}
process.emitWarning('mind', 'Mine', 'CODE');
const error = new Error('outer', { cause: new Error('inner') });
error.extra = { deep: [1, 2] };
console.log(error);
require('./thrower').fail();
