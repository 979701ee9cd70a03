import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
import { parseFasta } from '@kindred/kernels/formats';
import { search } from '@kindred/kernels/knn';
import { repositoryRoot } from '@kindred/testkit';
import { beforeAll, expect, it } from 'vitest';
import { plugin } from './index.js';

const examples = join(repositoryRoot(), 'examples');

interface BlastHit {
  query: string;
  subject: string;
  identity: number;
  coverage: number;
  class: string;
}

/** The five nearest of 4,000 human proteins for 25 proteins of other organisms, for comparison with the best hit of blastp. */
const nearest = new Map<string, string[]>();
let hits: BlastHit[];

beforeAll(async () => {
  const reference = parseFasta(gunzipSync(readFileSync(join(examples, 'reference.fasta.gz'))));
  const queries = parseFasta(readFileSync(join(examples, 'queries.fasta')));
  const session = await (await plugin.load({ dataDir: '', settings: {} })).open(
    completeRecipe({ model_name: 'kmer-1024', model_backend: 'kmer' }),
  );
  const rows = Int32Array.from(reference.keys());
  const bank = {
    ...(await session.embed(reference.map((record) => record.sequence))),
    dimension: session.dimension,
    reference: rows,
    sequence: rows,
    rank: rows,
  };
  const { vectors } = await session.embed(queries.map((record) => record.sequence));
  const [lists] = search(bank, { vectors }, { metric: 'cosine', k: 5 });
  queries.forEach((query, q) => {
    const list = lists.neighbours.subarray(q * 5, q * 5 + 5);
    nearest.set(
      query.accession,
      Array.from(list, (r) => reference[r].accession),
    );
  });
  hits = readFileSync(join(examples, 'blast_top_hits.tsv'), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .map((field) => ({
      query: field[0],
      class: field[3],
      subject: field[4],
      identity: Number(field[6]),
      coverage: Number(field[10]),
    }));
});

function recall(of: (hit: BlastHit) => boolean, depth: number): number {
  const asked = hits.filter((hit) => hit.class !== 'none' && of(hit));
  expect(asked.length).toBeGreaterThan(5);
  return (
    asked.filter((hit) => nearest.get(hit.query)?.slice(0, depth).includes(hit.subject)).length / asked.length
  );
}

it('puts every homologue of 60 % identity or more first', () => {
  expect(recall((hit) => hit.identity >= 60, 1)).toBe(1);
});

it('puts homologues of 30 % identity over most of the query first, nine times in ten', () => {
  expect(recall((hit) => hit.identity >= 30 && hit.coverage >= 60, 1)).toBeGreaterThanOrEqual(0.9);
  expect(recall((hit) => hit.identity >= 30 && hit.coverage >= 60, 5)).toBe(1);
});

it('has three of four best hits of any significance among the five nearest', () => {
  expect(recall(() => true, 5)).toBeGreaterThanOrEqual(0.75);
});
