// Finds the programs that the benchmarks compare with, and installs those that are missing into a folder that is thrown away.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { data, peers } from './plan.mjs';

const says = (program, args, options = {}) =>
  spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options });
const lastLine = (text) => text?.trim().split('\n').at(-1) ?? '';
const findsModule = (python, module) =>
  says(python, ['-c', `import importlib.util, sys; sys.exit(importlib.util.find_spec('${module}') is None)`])
    .status === 0;
const isOnPath = (program, path) =>
  path.split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, program)));

/**
 * Returns the Python for peers: the one that the user named, else one of its own in the folder; null, with the reason, without any.
 *
 * @returns {{ python: string | null; isOwn: boolean; why?: string }}
 */
function pythonFor(folder) {
  const named = process.env.KINDRED_PEERS_PYTHON;
  if (named) return { python: named, isOwn: false };
  const environment = join(folder, 'python');
  const made = says('python3', ['-m', 'venv', environment]);
  if (made.status === 0) return { python: join(environment, 'bin', 'python'), isOwn: true };
  return {
    python: null,
    isOwn: true,
    why: `no Python with venv: ${made.error?.message ?? lastLine(made.stderr)}`,
  };
}

/**
 * Returns why a Python module is missing; null if it is there, which a throw-away environment makes sure of.
 *
 * @param {import('./plan.mjs').Peer} peer
 * @param {ReturnType<typeof pythonFor>} found
 */
function lackOfModule({ module, pip }, { python, isOwn, why }) {
  if (python === null) return why;
  if (findsModule(python, module)) return null;
  if (!isOwn) return `${python} has no module ${module}`;
  if (pip === undefined)
    return `too large to install for one run: KINDRED_PEERS_PYTHON names a Python that has ${module}`;
  const { status, stderr } = says(python, ['-m', 'pip', 'install', '--quiet', pip], { timeout: 300_000 });
  return status === 0 ? null : `pip install ${pip} failed: ${lastLine(stderr)}`;
}

/**
 * Returns why a program is missing; null if it is on the path, or was unpacked to the folder.
 *
 * @param {import('./plan.mjs').Peer} peer
 */
function lackOfProgram({ program, debian, unpack }, folder, path) {
  if (isOnPath(program, path)) return null;
  const advice = `${program} is not installed; on Debian: apt-get install ${debian}`;
  if (!unpack) return advice;
  const place = join(folder, debian);
  mkdirSync(place, { recursive: true });
  const got = says('apt-get', ['download', debian], { cwd: place, timeout: 120_000 });
  const file = readdirSync(place).find((name) => name.endsWith('.deb'));
  if (got.status !== 0 || file === undefined) return advice;
  return says('dpkg-deb', ['-x', join(place, file), folder]).status === 0 ? null : advice;
}

/**
 * Finds or installs all peers.
 *
 * @param {string} folder a folder to install into
 * @returns the environment for benchmarks, and why each missing peer is missing, by its name
 */
export function preparePeers(folder) {
  mkdirSync(folder, { recursive: true });
  const found = pythonFor(folder);
  const path = [process.env.PATH ?? '', join(folder, 'usr', 'bin')].join(delimiter);
  /** @type {Map<string, string>} */
  const missing = new Map();
  for (const [name, peer] of Object.entries(peers)) {
    const why =
      peer.module !== undefined
        ? lackOfModule(peer, found)
        : peer.program !== undefined
          ? lackOfProgram(peer, folder, path)
          : process.env[peer.variable]
            ? null
            : `${peer.variable} is not set`;
    if (why !== null) missing.set(name, why);
  }
  /** @type {NodeJS.ProcessEnv} */
  const environment = { ...process.env, PATH: path };
  if (found.python !== null) environment.KINDRED_PEERS_PYTHON = found.python;
  if (found.python !== null && !missing.has('cafaeval')) environment.CAFAEVAL_PYTHON ??= found.python;
  return { environment, missing };
}

/** Returns the folders of the data by name, and why others are missing. */
export function findData() {
  const folders = {};
  /** @type {Map<string, string>} */
  const missing = new Map();
  for (const [name, { variable, file, words }] of Object.entries(data)) {
    const folder = process.env[variable];
    if (folder !== undefined && existsSync(join(folder, file))) folders[name] = folder;
    else if (folder === undefined) missing.set(name, `${variable} is not set; it names ${words}`);
    else missing.set(name, `${folder} (${variable}) has no ${file}`);
  }
  return { folders, missing };
}
