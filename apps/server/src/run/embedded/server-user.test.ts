import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { serverUser } from './server-user.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-user-'));
  // The process counts as root, even if the test does not run as root.
  vi.spyOn(process, 'getuid').mockReturnValue(0);
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

/** Imitates a system with these users: `id` answers for them alone. */
async function users(known: Record<string, number>): Promise<void> {
  const cases = Object.entries(known).map(([name, id]) => `"$2" = ${name} ] && echo ${id} && exit 0; [ `);
  const program = join(folder, 'bin', 'id');
  await mkdir(join(folder, 'bin'), { recursive: true });
  await writeFile(program, `#!/bin/sh\n[ ${cases.join('')}1 = 2 ]\n`);
  await chmod(program, 0o755);
  vi.stubEnv('PATH', `${join(folder, 'bin')}${delimiter}${process.env.PATH}`);
}

const absent = () => join(folder, 'absent');

it('runs the database server as a user of its own, without a warning', async () => {
  await users({ nobody: 65534, kindred: 991 });
  expect(await serverUser(absent(), [])).toEqual({
    ids: { uid: 991, gid: 991 },
    prefix: null,
    warning: null,
  });
});

it('warns where that is the user that other programs share, and says what to do', async () => {
  await users({ nobody: 65534 });
  const { ids, warning } = await serverUser(absent(), []);
  expect(ids).toEqual({ uid: 65534, gid: 65534 });
  expect(warning).toMatch(/^PostgreSQL runs as the user nobody, which other programs may share/);
  expect(warning).toMatch(/Start the service as a plain user, or, .* `useradd --system kindred`\.$/);
});

it('keeps the owner of a folder that is there, and warns where that is the shared one', async () => {
  const data = join(folder, 'data');
  await mkdir(data);
  const { uid } = await stat(data);
  // Only root can give a folder away; the folder of another user keeps its owner, whatever the users are
  // called.
  if (uid === 0) await chown(data, 4711, 4711);
  const owner = uid === 0 ? 4711 : uid;
  await users({ nobody: owner, kindred: 991 });
  const shared = await serverUser(data, []);
  expect(shared.ids?.uid).toBe(owner);
  expect(shared.warning).toContain(`and \`chown -R kindred: ${data}\``);
  await users({ nobody: 65534, kindred: 991 });
  expect(await serverUser(data, [])).toMatchObject({ ids: { uid: owner }, warning: null });
});

it('refuses where there is neither', async () => {
  await users({});
  await expect(serverUser(absent(), [])).rejects.toThrow('has no user `kindred` or `nobody`');
});
