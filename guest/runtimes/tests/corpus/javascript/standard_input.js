// case: {"stdin": "one\ntwo ü\nlast"}
const readline = require('readline');
const lines = [];
readline
  .createInterface({ input: process.stdin })
  .on('line', (line) => lines.push(line))
  .on('close', () => console.log(lines, process.stdin.readableEnded));
