import 'node:os';

await Promise.reject(new TypeError('not awaited well'));
