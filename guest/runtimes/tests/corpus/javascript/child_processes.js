// case: {"arguments": ["top"]}
const { execFileSync, fork, spawnSync } = require('child_process');
const cluster = require('cluster');
if (process.argv[2] === 'top') {
  process.env.MINE = 'yes';
  const environment = execFileSync('/usr/bin/env', { encoding: 'utf8' });
  console.log(environment);
  const code = 'console.log(JSON.stringify([process.execArgv, process.argv.slice(1), process._preload_modules, process.env]))';
  console.log({ ...spawnSync(process.execPath, ['-e', code, 'x'], { encoding: 'utf8' }), pid: undefined });
  const child = fork(__filename, ['child']);
  child.on('message', (message) => console.log('told', JSON.stringify(message)));
  child.on('exit', (status) => {
    console.log('status', status);
    cluster.fork({ ROLE: 'worker' }).on('exit', (workerStatus) => console.log('cluster', workerStatus));
  });
  cluster.setupPrimary({ args: ['clustered'] });
} else if (process.argv[2] === 'child') {
  process.send([process.argv, process.execArgv, Object.keys(process.env).filter((name) => name.includes('HEXR'))]);
  process.disconnect();
  process.exitCode = 4;
} else {
  console.log(cluster.isWorker, process.env.ROLE, process.argv.slice(2), process.execArgv);
  process.exit(6);
}
