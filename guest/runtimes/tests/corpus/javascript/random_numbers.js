// Contexts of one process draw different numbers.
const vm = require('vm');
const { randomBytes, randomInt, webcrypto } = require('crypto');
const drawn = [
  Math.random(),
  Math.random(),
  vm.runInNewContext('Math.random()'),
  vm.runInNewContext('Math.random()'),
  randomBytes(8).toString('hex'),
  randomInt(2 ** 40),
  crypto.randomUUID(),
  crypto.randomUUID(),
  webcrypto.getRandomValues(new Uint32Array(2)).join(),
];
console.log(new Set(drawn).size, Math.random() < 1);
randomBytes(8, (error, bytes) => console.log(error, bytes.length));
