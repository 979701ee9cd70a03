import { gunzipSync } from 'node:zlib';
import type { Client } from '@kindred/client';
import { maxBodyBytes } from '@kindred/contracts/route';
import { expect, it } from 'vitest';
import { queriesWithTruth } from './holdout.js';

/** Makes the queries for `count` proteins, and shows what was uploaded for them. */
async function queriesFor(count: number, name = (at: number) => `P${at}`) {
  const fasta = Array.from({ length: count }, (_, at) => `>${name(at)} OX=9606 (NK)\nMKT\n`).join('');
  const uploads: FormData[] = [];
  const queries = await queriesWithTruth(
    {
      download: async () => new Response(fasta),
      post: async (_: string, { form }: { form: FormData }) => {
        uploads.push(form);
        return { id: 'set' };
      },
    } as unknown as Client,
    'evaluation',
  );
  return { queries, uploads, fasta };
}

it('names proteins while their names fit into a body, and uploads them with their taxa where not', async () => {
  expect((await queriesFor(0)).queries).toBeNull();
  expect(await queriesFor(2)).toMatchObject({ queries: { query_accessions: ['P0', 'P1'] }, uploads: [] });
  const long = (at: number) => `A0A${String(at).padStart(7, '0')}`;
  for (const [count, name] of [
    [29_001, undefined],
    [20_000, long],
  ] as const) {
    const { queries, uploads, fasta } = await queriesFor(count, name);
    expect(queries).toEqual({ query_set_id: 'set' });
    expect(uploads[0].get('visibility')).toBe('listed');
    const file = uploads[0].get('file') as File;
    expect(gunzipSync(await file.bytes()).toString()).toBe(fasta);
  }
  const { queries } = await queriesFor(19_000, long);
  expect(JSON.stringify(queries).length).toBeLessThan(maxBodyBytes - 1000);
});
