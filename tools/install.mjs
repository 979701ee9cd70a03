// Installs the pinned packages when they are missing, incomplete or other than those of the lock file: for `npm start` those that build and
// run the service (`dependencies` of all manifests), for everything else also those that check and test it.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runTree } from './ending.mjs';

/** The sets of packages: what is downloaded, and what is then in node_modules, in MB. `.ci/suites/first-start.mjs` compares the first. */
export const sets = {
  service: { what: 'the packages that build and run the service', download: 170, disk: 350 },
  everything: { what: 'all packages, with those that check and test', download: 410, disk: 1000 },
};

/** Flags for the packages that are asked for, whatever NODE_ENV, .npmrc or the environment leave out. */
const flags = (wanted) => [
  ...['optional', 'peer'].map((type) => `--include=${type}`),
  wanted === 'everything' ? '--include=dev' : '--omit=dev',
  ...['--package-lock=true', '--package-lock-only=false', '--dry-run=false', '--global=false'],
  ...['--bin-links=true', '--install-strategy=hoisted'],
  ...['--no-audit', '--no-fund', '--loglevel=error'],
];

/** @param wanted 'service': what `npm start` needs; 'everything': also what checks and tests */
export async function installDependencies(root, wanted) {
  if (isInstalled(root, wanted)) return;
  // A checkout that has packages for development keeps them.
  const set = hasDevelopment(root) ? 'everything' : wanted;
  const { what, download, disk } = sets[set];
  process.stderr.write(
    `Installing ${what} (once; about ${download} MB of downloads, ${disk} MB on disk) ...\n`,
  );
  // `npm ci` removes the packages one by one: without its record of them, a half of them does not pass for the whole.
  rmSync(recordOf(root), { force: true });
  // The installer of onnxruntime is skipped, because it would download GPU libraries, and the CPU library is in its package.
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' };
  const [program, ...args] = npmCommand();
  const { status, signal, said } = await runTree(program, [...args, 'ci', ...flags(set)], {
    cwd: root,
    env,
    output: 2,
  });
  if (status === 0 && isInstalled(root, wanted)) return;
  process.stderr.write(`${whyNot(status, signal, said)}\n`);
  process.exit(1);
}

const recordOf = (root) => join(root, 'node_modules', '.package-lock.json');

/**
 * True when npm's own record, which it writes when all is done, has every package of the lock file that is wanted. Optional
 * packages may be for other systems.
 */
export function isInstalled(root, wanted) {
  const record = packagesOf(recordOf(root));
  if (record === null) return false;
  const locked = Object.entries(packagesOf(join(root, 'package-lock.json')) ?? {});
  return locked.every(([path, { dev, optional, devOptional, version, integrity }]) => {
    if (path === '' || !path.includes('node_modules')) return true;
    if (dev === true && wanted === 'service') return true;
    const found = record[path];
    if (found === undefined) return optional === true || devOptional === true;
    return found.version === version && found.integrity === integrity;
  });
}

const hasDevelopment = (root) =>
  Object.values(packagesOf(recordOf(root)) ?? {}).some(
    ({ dev, optional }) => dev === true && optional !== true,
  );

function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return null;
  }
}

/** Finds the npm that runs this program, else the one next to Node, else the one of PATH. pnpm and yarn have other lock files. */
function npmCommand() {
  const beside = join(dirname(dirname(process.execPath)), 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const found = [process.env.npm_execpath ?? '', beside].find(
    (path) => path.endsWith('npm-cli.js') && existsSync(path),
  );
  return found === undefined ? ['npm'] : [process.execPath, found];
}

const faults = [
  [/ENOSPC/, 'The disk is full: free some space (3 GB are enough for a first start) and start again.'],
  [/EACCES|EPERM|EROFS/, 'The folder cannot be written: become its owner, or copy it to one of yours.'],
  [
    /ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ERR_SOCKET|ENETUNREACH|EHOSTUNREACH|CERT|code E[45]\d\d/,
    'Check the network connection to the npm registry (and the proxy, if there is one) and start again.',
  ],
];

function whyNot(status, signal, said) {
  if (signal !== null) return `npm ci was ended (${signal}); start again.`;
  if (status === null) return `npm cannot be started (${said}): install it beside Node.`;
  if (status === 0)
    return 'npm ci left packages out that the build needs: look for `omit` in .npmrc and start again.';
  const advice = faults.find(([words]) => words.test(said))?.[1];
  return `npm ci failed; the lines above say why. ${advice ?? 'The next start tries again.'}`;
}
