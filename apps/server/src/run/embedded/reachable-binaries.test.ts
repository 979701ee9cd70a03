import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBinaries, type PostgresBinaries } from './binaries.js';
import { reachableBinaries } from './reachable-binaries.js';

const run = promisify(execFile);
const nobody = { uid: 65534, gid: 65534 };

/** Only root runs the server as another user, and needs copies. */
describe.runIf(process.getuid?.() === 0)('programs that another user must run', () => {
  let folder: string;
  let copies: string;
  let installed: PostgresBinaries;
  const umask = process.umask();
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kindred-binaries-'));
    await chmod(folder, 0o755);
    copies = join(folder, 'copies');
    installed = await findBinaries();
    // Hardened servers use this mask, which is the strictest.
    process.umask(0o077);
  });
  afterEach(async () => {
    process.umask(umask);
    await rm(folder, { recursive: true });
  });

  /** Makes an installation as umask 077 would: its folders have mode 700, its files 600 and 700. */
  async function closedInstallation(name: string, version = installed.version): Promise<PostgresBinaries> {
    const root = join(folder, name);
    await cp(installed.root, root, { recursive: true, verbatimSymlinks: true });
    await run('chmod', ['-R', 'go=', root]);
    const bin = (program: string) => join(root, 'bin', program);
    return { ...installed, root, version, initdb: bin('initdb'), postgres: bin('postgres') };
  }

  it('stay where they are when that user reaches them', async () => {
    const open = { ...(await closedInstallation('open')) };
    await run('chmod', ['-R', 'go=rX', open.root]);
    expect(await reachableBinaries(open, nobody, copies)).toBe(open);
    expect(await readdir(folder)).toEqual(['open']);
  });

  it('are copied once for all checkouts, so that the user can run them', async () => {
    const [first, second] = [await closedInstallation('first'), await closedInstallation('second')];
    const copied = await reachableBinaries(first, nobody, copies);
    expect((await reachableBinaries(second, nobody, copies)).root).toBe(copied.root);
    expect(await readdir(copies)).toEqual([installed.version]);
    const said = await run(copied.postgres, ['--version'], nobody);
    expect(said.stdout).toMatch(/PostgreSQL\) 18/);
    for (const path of [copies, copied.root, copied.initdb, join(copied.root, 'lib')])
      expect((await stat(path)).mode & 0o777).toBe(0o755);
  });

  it('are copied though only one of them is closed', async () => {
    const closed = await closedInstallation('files');
    await run('chmod', ['-R', 'go=rX', closed.root]);
    await chmod(closed.postgres, 0o700);
    expect((await reachableBinaries(closed, nobody, copies)).root).toBe(join(copies, installed.version));
  });

  it('of other versions go when nobody runs them and nobody asked for them lately', async () => {
    const longAgo = new Date(Date.now() - 7_200_000);
    for (const name of ['17.0.0', '16.0.0', '18.0.0.123.draft'])
      await mkdir(join(copies, name, 'bin'), { recursive: true });
    await cp('/bin/sleep', join(copies, '16.0.0', 'bin', 'sleep'));
    for (const name of await readdir(copies)) await utimes(join(copies, name), longAgo, longAgo);
    await mkdir(join(copies, '15.0.0'));
    const running = run(join(copies, '16.0.0', 'bin', 'sleep'), ['1000']);
    try {
      await reachableBinaries(await closedInstallation('new'), nobody, copies);
      expect((await readdir(copies)).sort()).toEqual(['15.0.0', '16.0.0', installed.version]);
    } finally {
      running.child.kill();
      await running.catch(() => {});
    }
  });
});
