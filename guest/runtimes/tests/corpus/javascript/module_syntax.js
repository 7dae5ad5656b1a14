import fs, { readFileSync } from 'node:fs';
import process from 'process';

const answer = await new Promise((resolve) => setTimeout(resolve, 5, 42));
console.log(answer, import.meta.url, import.meta.filename, typeof require, typeof module, this, fs.readFileSync === readFileSync);
console.log(process.argv, process.execArgv, new Error('here').stack);
export const exported = 1;
console.log(Object.keys(await import(import.meta.url)));
