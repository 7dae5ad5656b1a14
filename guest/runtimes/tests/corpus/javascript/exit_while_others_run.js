// What is under way when the event loop is empty: a worker that nobody waits for, a child, a promise, output in the pipes.
const { spawn } = require('child_process');
const { Worker } = require('worker_threads');
const worker = new Worker("console.log('from the worker'); setInterval(() => {}, 1000)", { eval: true });
worker.on('online', () => {
  worker.unref();
  spawn('/bin/sleep', ['60'], { stdio: 'ignore' }).unref();
  new Promise(() => {}).then(() => console.log('never'));
  process.stdout.write('y'.repeat(300000));
});
process.on('exit', () => {
  process.stdout.write('end\n');
  process.exitCode = 300;
});
