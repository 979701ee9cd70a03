import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { patience, patienceMs, repositoryRoot } from '@kindred/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { linesOf } from './testing/answers.js';
import { Reader } from './testing/reader.js';
import { type RunningExample, startService } from './testing/service.js';

const root = repositoryRoot();
const textOf = (name: string) => readFileSync(join(root, name), 'utf8');

/** Returns the shell blocks of a text, without their remarks. */
const shellOf = (text: string) =>
  [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block.replace(/\s+#.*$/gm, '').trim());

/** Returns the part of a text under one heading. */
function partOf(text: string, heading: string): string {
  const [, part] = text.split(`\n${heading}\n`);
  if (part === undefined) throw new Error(`there is no heading ${heading}`);
  return part.split(/^## /m)[0];
}

interface ReadJob {
  status: string;
  result: { prediction_set_id: string };
}

describe('the lines of README, on a service with the starter reference', () => {
  let service: RunningExample;
  let reader: Reader;
  const readme = partOf(textOf('README.md'), '## Five minutes of use');
  const [commands, viaApi] = shellOf(readme);
  const ownData = [...readme.matchAll(/`(\.\/kindred[^`]*)`/g)].map(([, line]) => line);
  beforeAll(async () => {
    service = await startService({ SVC_LOAD_EXAMPLES: 'starter' });
    reader = new Reader(service);
  }, 6 * patienceMs);
  afterAll(() => service?.stop());

  /** Runs the two commands, and returns what they print and write. */
  async function commandLine() {
    const table = await reader.run(commands);
    return { table, terms: linesOf(reader.read('terms.tsv')) };
  }

  /** Follows the prose around the call without an account, and returns the table of its result. */
  async function withoutAccount(): Promise<string> {
    const { predict_job_id: id } = JSON.parse(await reader.run(viaApi));
    expect(readme).toContain('`GET /v1/jobs/<that id>`');
    const job = await vi.waitUntil(async () => {
      const { status, result } = (await (await reader.get(`/v1/jobs/${id}`)).json()) as ReadJob;
      return status === 'QUEUED' || status === 'RUNNING' ? null : result;
    }, patience);
    const [, address] = /`GET (\/v1\/embeddings\/[^`]*)`/.exec(readme) as RegExpExecArray;
    return (await reader.get(address.replace('<that id>', job.prediction_set_id))).text();
  }

  it('say what they promise, before and after a reference of the reader is built', async () => {
    const before = await commandLine();
    expect(new Set(before.terms.map(({ protein }) => protein)).size).toBe(25);
    expect(before.table).toMatch(/ known +\S/);
    const api = linesOf(await withoutAccount());
    expect(api.length).toBeGreaterThan(5);

    const unpacked = (name: string) => gunzipSync(readFileSync(join(root, 'examples', name)));
    reader.write('mine.fasta', unpacked('reference.fasta.gz'));
    reader.write('mine.gaf', unpacked('reference.gaf.gz'));
    reader.write('go-basic.obo', unpacked('go-basic-2022-07-01.obo.gz'));
    const [build, list] = ownData;
    expect(build).toContain('--name mine');
    expect(readme).toContain('then annotate with `--reference mine`');
    expect(await reader.run(build)).toMatch(/^Reference mine@\S+: complete$/m);
    const listed = await reader.run(list);
    for (const name of [/^mine@/m, /^seven-organisms-and-families@/m]) expect(listed).toMatch(name);
    const own = await reader.run('./kindred annotate examples/queries.fasta --reference mine');
    expect(linesOf(own).some(({ go_id }) => go_id !== '')).toBe(true);

    const after = await commandLine();
    const answers = ({ terms }: typeof after) =>
      terms.map(({ protein, go_id, kind }) => [protein, kind, go_id]);
    const known = (of: typeof after) => answers(of).filter(([, kind]) => kind === 'known');
    expect(known(after)).toEqual(expect.arrayContaining(known(before)));
    expect(linesOf(await withoutAccount()).length).toBeGreaterThan(5);
  });
});

describe('the lines of the first tutorial, on a service with the example set', () => {
  let service: RunningExample;
  let reader: Reader;
  const tutorial = textOf('docs/tutorial/first-annotation.md');
  beforeAll(async () => {
    service = await startService({}, 'examples');
    reader = new Reader(service);
  }, 6 * patienceMs);
  afterAll(() => service?.stop());

  it('print the table of the page, and take the options that it names', async () => {
    const [start, take, annotate, all] = shellOf(tutorial);
    expect(start).toBe('npm start -- --small');
    await reader.run(take);
    const [, table] = /^```\n(protein .*?)^```$/ms.exec(tutorial) as RegExpExecArray;
    expect(await reader.run(annotate)).toBe(table);
    await reader.run(all);
    const lines = linesOf(reader.read('my-terms.tsv'));
    expect(new Set(lines.map(({ protein }) => protein))).toEqual(new Set(['A1Z9S1', 'Q5ZJ17']));
    const more = async (options: string) =>
      linesOf(await reader.run(`${annotate.replace(/--format.*/, '')} ${options}`));
    expect((await more('--all')).length).toBeGreaterThan(lines.length);
    const high = await more('--min-score 0.8');
    expect(high.length).toBeGreaterThan(0);
    for (const { score } of high) expect(Number(score)).toBeGreaterThanOrEqual(0.8);
    expect((await more('--method knn')).length).toBeGreaterThan(0);
  });
});
