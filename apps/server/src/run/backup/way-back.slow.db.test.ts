import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patienceMs } from '@kindred/testkit';
import { buildRelease, earlierReleases } from '@kindred/testkit/previous-release';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programFile } from '../../ground/folders.js';
import { callApi, Command } from '../../testing/supervise/command.js';

// Every release whose data can be brought to this version is tested: its answers are there after `kindred
// upgrade`, and the copy that was made before leads back to the release, as the printed line says.

// Databases of 0.1.0 are refused with a way out, which the test of the baseline shows.
const releases = (await earlierReleases()).filter(({ version }) => version !== '0.1.0');
if (releases.length === 0)
  process.stderr.write('The way back is not tested: it needs the history with the releases before.\n');

let folder: string;
const processes: Command[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-way-back-'));
});
afterAll(async () => {
  for (const { child } of processes) if (child.exitCode === null) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

function start(program: string, dataDir: string, ...args: string[]): Command {
  const command = Command.run(args, { SVC_DATA_DIR: dataDir }, { program });
  processes.push(command);
  return command;
}

async function finished(program: string, dataDir: string, ...args: string[]): Promise<Command> {
  const command = start(program, dataDir, ...args);
  const code = await command.ended;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${command.stderr}${command.stdout}`);
  return command;
}

/** Reads the run that the service of a data folder has, and the number of proteins that it knows. */
async function contents(program: string, dataDir: string): Promise<{ total: number; terms: string[] }> {
  const service = await start(program, dataDir, 'start', '--port', '0').untilReady();
  const { total } = await callApi<{ total: number }>(dataDir, '/v1/proteins/stats');
  const [{ id }] = await callApi<{ id: string }[]>(dataDir, '/v1/embeddings/prediction-sets');
  const terms = await callApi<string>(
    dataDir,
    `/v1/embeddings/prediction-sets/${id}/predictions-cafa.tsv`,
    undefined,
    (response) => response.text(),
  );
  expect(await service.end()).toBe(0);
  return { total, terms: terms.split('\n').sort() };
}

describe.each(releases)('data of $version', ({ version, commit }) => {
  it(
    'are all there after the upgrade, and lead back',
    async () => {
      const old = await buildRelease({ version, commit }, join(folder, version));
      const [data, back] = ['data', 'back'].map((name) => join(folder, `${version}-${name}`));
      await finished(old, data, 'start', '--demo', '--port', '0');
      const before = await contents(old, data);
      expect(before.total).toBe(4000);
      expect(before.terms.length).toBeGreaterThan(1000);
      const { stderr } = await finished(programFile, data, 'upgrade');
      const copies = await readdir(join(data, 'backups')).catch(() => []);
      if (copies.length > 0) {
        const copy = join(data, 'backups', copies[0]);
        expect(stderr).toContain(`SVC_DATA_DIR=NEW_FOLDER kindred restore --keep-schema ${copy};`);
        await finished(programFile, back, 'restore', '--keep-schema', copy);
        expect(await contents(old, back)).toEqual(before);
      }
      // A release with the schema of this version needs no copy.
      else expect(stderr).toBe('');
      expect(await contents(programFile, data)).toEqual(before);
    },
    5 * patienceMs,
  );
});
