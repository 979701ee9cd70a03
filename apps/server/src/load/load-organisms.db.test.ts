import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeDatabase, type Database, openDatabase } from '../store/postgres/connection.js';
import { type LoadingBench, loadingBench, sharedUrl } from '../testing/loading-context.js';
import { testDatabase, type TestDatabase } from '../testing/test-database.js';
import { insertProteins } from './insert-proteins.js';
import { loadGoaAnnotations } from './load-goa-annotations.js';
import { loadOntologySnapshot } from './load-ontology-snapshot.js';

/**
 * The files of two organisms are read as EBI publishes them. The expected rows, accessions and NOT rows are
 * in the files' descriptions; an independent script counted the rest.
 */
describe.skipIf(sharedUrl('ecoli-k12') === null)('GOA proteome files', () => {
  let database: TestDatabase;
  let db: Database;
  let bench: LoadingBench;
  let snapshotId: string;
  beforeAll(async () => {
    database = await testDatabase();
    db = openDatabase(database.url, 5);
    bench = loadingBench(db);
    await bench.run(insertProteins, { fasta_url: sharedUrl('ecoli-k12', 'UP000000625_83333.fasta.gz') });
    await bench.run(insertProteins, { fasta_url: sharedUrl('yeast', 'yeast_swissprot_2025-10-27.fasta.gz') });
    const loaded = await bench.run(loadOntologySnapshot, {
      obo_url: sharedUrl('ontology', 'go-2022-07-01.obo.gz'),
    });
    snapshotId = loaded.ontology_snapshot_id as string;
  });
  afterAll(async () => {
    await closeDatabase(db);
    await database.close();
  });

  const load = (folder: string, file: string) =>
    bench.run(loadGoaAnnotations, {
      ontology_snapshot_id: snapshotId,
      gaf_url: sharedUrl(folder, file),
      source_version: file,
    });

  it('loads E. coli of 2020: 59,085 rows, 993 of them with terms that are obsolete by 2022', async () => {
    const result = await load('ecoli-k12', '18.E_coli_MG1655.2020-03-03.gaf.gz');
    expect(result).toMatchObject({
      annotations_inserted: 58_092,
      alt_ids_mapped: 255,
      annotations_skipped: 993,
      skipped_obsolete_term: 993,
      negated: 14,
      proteins_annotated: 3918,
    });
    const { rows } = await sql<{ n: number }>`
      select count(distinct protein_id) as n from protein_go_annotation
      where annotation_set_number = (select number from annotation_set where id = ${result.annotation_set_id})
        and coalesce(qualifier, '') not like '%NOT%' and evidence_code in ('EXP','IDA','IPI','IMP','IGI','IEP','TAS','IC','HTP','HDA','HMP','HGI','HEP')`.execute(
      db,
    );
    expect(rows[0].n).toBe(3350);
  });

  it('loads E. coli of 2022: 62,038 rows, 7 of 3,938 accessions absent, two terms too new', async () => {
    const result = await load('ecoli-k12', '18.E_coli_MG1655.2022-11-12.gaf.gz');
    expect(result).toMatchObject({
      annotations_inserted: 61_962,
      annotations_skipped: 76,
      skipped_not_in_database: 72,
      skipped_unknown_term: 4,
      negated: 15,
      proteins_annotated: 3931,
    });
    expect(result.absent_accessions).toHaveLength(7);
    expect(result.lost_go_ids).toEqual([
      { go_id: expect.stringMatching(/GO:01064(30|35)/), reason: 'unknown_term', rows: 2 },
      { go_id: expect.stringMatching(/GO:01064(30|35)/), reason: 'unknown_term', rows: 2 },
    ]);
  });

  it('loads yeast of 2020: 126,835 rows, 5,801 of 6,048 accessions in the FASTA', async () => {
    expect(await load('yeast', '71242.S_cerevisiae_ATCC_204508.2020-03-03.gaf.gz')).toMatchObject({
      annotations_inserted: 121_894,
      alt_ids_mapped: 1215,
      skipped_not_in_database: 3529,
      skipped_obsolete_term: 1412,
      skipped_unreadable: 0,
      negated: 37,
      proteins_annotated: 5801,
    });
  });
});
