import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProblemError } from '@kindred/contracts';
import { findRuntime } from './load.js';
import { lockFile, packageName, readLock, runtimeFolder, runtimeVersion } from './place.js';

/** The flags that install just the locked packages, whatever the configuration of npm says, and run no program of the packages. */
const flags = [
  ...['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
  ...['--package-lock=true', '--package-lock-only=false', '--dry-run=false', '--global=false'],
];

export interface InstallOptions {
  /** A function that is called with a sentence before a download. */
  remark: (text: string) => void;
  /** The command of npm. @default the one beside Node, else that of PATH */
  npm?: readonly string[];
}

/** Installs ONNX Runtime if it is missing. @throws ProblemError fetch_failed, which says what else can be done */
export async function ensureRuntime(modelsDir: string, options: InstallOptions): Promise<void> {
  if (findRuntime(modelsDir) === null) await installRuntime(modelsDir, options);
}

/** Downloads the package by npm, whose registry, proxy and certificates are the user's. Only the library of this platform is kept. */
export async function installRuntime(
  modelsDir: string,
  { remark, npm = npmCommand() }: InstallOptions,
): Promise<void> {
  const target = runtimeFolder(modelsDir);
  const draft = `${target}.${process.pid}.draft`;
  remark(
    `Installing ONNX Runtime ${runtimeVersion()}, which runs language models (once; a download of 115 MB, of which 50 stay) ...\n`,
  );
  try {
    await mkdir(draft, { recursive: true });
    await copyFile(fileURLToPath(lockFile), join(draft, 'package-lock.json'));
    await writeFile(join(draft, 'package.json'), JSON.stringify(readLock().packages['']));
    const said = await run([...npm, 'ci', ...flags, '--cache', join(draft, '.npm')], draft);
    if (said !== null) throw notInstalled(target, said);
    await rm(join(draft, '.npm'), { recursive: true, force: true });
    await removeOtherPlatforms(join(draft, 'node_modules', packageName));
    // The error is ignored if another process was faster.
    await rename(draft, target).catch((error) => {
      if (!existsSync(target)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Removes the libraries of other platforms: bin/<version of Node-API>/<platform>/<architecture>. */
async function removeOtherPlatforms(folder: string): Promise<void> {
  const bin = join(folder, 'bin');
  for (const api of await readdir(bin))
    for (const platform of await readdir(join(bin, api)))
      for (const architecture of await readdir(join(bin, api, platform)))
        if (platform !== process.platform || architecture !== process.arch)
          await rm(join(bin, api, platform, architecture), { recursive: true });
}

function npmCommand(): readonly string[] {
  const beside = join(dirname(dirname(process.execPath)), 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  return existsSync(beside) ? [process.execPath, beside] : ['npm'];
}

/** Runs a command. Returns null, or the last part of its output if it failed. */
function run([program, ...args]: readonly string[], cwd: string): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-2000)));
    child.once('error', (error) => resolve(error.message));
    child.once('close', (status) => resolve(status === 0 ? null : said.trim()));
  });
}

const notInstalled = (target: string, said: string): ProblemError =>
  new ProblemError(
    'fetch_failed',
    `ONNX Runtime ${runtimeVersion()} could not be installed: npm ci said "${said}". Run "kindred models check <name>" where npm reaches a registry of packages, or copy ${target} from a machine of the same kind (${process.platform} ${process.arch}) that has it`,
  );
