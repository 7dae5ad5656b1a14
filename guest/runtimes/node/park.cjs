'use strict';
// The parked Node.js: starts, waits for a program, and becomes a fresh process that runs it.
//
// Two variables of the environment, which only the agent sets and no program gets to see, say what is wanted of
// `node --require /usr/lib/hexr-sandbox/park.cjs /workspace/main.js`: HEXR_PARK_FD to park, HEXR_PROGRAM to run the program of a
// call in a fresh process. Life of a parked interpreter:
//
//   rehearsed Node.js has started and is about to load the script, which does not exist yet. What it will go through then, from
//             the call to the end of a program, it has gone through once: V8 compiles each function at its first call.
//   parked    one byte `P` written, blocked in read(2). A snapshot is taken here and resumed many times: docs/resume-hazards.md.
//   launched  arguments, environment, directory, random generators and clocks are those of the call. When the call asks for
//             what only a new process can give, the process executes Node.js anew, with HEXR_PROGRAM. Otherwise this file
//             returns, having removed its traces, and Node.js loads the script as it always does.
//
// Any failure ends the process with status 70 and its stack: no template is made from a doubtful state, and no program runs in
// one. End of stream while parked means that the agent is gone: the process ends too.
//
// Worker threads load this file again (Node.js hands them the options of its command line): there it only hides itself.

const fs = require('fs');
const Module = require('module');

// Variables that Node.js or a library in it reads once, at its start, by how their names begin. A call that gives one of them
// another value than the parked process had gets a new process. Listed in guest/runtimes/README.md.
const START_ONLY = ['NODE_', 'UV_', 'OPENSSL_', 'SSL_', 'ICU_', 'LANG', 'LC_', 'LD_', 'GLIBC_', 'MALLOC_'];

const WORKSPACE = '/workspace';
const REHEARSAL = `${__dirname}/rehearsal.cjs`;

function park(descriptor) {
  const addon = { exports: {} };
  process.dlopen(addon, `${__dirname}/resume.node`);
  const resume = addon.exports;
  const { milestones, constants } = resume.performanceState();
  keepAllOutput();
  shortenExit(resume);
  const parkedEnvironment = { ...process.env };
  const become = (call, parkedAt) => {
    if (mustBeFresh(call, parkedEnvironment)) {
      const environment = [...call.environment, ['HEXR_PROGRAM', '1']].map((pair) => pair.join('='));
      resume.execute([process.execPath, '--require', __filename, ...call.arguments], environment);
    }
    resume.reseed();
    skipTime(process.hrtime.bigint() - parkedAt, resume, milestones, constants);
    assume(call);
  };
  rehearse(become, parkedEnvironment);
  resume.rememberMemory();
  const parkedAt = process.hrtime.bigint();
  fs.writeSync(descriptor, 'P');
  const call = parseCall(readBody(descriptor, resume.touchMemory));
  fs.closeSync(descriptor);
  become(call, parkedAt);
}

// A call that changes nothing, and a program that writes nothing. Each trace is removed: what is left is compiled functions.
function rehearse(become, environment) {
  const zeros = fs.openSync('/dev/zero');
  readExactly(zeros, 4).readUInt32LE();
  fs.closeSync(zeros);
  const variables = Object.entries(environment).map((pair) => pair.join('='));
  become(parseCall(blob(process.argv.slice(1), variables)), process.hrtime.bigint());
  Module.runMain(REHEARSAL);
  delete process.mainModule;
  forget(REHEARSAL);
  const { Writable } = require('stream');
  const nowhere = new Writable({ write: (chunk, encoding, done) => done() });
  new console.Console(nowhere).log('%s', 'text', 1, { of: ['all', null] });
  process.stdout.write('');
  process.stderr.write('');
  process._tickCallback();
}

// The pipes of stdout and stderr stay in blocking mode. Node.js sets them to non-blocking and loses at process.exit() what did
// not fit; the agent always reads on, so that a write never waits for long.
function keepAllOutput() {
  for (const stream of [process.stdout, process.stderr]) {
    stream._handle?.setBlocking?.(true);
  }
}

