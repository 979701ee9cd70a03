import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTransaction } from '../../store/postgres/db.js';
import { beginBuild, insertReference } from '../../store/references/references.repository.js';
import { type LoadingWorld, startLoadingWorld } from '../../testing/loading-world.js';
import { loadReferenceProteins } from './load-reference-proteins.js';

let world: LoadingWorld;
const said: { done: number; total: number | null }[] = [];
const progress = async (done: number, total: number | null) => void said.push({ done, total });
beforeAll(async () => {
  world = await startLoadingWorld({ services: { progress } });
});
afterAll(() => world.close());

it('counts the proteins of all files, and names no total before the last file ends', async () => {
  const fasta = (name: string, count: number) =>
    Array.from({ length: count }, (_, n) => `>${name}${n}\nMKTAYIAK${'ACDEFGHIK'.slice(0, n % 9)}\n`).join(
      '',
    );
  const proteins = [
    { url: await world.write(fasta('P1000', 3)) },
    { url: await world.write(fasta('Q2000', 5)) },
  ];
  const job = await world.db
    .insertInto('job')
    .values({ operation: 'build_reference', queue_name: 'svc.jobs' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const id = await inTransaction(world.db, async (trx) => {
    const inputs = JSON.stringify({ proteins });
    const row = await insertReference(
      trx,
      { name: 'two-files', version: '1', evidence: 'all', inputs, inputs_sha256: '0'.repeat(64) },
      [],
    );
    await beginBuild(trx, row.id, job.id);
    return row.id;
  });
  const result = await world.bench.run(loadReferenceProteins, { reference_id: id });
  expect(result.files).toMatchObject([{ retrieved_records: 3 }, { retrieved_records: 5 }]);
  expect(said.at(-1)).toEqual({ done: 8, total: 8 });
  expect(said.slice(0, -1).every(({ total }) => total === null)).toBe(true);
  const counts = said.map(({ done }) => done);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
});
