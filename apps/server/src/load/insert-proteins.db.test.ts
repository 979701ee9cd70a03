import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../store/postgres/connection.js';
import { findProtein, listProteins, proteinStats } from '../store/proteins/proteins.repository.js';
import { exampleUrl, type LoadingBench, loadingBench, sharedUrl } from '../testing/loading-context.js';
import { type LoadingWorld, startLoadingWorld } from '../testing/loading-world.js';
import { insertProteins } from './insert-proteins.js';

let world: LoadingWorld;
let db: Database;
let bench: LoadingBench;
beforeAll(async () => {
  world = await startLoadingWorld();
  ({ db, bench } = world);
});
afterAll(() => world.close());
beforeEach(() => sql`truncate protein, sequence restart identity cascade`.execute(db));

const load = (payload: Record<string, unknown>, options = {}) => bench.run(insertProteins, payload, options);
const write = (text: string) => world.write(text);
const rows = async () => {
  const result = await sql<Record<string, unknown>>`
    select p.accession, p.canonical_accession, p.isoform_index, p.entry_name, p.reviewed, p.protein_name, p.gene_name, p.organism,
           p.taxonomy_id, p.length, s.sequence, s.sequence_md5 = md5(s.sequence) as md5_agrees, s.length = length(s.sequence) as length_agrees
    from protein p join sequence s on s.id = p.sequence_id order by p.accession`.execute(db);
  return result.rows;
};

const two =
  '>sp|P12345|AATM_RABIT Aspartate aminotransferase OS=Oryctolagus cuniculus OX=9986 GN=GOT2 PE=1 SV=2\nMALL\nHSAR\n>sp|P12345-2|AATM_RABIT Isoform 2 of Aspartate aminotransferase OS=Oryctolagus cuniculus OX=9986 GN=GOT2\nMALLHSAR\n>own-1 mine\nACDE*\n';