function shortenExit(resume) {
  const { privateSymbols, constants } = resume.utilBinding();
  resume.shortenExit(process[privateSymbols.exit_info_private_symbol], constants.kHasExitCode, constants.kExitCode);
}

// "The launch blob" in docs/agent-protocol.md. The seed at its end is not needed: the kernel's generator is used.
function readBody(descriptor, touchMemory) {
  let length;
  while ((length = readExactly(descriptor, 4).readUInt32LE()) === 0) touchMemory();
  return readExactly(descriptor, length);
}

function parseCall(body) {
  let position = 8;
  const strings = (count) =>
    Array.from({ length: count }, () => {
      const end = position + 4 + body.readUInt32LE(position);
      const text = body.toString('utf8', position + 4, end);
      position = end;
      return text;
    });
  const programArguments = strings(body.readUInt32LE(0));
  const environment = strings(body.readUInt32LE(4)).map((pair) => {
    const equals = pair.indexOf('=');
    return [pair.slice(0, equals), pair.slice(equals + 1)];
  });
  return { arguments: programArguments, environment };
}

function readExactly(descriptor, length) {
  const data = Buffer.alloc(length);
  for (let filled = 0; filled < length; ) {
    const count = fs.readSync(descriptor, data, filled, length - filled, null);
    if (count === 0) throw new Error('the agent is gone');
    filled += count;
  }
  return data;
}

// The body of a blob, as the agent would send it.
function blob(...lists) {
  const number = (value) => Buffer.from(Uint32Array.of(value).buffer);
  const strings = lists.flat().map((text) => Buffer.from(text));
  const counts = lists.map((list) => number(list.length));
  return Buffer.concat([...counts, ...strings.flatMap((text) => [number(text.length), text])]);
}

function mustBeFresh(call, parkedEnvironment) {
  const environment = Object.fromEntries(call.environment);
  const names = new Set([...Object.keys(environment), ...Object.keys(parkedEnvironment)]);
  const changed = [...names].filter((name) => environment[name] !== parkedEnvironment[name] && name !== 'NODE_ENV');
  // Node.js has looked for a package.json when it loaded this file, and remembers that there was none.
  return (
    changed.some((name) => START_ONLY.some((start) => name.startsWith(start))) ||
    fs.existsSync(`${WORKSPACE}/package.json`)
  );
}

// The time spent parked did not happen: the process started that much later.
function skipTime(nanoseconds, resume, milestones, constants) {
  const {
    NODE_PERFORMANCE_MILESTONE_TIME_ORIGIN: origin,
    NODE_PERFORMANCE_MILESTONE_TIME_ORIGIN_TIMESTAMP: timestamp,
  } = constants;
  for (let i = 0; i < milestones.length; i++) {
    if (i !== timestamp && milestones[i] !== -1) milestones[i] += Number(nanoseconds);
  }
  milestones[timestamp] = Date.now() * 1e3 - (Number(process.hrtime.bigint()) - milestones[origin]) / 1e3;
  resume.moveStart(nanoseconds, milestones[timestamp]);
}

function assume(call) {
  process.argv.splice(1, Infinity, ...call.arguments);
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of call.environment) process.env[name] = value; // sets the time zone, too
  Module._initPaths(); // of HOME
  process.chdir(WORKSPACE); // mounted anew since: the old directory is another one
}

function hide() {
  process.execArgv.length = 0;
  Object.defineProperty(process, '_preload_modules', { value: [] });
  forget(__filename);
}

// As if that file had never been loaded.
function forget(file) {
  delete Module._cache[file];
  for (const key of Object.keys(Module._pathCache)) {
    if (Module._pathCache[key] === file) delete Module._pathCache[key];
  }
}

try {
  const { HEXR_PARK_FD: descriptor, HEXR_PROGRAM: program } = process.env;
  hide();
  if (descriptor !== undefined) {
    delete process.env.HEXR_PARK_FD;
    park(Number(descriptor));
  } else if (program !== undefined) {
    delete process.env.HEXR_PROGRAM;
    keepAllOutput();
  }
} catch (error) {
  fs.writeSync(2, `${error.stack}\n`);
  process.reallyExit(70); // EX_SOFTWARE
}
