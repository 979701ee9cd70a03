import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RotatingLog } from './rotating-log.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-log-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('keeps two files of bounded size, whole lines, and the newest ones', async () => {
  const file = join(folder, 'logs', 'http.log');
  const line = (i: number) => `{"line": ${String(i).padStart(4, '0')}}\n`;
  const log = new RotatingLog(file, 1000);
  for (let i = 0; i < 1000; i++) {
    const text = line(i);
    log.write(text.slice(0, 7));
    log.write(text.slice(7));
  }
  log.end();
  await once(log, 'finish');
  expect((await readdir(join(folder, 'logs'))).sort()).toEqual(['http.log', 'http.log.1']);
  const kept = (await readFile(`${file}.1`, 'utf8')) + (await readFile(file, 'utf8'));
  const lines = kept.trimEnd().split('\n');
  expect(kept.length).toBeLessThanOrEqual(2000 + line(0).length);
  expect(lines).toEqual(lines.map((_, i) => line(1000 - lines.length + i).trimEnd()));
  const more = new RotatingLog(file, 1000);
  more.end('after a restart\n');
  await once(more, 'finish');
  expect(await readFile(file, 'utf8')).toContain('after a restart');
});