describe('insert_proteins from a file', () => {
  it('loads the example reference: 4,000 proteins, 2,166,517 residues, twice without a change', async () => {
    const url = exampleUrl('reference.fasta.gz');
    const first = await load({ fasta_url: url });
    expect(first).toMatchObject({
      retrieved_records: 4000,
      proteins_inserted: 4000,
      proteins_updated: 0,
      bad_records: 0,
    });
    const { rows: sums } = await sql<{ n: number; residues: number; faults: number }>`
      select count(*) as n, sum(p.length) as residues, count(*) filter (where s.sequence_md5 <> md5(s.sequence)) as faults
      from protein p join sequence s on s.id = p.sequence_id`.execute(db);
    expect(sums[0]).toEqual({ n: 4000, residues: 2_166_517, faults: 0 });
    expect(await load({ fasta_url: url })).toMatchObject({
      proteins_inserted: 0,
      proteins_updated: 0,
      proteins_unchanged: 4000,
      sequences_inserted: 0,
    });
    expect(await proteinStats(db)).toEqual({ total: 4000, canonical: 4000, reviewed: 0, organisms: 1 });
  });

  it('keeps isoforms apart and shares equal sequences', async () => {
    expect(await load({ fasta_url: await write(two) })).toMatchObject({
      proteins_inserted: 3,
      isoform_records: 1,
      sequences_inserted: 2,
    });
    const stored = await rows();
    expect(stored[1]).toEqual({
      accession: 'P12345-2',
      canonical_accession: 'P12345',
      isoform_index: 2,
      entry_name: 'AATM_RABIT',
      reviewed: true,
      protein_name: 'Isoform 2 of Aspartate aminotransferase',
      gene_name: 'GOT2',
      organism: 'Oryctolagus cuniculus',
      taxonomy_id: 9986,
      length: 8,
      sequence: 'MALLHSAR',
      md5_agrees: true,
      length_agrees: true,
    });
    expect(stored[2]).toMatchObject({
      accession: 'own-1',
      canonical_accession: 'own-1',
      isoform_index: null,
      reviewed: null,
      sequence: 'ACDE',
    });
    expect((await findProtein(db, 'P12345'))?.isoforms).toEqual(['P12345-2']);
  });

  it('leaves isoforms out when asked to, and counts them', async () => {
    expect(await load({ fasta_url: await write(two), include_isoforms: false })).toMatchObject({
      proteins_inserted: 2,
      isoforms_skipped: 1,
    });
  });

  it('takes a changed sequence, and never replaces a known value by an empty one', async () => {
    await load({ fasta_url: await write(two) });
    const again = await load({ fasta_url: await write('>P12345\nMALLHSARW\n') });
    expect(again).toMatchObject({
      proteins_inserted: 0,
      proteins_updated: 1,
      sequences_changed: 1,
      sequences_inserted: 1,
    });
    expect((await rows())[0]).toMatchObject({
      sequence: 'MALLHSARW',
      length: 9,
      entry_name: 'AATM_RABIT',
      reviewed: true,
      gene_name: 'GOT2',
      taxonomy_id: 9986,
    });
    const renamed = await load({
      fasta_url: await write('>tr|P12345|NEW_NAME OS=Oryctolagus cuniculus\nMALLHSARW\n'),
    });
    expect(renamed).toMatchObject({ proteins_updated: 1, sequences_changed: 0 });
    expect((await rows())[0]).toMatchObject({ entry_name: 'NEW_NAME', reviewed: false, gene_name: 'GOT2' });
  });

  it('reports each bad record by its line and loads the others', async () => {
    const result = await load({
      fasta_url: await write('>a\nACD1\n>b\nACDE\n>b\nAAAA\n>c\n\n>\nAAA\n>d\nWWW\n'),
    });
    expect(result).toMatchObject({ proteins_inserted: 2, bad_records: 4 });
    const lines = bench.events
      .filter((one) => one.event === 'insert_proteins.bad_records')
      .flatMap((one) => one.fields.lines as { line: number; reason: string }[]);
    expect(lines.map((one) => one.line).sort()).toEqual([2, 5, 7, 9]);
  });

  it('fails when nothing can be read', async () => {
    await expect(load({ fasta_url: await write('<html>\n') })).rejects.toMatchObject({ code: 'bad_fasta' });
    await expect(load({ fasta_url: await write('') })).rejects.toMatchObject({ code: 'bad_fasta' });
  });

  it('stops at the limit', async () => {
    const result = await load({
      fasta_url: exampleUrl('reference.fasta.gz'),
      total_limit: 750,
      page_size: 500,
    });
    expect(result).toMatchObject({ retrieved_records: 750, proteins_inserted: 750 });
    expect(bench.events.some((one) => one.event === 'insert_proteins.limit_reached')).toBe(true);
  });

  it('keeps committed batches when it is cancelled, and a second run completes them', async () => {
    const controller = new AbortController();
    const url = exampleUrl('reference.fasta.gz');
    const onEvent = (event: string) => {
      if (event === 'insert_proteins.page_done') controller.abort(new Error('cancelled'));
    };
    const inTwoBatches = { fasta_url: url, page_size: 250 };
    await expect(load(inTwoBatches, { signal: controller.signal, onEvent })).rejects.toThrow('cancelled');
    const { total } = await proteinStats(db);
    expect(total).toBe(2000);
    expect(await load({ fasta_url: url })).toMatchObject({
      proteins_inserted: 2000,
      proteins_unchanged: 2000,
    });
  });

  it('lets two loads of the same file run at the same time', async () => {
    const url = exampleUrl('reference.fasta.gz');
    const other = loadingBench(db);
    const results = await Promise.all([
      load({ fasta_url: url }),
      other.run(insertProteins, { fasta_url: url }),
    ]);
    const inserted = results.map((result) => result.proteins_inserted as number);
    expect(inserted[0] + inserted[1]).toBe(4000);
    expect((await proteinStats(db)).total).toBe(4000);
  });
});

describe.skipIf(sharedUrl('ecoli-k12') === null)('proteomes', () => {
  it('loads E. coli and yeast with the counts of their descriptions', async () => {
    expect(await load({ fasta_url: sharedUrl('ecoli-k12', 'UP000000625_83333.fasta.gz') })).toMatchObject({
      proteins_inserted: 4401,
      bad_records: 0,
    });
    expect(
      await load({ fasta_url: sharedUrl('yeast', 'yeast_swissprot_2025-10-27.fasta.gz') }),
    ).toMatchObject({
      proteins_inserted: 6156,
    });
    expect(await proteinStats(db)).toMatchObject({
      total: 10_557,
      canonical: 10_557,
      reviewed: 10_557,
      organisms: 2,
    });
    const yeast = await listProteins(db, { taxonomyId: 559292, reviewed: true }, { offset: 6150, limit: 50 });
    expect(yeast.total).toBe(6156);
    expect(yeast.items).toHaveLength(6);
    const byName = await listProteins(
      db,
      { organism: yeast.items[0].organism as string },
      { offset: 0, limit: 2 },
    );
    expect(byName.total).toBe(6156);
  });

  it('keeps 63 records of which 16 are isoforms', async () => {
    expect(
      await load({ fasta_url: sharedUrl('quickgo-uniprot', 'derived_canonical_and_isoforms.fasta.gz') }),
    ).toMatchObject({
      retrieved_records: 63,
      isoform_records: 16,
      proteins_inserted: 63,
    });
  });
});
