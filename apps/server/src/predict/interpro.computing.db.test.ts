import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { sharedData } from '@kindred/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../store/postgres/connection.js';
import { sequenceMd5 } from '../store/proteins/sequences.repository.js';
import { findPredictionSet } from '../store/predictions/prediction-sets.repository.js';
import { type LoadingBench, sharedUrl } from '../testing/loading-context.js';
import { type LoadingWorld, startLoadingWorld } from '../testing/loading-world.js';
import { insertProteins } from '../load/insert-proteins.js';
import { loadInterproAnnotations } from '../load/load-interpro-annotations.js';
import { loadInterproGoMapping } from '../load/load-interpro-go-mapping.js';
import { loadOntologySnapshot } from '../load/load-ontology-snapshot.js';
import { predictGoTermsFromInterpro } from './predict-go-terms-from-interpro.js';

let world: LoadingWorld;
let db: Database;
let bench: LoadingBench;
let snapshotId: string;

beforeAll(async () => {
  world = await startLoadingWorld();
  ({ db, bench } = world);
  const obo = await write(
    'format-version: 1.2\ndata-version: small/2022\n\n' +
      [
        '8150 biological_process',
        '3674 molecular_function',
        '3677 molecular_function',
        '8270 molecular_function',
      ]
        .map((text) => text.split(' '))
        .map(([id, space]) => `[Term]\nid: GO:${id.padStart(7, '0')}\nname: n${id}\nnamespace: ${space}\n`)
        .join('\n') +
      '\n[Term]\nid: GO:0000009\nname: old\nnamespace: molecular_function\nis_obsolete: true\n' +
      '\n[Term]\nid: GO:0003700\nname: factor\nnamespace: molecular_function\nalt_id: GO:0000130\n',
  );
  snapshotId = (await bench.run(loadOntologySnapshot, { obo_url: obo })).ontology_snapshot_id as string;
  await bench.run(insertProteins, {
    fasta_url: await write('>P1\nMKTAYIAK\n>P2\nMKTAYIAK\n>P3\nMKLV\n>P4\nMKLVW\n'),
  });
});
afterAll(() => world.close());

const write = (text: string) => world.write(text);

const pair = (entry: string, goId: string) => `InterPro:${entry} Some name > GO:some term ; ${goId}\n`;
const mappingText =
  '!date: 2022/10/05\n' +
  pair('IPR000001', 'GO:0003677') +
  pair('IPR000001', 'GO:0003677') +
  pair('IPR000001', 'GO:0000130') +
  pair('IPR000001', 'GO:0003700') +
  pair('IPR000002', 'GO:0003677') +
  pair('IPR000002', 'GO:0000009') +
  pair('IPR000002', 'GO:7777777') +
  pair('IPR000003', 'GO:0008270');

describe('load_interpro_go_mapping', () => {
  it('loads pairs once, and refuses other content under the same version', async () => {
    const mapping_url = await write(`${mappingText}Pfam:PF00001 x > GO:y ; GO:0003677\nnonsense\n`);
    const load = (payload = {}) =>
      bench.run(loadInterproGoMapping, { mapping_url, source_version: 'm1', ...payload });
    expect(await load()).toMatchObject({
      skipped: false,
      rows_parsed: 8,
      rows_inserted: 7,
      rows_skipped_duplicate: 1,
      rows_unreadable: 2,
      entries: 3,
    });
    expect(await load()).toMatchObject({ skipped: true, rows_inserted: 0 });
    await expect(load({ mapping_url: await write(pair('IPR000009', 'GO:0003677')) })).rejects.toMatchObject({
      code: 'already_exists',
    });
    await expect(load({ source_version: 'm2', on_bad_line: 'fail' })).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringMatching(/^Line 11: expected .*nonsense/),
    });
    await expect(load({ source_version: 'm2', mapping_url: await write('!only\n') })).rejects.toMatchObject({
      code: 'bad_file',
    });
    const { rows } = await sql<{ n: number }>`select count(*) as n from interpro_mapping`.execute(db);
    expect(rows[0].n).toBe(1);
  });
});

