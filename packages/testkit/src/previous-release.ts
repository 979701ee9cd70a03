import { execFile, spawn } from 'node:child_process';
import { mkdir, readdir, readFile, readlink, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from './shared-data.js';

const run = promisify(execFile);
const root = repositoryRoot();
const own = '@kindred';
/** The setting safe.directory lets git read a checkout that belongs to another user. */
const inRoot = ['-c', 'safe.directory=*', '-C', root];

interface Release {
  version: string;
  commit: string;
}

/**
 * Finds the releases before this commit, the newest first, by the dated headings of the changelog: the commit
 * of each is the first one with that version. The list is empty without the history, such as in a shallow
 * clone or an archive.
 */
export async function earlierReleases(): Promise<Release[]> {
  const git = async (...args: string[]) => (await run('git', [...inRoot, ...args])).stdout.trim();
  const releases: Release[] = [];
  try {
    if ((await git('rev-parse', '--is-shallow-repository')) === 'true') return [];
    const head = await git('rev-parse', 'HEAD');
    const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
    for (const [, version] of changelog.matchAll(/^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$/gm)) {
      const commits = await git('log', '--format=%H', `-S"version": "${version}"`, '--', 'package.json');
      const commit = commits.split('\n').at(-1);
      if (commit && commit !== head) releases.push({ version, commit });
    }
  } catch {
    // This machine has no git, or the folder is not a repository.
  }
  return releases;
}

/** Returns the names of the files that the release had in a folder of this checkout. */
export async function filesOfRelease({ commit }: Release, folder: string): Promise<string[]> {
  const path = relative(root, folder);
  const { stdout } = await run('git', [...inRoot, 'ls-tree', '--name-only', `${commit}:${path}`]);
  return stdout.trim().split('\n');
}

/** Builds the release in the folder, with the installed packages of this checkout, and gives its program. */
export async function buildRelease({ commit }: Release, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const archive = spawn('git', [...inRoot, 'archive', commit], { stdio: ['ignore', 'pipe', 'inherit'] });
  const unpack = spawn('tar', ['-x', '-C', folder], { stdio: [archive.stdout, 'inherit', 'inherit'] });
  const code = await new Promise((resolve) => unpack.once('close', resolve));
  if (code !== 0) throw new Error(`the release ${commit} could not be unpacked`);
  const here = join(root, 'node_modules');
  const there = join(folder, 'node_modules');
  await mkdir(join(there, own), { recursive: true });
  for (const name of await readdir(here))
    if (name !== own) await symlink(join(here, name), join(there, name));
  for (const name of await readdir(join(here, own))) {
    const target = await readlink(join(here, own, name));
    if (existsSync(join(there, own, target))) await symlink(target, join(there, own, name));
  }
  // The types were checked when the release was made, so the build skips them.
  await run(join(here, '.bin', 'tsc'), ['-b', '--noCheck'], { cwd: folder });
  return join(folder, 'apps/server/dist/main.js');
}
