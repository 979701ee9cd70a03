// Functions that end everything that a tool started together with the tool: by Ctrl-C, with the terminal, by SIGTERM, and also by SIGKILL
// of the tool or of npm above it.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const parent = process.ppid;
/** The processes that are running, to be ended at once. */
const running = new Set();

/**
 * The shell waits on a pipe from this process. If the pipe closes before a line came, this process has died, and the shell kills the
 * group. The process id would not suffice, because the system may have given it to another process.
 */
const guardian = 'read -r line || kill -s KILL -- "-$1"';

/**
 * Runs a program in a process group of its own that never outlives this process, because npm and compilers start other processes. After
 * `limitMs` the group is killed.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd: string; env?: NodeJS.ProcessEnv; output?: any; limitMs?: number }} options
 * @returns how the program ended, and the last part of its standard error, which is also shown
 */
export function runTree(program, args, { cwd, env = process.env, output = 'inherit', limitMs }) {
  return endable(() => spawnTree(program, args, { cwd, env, output, limitMs }));
}

function spawnTree(program, args, { cwd, env, output, limitMs }) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', output, 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      process.stderr.write(text);
      said = (said + text).slice(-10_000);
    });
    if (child.pid === undefined) {
      child.once('error', (error) => resolve({ status: null, signal: null, said: error.message }));
      return;
    }
    const end = () => killGroup(child.pid);
    running.add(end);
    const limit = limitMs === undefined ? undefined : setTimeout(end, limitMs);
    const guard = spawn('/bin/sh', ['-c', guardian, 'sh', String(child.pid)], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    guard.on('error', () => {});
    guard.stdin.on('error', () => {});
    child.once('close', (status, signal) => {
      running.delete(end);
      clearTimeout(limit);
      guard.stdin.end('ended\n');
      resolve({ status, signal, said });
    });
  });
}

function killGroup(id) {
  try {
    process.kill(-id, 'SIGKILL');
  } catch {
    // The error is ignored, because the process has ended.
  }
}

let works = 0;
let unwatch = () => {};

/** Lets every request to end this process take effect at once during `work`, with all processes that it started. */
export async function endable(work) {
  if (works === 0) unwatch = whenAsked(endAll);
  works += 1;
  try {
    return await work();
  } finally {
    works -= 1;
    if (works === 0) unwatch();
  }
}

function endAll(signal) {
  for (const end of running) end();
  process.stderr.write('Interrupted; the next start does the rest.\n');
  process.exit(128 + constants.signals[signal]);
}

/**
 * Calls `act` for each signal that asks this process to end, and once when its parent is gone, because npm does not forward every signal,
 * and none when it is killed.
 *
 * @returns a function that ends the calls
 */
export function whenAsked(act) {
  /** @type {[string, () => void][]} */
  const handlers = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => [signal, () => act(signal)]);
  for (const [signal, handler] of handlers) process.on(signal, handler);
  const watch = setInterval(() => {
    // A shell that ends (nohup, a script that goes on) ends nothing unless npm runs this process.
    if (process.ppid === parent || process.env.npm_lifecycle_event === undefined) return;
    clearInterval(watch);
    act('SIGTERM');
  }, 250);
  watch.unref();
  return () => {
    clearInterval(watch);
    for (const [signal, handler] of handlers) process.off(signal, handler);
  };
}

// A closed terminal must not prevent a clean end.
process.stderr.on('error', () => {});
