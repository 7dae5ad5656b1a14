process.on('exit', (code) => {
  console.log('exit', code, process.exitCode);
  process.exitCode = 8;
});
process.on('beforeExit', () => console.log('before'));
const timer = setInterval(() => {}, 1000);
setTimeout(() => clearInterval(timer), 5);
console.log('body');
