// Copies of the checkout in which the service starts, and a search for everything that is left after its end.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The limit that only a hang exceeds. */
const patienceMs = 600_000;
/** The pause between two searches for processes. */
const lookMs = 100;
/**
 * The number of searches after which nothing may be left: 10 s after an end. Searches take longer on a busy machine, where the service
 * gets little time, too.
 */
const looksOfDeadline = 10_000 / lookMs;
/** A mark in the environment of all processes of a world. PostgreSQL, whose environment is clean, is recognised by its data folder. */
const mark = 'KINDRED_ENVIRONMENTS';

export class Refused extends Error {}

/** Runs a command to its end. @throws Error with the command's output if it fails */
export async function run(command, { cwd, env, input } = {}) {
  const child = spawn(command[0], command.slice(1), { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  // The error is ignored, because a command may end without reading its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const code = await new Promise((resolve, reject) => child.on('close', resolve).on('error', reject));
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${output.slice(-3000)}`);
  return output;
}

/**
 * Copies the checkout. Packages are hard links, so a copy takes a few seconds. The copy has folders of its own, whose modes may change;
 * the modes of packages may not.
 *
 * @param options with `whole: false` the copy is neither installed nor built
 */
export async function copyCheckout(to, { whole = true } = {}) {
  mkdirSync(to, { recursive: true });
  const names = readdirSync('.').filter(
    (name) => !['.git', 'data', '.kindred', 'node_modules'].includes(name),
  );
  await run(['cp', '--archive', ...names, to]);
  if (whole) return run(['cp', '--archive', '--link', 'node_modules', to]);
  // The folders that installation and build make.
  const made = ['dist', 'build', 'node_modules'].flatMap((name) => ['-o', '-name', name]).slice(1);
  const found = await run(['find', to, '-type', 'd', '(', ...made, ')', '-prune']);
  await run(['rm', '-rf', ...found.split('\n').filter(Boolean)]);
  await run(['find', to, '-name', '*.tsbuildinfo', '-delete']);
}

function kill(id, signal) {
  try {
    process.kill(id, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

export class World {
  output = '';
  code = null;
  #child = null;
  #ended = null;
  #mark = randomBytes(8).toString('hex');
  static #all = new Set();

  /** @param options `wrap` is what commands run under, `umask` their mask, and `env` their variables, where undefined removes one */
  constructor(clone, dataDir, options = {}) {
    this.clone = clone;
    this.dataDir = dataDir;
    this.options = options;
    this.temporary = options.temporary ?? `${dataDir}-tmp`;
  }

  #environment() {
    const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|SVC_|CI$|KINDRED_)/i.test(name));
    const given = {
      [mark]: this.#mark,
      SVC_DATA_DIR: this.dataDir,
      SVC_LOAD_EXAMPLES: 'small',
      XDG_STATE_HOME: `${this.dataDir}-state`,
      TMPDIR: this.temporary,
      ...this.options.env,
    };
    const all = { ...Object.fromEntries(kept), ...given };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  }

  /** Returns a command under the conditions of this world. */
  #command(words) {
    const { wrap = [], umask = '022' } = this.options;
    return [...wrap, 'sh', '-c', `umask ${umask} && exec "$@"`, 'sh', ...words];
  }

  start(...args) {
    World.#all.add(this);
    this.output = '';
    this.code = null;
    if (!existsSync(this.temporary)) mkdirSync(this.temporary, { mode: 0o777 });
    const [program, ...rest] = this.#command(['npm', 'start', '--silent', '--', '--port', '0', ...args]);
    this.#child = spawn(program, rest, {
      cwd: this.clone,
      env: this.#environment(),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const started = this.#child;
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (text) => started === this.#child && (this.output += text));
    this.#ended = new Promise((resolve) => {
      started.once('close', (code, signal) => {
        // The end of a killed process may come late, when another one runs already.
        if (started === this.#child) this.code = code ?? signal;
        resolve();
      });
    });
  }

  async until(words) {
    const deadline = Date.now() + patienceMs;
    while (!words.test(this.output)) {
      if (this.code !== null)
        throw new Refused(`it ended with ${this.code} and said:\n${this.output.slice(-3000)}`);
      if (Date.now() > deadline)
        throw new Error(`it did not say ${words}, but:\n${this.output.slice(-3000)}`);
      await sleep(50);
    }
    return words.exec(this.output);
  }
  ready() {
    return this.until(/Kindred is ready: +(http\S+)/);
  }
  async end() {
    return this.#ended;
  }

  /** Sends a signal to npm alone, or to all processes of its group, as a terminal does. */
  signal(name, target = 'group') {
    kill(target === 'group' ? -this.#child.pid : this.#child.pid, name);
  }

  /** Annotates the first three example proteins, by the command line. */
  async annotate({ cwd = this.clone, env = {} } = {}) {
    const text = readFileSync(join(this.clone, 'examples', 'queries.fasta'), 'utf8');
    const three = text
      .split(/^(?=>)/m)
      .filter(Boolean)
      .slice(0, 3)
      .join('');
    const words = [join(this.clone, 'kindred'), 'annotate', '-', '--quiet'];
    const environment = Object.entries({ ...this.#environment(), ...env }).filter(
      ([, value]) => value !== undefined,
    );
    const answer = await run(this.#command(words), {
      cwd,
      env: Object.fromEntries(environment),
      input: three,
    });
    if (!/GO:\d{7}/.test(answer)) throw new Error(`no GO term in the answer:\n${answer.slice(0, 2000)}`);
  }

  /** Ends all worlds after a failure. */
  static async killAll() {
    for (const world of World.#all) {
      for (const line of world.processes()) kill(Number.parseInt(line, 10), 'SIGKILL');
      await world.gone();
    }
    World.#all.clear();
  }

  /**
   * Waits until no process of this world is left. @returns the seconds that the wait took @throws Error after 10 s, counted in searches
   */
  async gone() {
    const started = Date.now();
    for (let looks = 0; ; looks += 1) {
      const left = this.processes();
      const seconds = (Date.now() - started) / 1000;
      if (left.length === 0) return seconds;
      if (looks === looksOfDeadline)
        throw new Error(`still running after ${looks} looks (${seconds.toFixed(0)} s):\n${left.join('\n')}`);
      await sleep(lookMs);
    }
  }

  processes() {
    const mine = [`${mark}=${this.#mark}`, `\0${this.dataDir}/postgres/`];
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .flatMap((id) => {
        try {
          const read = (file) => readFileSync(`/proc/${id}/${file}`, 'utf8');
          const command = read('cmdline');
          const isMine = mine.some((words) => `\0${read('environ')}\0${command}`.includes(words));
          return isMine && !/\) Z /.test(read('stat')) ? [`${id} ${command.replaceAll('\0', ' ')}`] : [];
        } catch {
          return [];
        }
      });
  }

  /** Finds locks and unfinished files. */
  leftovers() {
    const locks = ['service.json', 'service.lock', 'postgres/data/postmaster.pid'].map((name) =>
      join(this.dataDir, name),
    );
    const named = [...locks, join(this.clone, '.kindred', 'build.lock')].filter(existsSync);
    const unfinished = [this.dataDir, join(this.dataDir, 'postgres')].flatMap((folder) =>
      existsSync(folder)
        ? readdirSync(folder).filter((name) => /\.new-|\.stale-|\.draft|\.\d+$/.test(name))
        : [],
    );
    const temporary = existsSync(this.temporary) ? readdirSync(this.temporary) : [];
    return [...named, ...unfinished, ...temporary];
  }

  /** Lists files of the data folder that others could read. */
  open() {
    const walk = (path) => {
      const found = statSync(path);
      const open = (found.mode & 0o077) === 0 ? [] : [`${path} ${(found.mode & 0o777).toString(8)}`];
      return found.isDirectory() && found.uid === 0
        ? [...open, ...readdirSync(path).flatMap((name) => walk(join(path, name)))]
        : open;
    };
    return walk(this.dataDir);
  }
}
