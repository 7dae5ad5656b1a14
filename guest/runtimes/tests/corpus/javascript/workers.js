// Worker threads start as those of a plain Node.js, and draw other random numbers than the main thread.
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
if (isMainThread) {
  const mine = [Math.random(), crypto.randomUUID()];
  const run = (options) =>
    new Promise((resolve, reject) =>
      new Worker(__filename, { workerData: 'data', ...options }).on('message', resolve).on('error', reject),
    );
  (async () => {
    const answers = [await run({}), await run({ argv: ['a'], execArgv: [] }), await run({ env: { ONLY: '1' } })];
    for (const { state } of answers) console.log(JSON.stringify(state));
    console.log(new Set([...mine, ...answers.flatMap(({ random }) => random)]).size);
    await new Promise((resolve) => new Worker('console.log("evaluated", process.execArgv)', { eval: true }).on('exit', resolve));
  })();
} else {
  parentPort.postMessage({
    state: [
      workerData,
      process.argv,
      process.execArgv,
      Object.keys(process.env).sort(),
      process._preload_modules,
      Object.keys(require.cache),
      Object.keys(require('module')._pathCache),
      process.eventNames().map(String),
      Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 1500,
    ],
    random: [Math.random(), crypto.randomUUID()],
  });
}
