// Installs the pinned packages if they are missing, incomplete or other than those of the lock file.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runTree } from './ending.mjs';

/** The flags for the packages that the build needs, whatever NODE_ENV, .npmrc or the environment leave out. */
const flags = [
  ...['dev', 'optional', 'peer'].map((type) => `--include=${type}`),
  ...['--package-lock=true', '--package-lock-only=false', '--dry-run=false', '--global=false'],
  ...['--bin-links=true', '--install-strategy=hoisted'],
  ...['--no-audit', '--no-fund', '--loglevel=error'],
];

export async function installDependencies(root) {
  if (isInstalled(root)) return;
  process.stderr.write('Installing packages (once; about 400 MB of downloads) ...\n');
  // The record goes first, because `npm ci` removes the packages one by one, and a half of them would pass for the whole.
  rmSync(recordOf(root), { force: true });
  // The installer of onnxruntime is skipped, because it would download GPU libraries, and the CPU library is in its package.
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' };
  const [program, ...args] = npmCommand();
  const { status, signal, said } = await runTree(program, [...args, 'ci', ...flags], {
    cwd: root,
    env,
    output: 2,
  });
  if (status === 0 && isInstalled(root)) return;
  process.stderr.write(`${whyNot(status, signal, said)}\n`);
  process.exit(1);
}

const recordOf = (root) => join(root, 'node_modules', '.package-lock.json');

/**
 * Says whether all packages are installed: npm's own record, which it writes last, has every package of the lock file, with those for
 * development. Optional packages may be for other systems.
 */
export function isInstalled(root) {
  const record = packagesOf(recordOf(root));
  if (record === null) return false;
  const wanted = Object.entries(packagesOf(join(root, 'package-lock.json')) ?? {});
  return wanted.every(([path, { optional, devOptional, version, integrity }]) => {
    if (path === '' || !path.includes('node_modules')) return true;
    const found = record[path];
    if (found === undefined) return optional === true || devOptional === true;
    return found.version === version && found.integrity === integrity;
  });
}

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
  [/ENOSPC/, 'The disk is full: free some space (about 1.5 GB are needed) and start again.'],
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
