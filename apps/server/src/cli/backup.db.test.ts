import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Command } from '../supervise/testing/command.js';

const whole = join(import.meta.dirname, '..', 'backup', 'testing', 'format-1.kindred');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-restore-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function run(args: string[], dataDir: string) {
  const command = Command.run(args, { SVC_DATA_DIR: join(folder, dataDir) });
  return { code: await command.ended, stdout: command.stdout, stderr: command.stderr };
}

it('refuses a damaged backup with the exit code of a bad file, and makes nothing', async () => {
  const bytes = await readFile(whole);
  bytes[5000] ^= 1;
  const file = join(folder, 'flipped.kindred');
  await writeFile(file, bytes);
  const refused = await run(['restore', file], 'nowhere');
  expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining('The backup is damaged: ') });
  expect(await readdir(folder)).not.toContain('nowhere');
  expect(await run(['restore', join(folder, 'absent')], 'nowhere')).toMatchObject({ code: 64 });
});

it('restores into a folder that does not exist, and leaves nothing there when it fails late', async () => {
  // A folder where a file must go makes the restore fail after the rows are in.
  const blocked = join(folder, 'blocked');
  await mkdir(join(blocked, 'artifacts', 'references', '1', 'whole.pack'), { recursive: true });
  const failed = await run(['restore', whole], 'blocked');
  expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('whole.pack') });
  expect(await readdir(blocked, { recursive: true })).toEqual([
    'artifacts',
    'artifacts/references',
    'artifacts/references/1',
    'artifacts/references/1/whole.pack',
  ]);
  expect(await run(['restore', whole], 'fresh')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^Restored 79 tables and 2 artifacts of .* \(Kindred 1.2.3\); all checksums agree/,
    ),
  });
  expect(await readFile(join(folder, 'fresh', 'jwt-secret'), 'utf8')).toBe('x'.repeat(40));
  expect(await run(['restore', whole], 'fresh')).toMatchObject({
    code: 75,
    stderr: expect.stringContaining('The database is not empty'),
  });
  expect(await readFile(join(folder, 'fresh', 'jwt-secret'), 'utf8')).toBe('x'.repeat(40));
});