const scanLine = (accession: string, sequence: string, entry: string, start = 1) =>
  `${accession}\t${sequenceMd5(sequence)}\t${sequence.length}\tPfam\tPF${entry.slice(4)}\td\t${start}\t4\t1e-9\tT\t03-09-2024\t${entry}\tname\n`;

describe('matches and predictions', () => {
  it('needs a mapping and matches', async () => {
    const predict = (payload = {}) =>
      bench.run(predictGoTermsFromInterpro, { ontology_snapshot_id: snapshotId, ...payload });
    await expect(predict({ source_version: 'none' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('load_interpro_go_mapping'),
    });
    await expect(predict()).rejects.toMatchObject({
      message: expect.stringContaining('run_interproscan_batch'),
    });
  });

  it('stores matches by sequence, once', async () => {
    const text =
      scanLine('whatever', 'MKTAYIAK', 'IPR000001') +
      scanLine('whatever', 'MKTAYIAK', 'IPR000002') +
      scanLine('whatever', 'MKTAYIAK', 'IPR000002', 2) +
      scanLine('P3', 'MKLV', 'IPR000009') +
      scanLine('P4', 'CHANGED', 'IPR000001');
    const load = async () =>
      bench.run(loadInterproAnnotations, { matches_url: await write(text), interpro_release: '90.0' });
    expect(await load()).toMatchObject({
      format: 'interproscan',
      annotations_inserted: 4,
      sequences_with_matches: 2,
      skipped_not_in_database: 1,
      absent_accessions: ['P4'],
    });
    expect(await load()).toMatchObject({ annotations_inserted: 0, annotations_unchanged: 4 });
    const other = await bench.run(loadInterproAnnotations, {
      matches_url: await write('P4\tIPR000003\tname\tPF3\t1\t3\nP9\tIPR000003\tname\tPF3\t1\t3\n'),
      interpro_release: '91.0',
    });
    expect(other).toMatchObject({
      format: 'protein2ipr',
      annotations_inserted: 1,
      skipped_not_in_database: 1,
    });
    await expect(
      bench.run(loadInterproAnnotations, { matches_url: await write('a b c\n'), interpro_release: '1' }),
    ).rejects.toMatchObject({ code: 'bad_file' });
  });

  it('predicts for all proteins of a sequence, with the entries as the reason', async () => {
    const result = await bench.run(predictGoTermsFromInterpro, { ontology_snapshot_id: snapshotId });
    expect(result).toMatchObject({
      source_version: 'm1',
      proteins_requested: 4,
      proteins_with_interpro: 4,
      proteins_with_predictions: 3,
      predictions_inserted: 7,
      terms_not_in_snapshot: 2,
    });
    expect(await findPredictionSet(db, result.prediction_set_id as string)).toMatchObject({
      method: 'interpro',
      embedding_config_id: null,
      annotation_set_id: null,
      prediction_count: 7,
      protein_count: 4,
      // Without a list, all proteins count, however many there are.
      query_count: null,
    });
    expect(await rowsOf(result.prediction_set_id as string, 'P2')).toEqual([
      ['GO:0003677', 'interpro_entry', 'IPR000001', null, 0.75, 1, true],
      ['GO:0003677', 'interpro_entry', 'IPR000002', null, 0.75, 1, false],
      ['GO:0003700', 'interpro_entry', 'IPR000001', null, 0.5, 2, true],
    ]);
  });

  it('keeps to one release and to the named proteins', async () => {
    const result = await bench.run(predictGoTermsFromInterpro, {
      ontology_snapshot_id: snapshotId,
      interpro_release: '91.0',
      query_accessions: ['P1', 'P4'],
      chunk_size: 1,
    });
    expect(result).toMatchObject({
      proteins_requested: 2,
      proteins_with_predictions: 1,
      predictions_inserted: 1,
    });
    // The count includes queries without a match.
    expect(await findPredictionSet(db, result.prediction_set_id as string)).toMatchObject({
      query_count: 2,
      protein_count: 2,
    });
    await expect(
      bench.run(predictGoTermsFromInterpro, { ontology_snapshot_id: snapshotId, query_accessions: ['Q'] }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});

async function rowsOf(setId: string, accession: string) {
  const { rows } = await sql<Record<string, unknown>>`
    select t.go_id, p.source_kind, p.source_id, p.distance, p.score, p.term_rank, p.is_nearest
    from go_prediction p join go_term t on t.id = p.go_term_id join prediction_set s on s.number = p.prediction_set_number
    where s.id = ${setId} and p.protein_accession = ${accession} order by p.term_rank, p.source_id`.execute(
    db,
  );
  return rows.map((row) => Object.values(row));
}

const data = sharedData('data', 'ecoli-k12');
it.skipIf(data === null)(
  'all 9,206 rows of E. coli that name InterPro entries follow from the mapping of that time',
  async () => {
    const gafUrl = sharedUrl('ecoli-k12', '18.E_coli_MG1655.2022-11-12.gaf.gz') as string;
    const gaf = gunzipSync(await readFile(new URL(gafUrl))).toString();
    const rows = gaf
      .split('\n')
      .map((line) => line.split('\t'))
      .filter((columns) => columns[6] === 'IEA' && columns[7].includes('InterPro:'));
    expect(rows).toHaveLength(9206);
    const fasta_url = sharedUrl('ecoli-k12', 'UP000000625_83333.fasta.gz') as string;
    const known = new Set(
      gunzipSync(await readFile(new URL(fasta_url)))
        .toString()
        .match(/(?<=^>sp\|)[^|]+/gm),
    );
    // Six of the annotated proteins are not in the proteome file: any distinct sequence replaces them.
    const absent = [...new Set(rows.map((columns) => columns[1]))].filter(
      (accession) => !known.has(accession),
    );
    expect(absent).toHaveLength(6);
    const standIns = absent.map((accession, i) => `>${accession}\nMW${'ACDEFG'.repeat(i + 1)}\n`).join('');
    await bench.run(insertProteins, { fasta_url });
    await bench.run(insertProteins, { fasta_url: await write(standIns) });
    const obo_url = sharedUrl('ontology', 'go-2022-07-01.obo.gz') as string;
    const snapshot = await bench.run(loadOntologySnapshot, { obo_url });
    const mapping_url = sharedUrl('interpro', 'interpro2go.gz') as string;
    const mapping = await bench.run(loadInterproGoMapping, { mapping_url, source_version: '2022-10-05' });
    expect(mapping).toMatchObject({ rows_inserted: 30_205, entries: 14_548, rows_unreadable: 0 });
    const matches = await bench.run(loadInterproAnnotations, {
      matches_url: gafUrl,
      interpro_release: 'gaf-2022-11-12',
    });
    expect(matches).toMatchObject({ format: 'gaf', skipped_not_in_database: 0, rows_unreadable: 0 });
    const result = await bench.run(predictGoTermsFromInterpro, {
      ontology_snapshot_id: snapshot.ontology_snapshot_id,
      source_version: '2022-10-05',
      interpro_release: 'gaf-2022-11-12',
    });
    const predicted = new Set(await predictedRows(result.prediction_set_id as string));
    const reasons = rows.flatMap(([, accession, , , goId, , , from]) =>
      [...from.matchAll(/InterPro:(IPR\d{6})/g)].map(([, entry]) => `${accession} ${goId} ${entry}`),
    );
    expect(reasons.length).toBeGreaterThan(9206);
    expect(reasons.filter((reason) => !predicted.has(reason))).toEqual([]);
  },
);

async function predictedRows(setId: string): Promise<string[]> {
  const { rows } = await sql<{ row: string }>`
    select p.protein_accession || ' ' || t.go_id || ' ' || p.source_id as row
    from go_prediction p join go_term t on t.id = p.go_term_id join prediction_set s on s.number = p.prediction_set_number
    where s.id = ${setId}`.execute(db);
  return rows.map(({ row }) => row);
}
