import { type AnnotationRecord, ProblemError, type RecordSource } from '@kindred/contracts';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { removeAnnotationSet } from '../resources/annotation-sets.js';
import { withRelaxedCommits } from '../store/annotations/relaxed-commits.js';
import { tryAdvisoryLock } from '../store/postgres/advisory-lock.js';
import { AnnotationRows, createLoadingSet } from '../store/annotations/annotation-load.repository.js';
import {
  findAnnotationSet,
  listAnnotationSets,
  proteinAnnotations,
} from '../store/annotations/annotations.repository.js';
import type { Database } from '../store/postgres/connection.js';
import { exampleUrl, type LoadingBench, loadingBench } from '../testing/loading-context.js';
import { type LoadingWorld, startLoadingWorld } from '../testing/loading-world.js';
import { insertProteins } from './insert-proteins.js';
import { loadGoaAnnotations } from './load-goa-annotations.js';
import { loadOntologySnapshot } from './load-ontology-snapshot.js';
import { RetryLater } from '../work/operation/operation.js';

let world: LoadingWorld;
let db: Database;
let bench: LoadingBench;
let snapshotId: string;
const exampleGaf = exampleUrl('reference.gaf.gz');

beforeAll(async () => {
  world = await startLoadingWorld();
  ({ db, bench } = world);
  await bench.run(insertProteins, { fasta_url: exampleUrl('reference.fasta.gz') });
  const loaded = await bench.run(loadOntologySnapshot, { obo_url: exampleUrl('go-basic-2022-07-01.obo.gz') });
  snapshotId = loaded.ontology_snapshot_id as string;
});
afterAll(() => world.close());
afterEach(async () => {
  for (const set of (await listAnnotationSets(db, 100)).rows) await removeAnnotationSet(db, set.id);
  expect(await remains()).toEqual({ sets: 0, partitions: [], rows: 0 });
});

/** Counts the rows that all sets left in the database, complete or not. */
async function remains() {
  const { rows } = await sql<{ relname: string }>`
    select relname from pg_class where relname like 'protein_go_annotation_s%' and relkind = 'r' order by 1`.execute(
    db,
  );
  const counted = await sql<{ sets: number; rows: number }>`
    select (select count(*) from annotation_set) as sets, (select count(*) from protein_go_annotation) as rows`.execute(
    db,
  );
  return { ...counted.rows[0], partitions: rows.map((row) => row.relname) };
}

const load = (payload: Record<string, unknown> = {}, options = {}, on: LoadingBench = bench) =>
  on.run(
    loadGoaAnnotations,
    { ontology_snapshot_id: snapshotId, gaf_url: exampleGaf, source_version: 'test', ...payload },
    options,
  );
const write = (text: string) => world.write(text);
const gafRow = (
  accession: string,
  goId: string,
  more: { qualifier?: string; code?: string; date?: string } = {},
) =>
  `UniProtKB\t${accession}\tSYM\t${more.qualifier ?? ''}\t${goId}\tPMID:1\t${more.code ?? 'IDA'}\tA:1|B:2\tP\tname\t\tprotein\ttaxon:9606\t${more.date ?? '20200101'}\tGO\\Group\t\t\n`;

async function knownAccessions(n: number): Promise<string[]> {
  const { rows } = await sql<{
    accession: string;
  }>`select accession from protein order by accession limit ${n}`.execute(db);
  return rows.map((row) => row.accession);
}

const proteinId = async (accession: string) =>
  (await db.selectFrom('protein').select('id').where('accession', '=', accession).executeTakeFirstOrThrow())
    .id;

describe('load_goa_annotations', () => {
  it('gives proteins without a name or gene those of the file, the first, and keeps what they have', async () => {
    const [named, bare] = await knownAccessions(2);
    const update = (accession: string, values: { protein_name: string | null; gene_name: string | null }) =>
      db.updateTable('protein').set(values).where('accession', '=', accession).execute();
    await update(named, { protein_name: 'Given name', gene_name: null });
    await update(bare, { protein_name: null, gene_name: 'GIVEN' });
    const other = gafRow(bare, 'GO:0008150').replace('\tname\t', '\tanother name\t');
    await load({
      gaf_url: await write(
        gafRow(named, 'GO:0006915') + gafRow(bare, 'GO:0006915') + gafRow(named, 'GO:0008150') + other,
      ),
    });
    const { rows } = await sql<{ protein_name: string; gene_name: string }>`
      select protein_name, gene_name from protein where accession = any(${[named, bare]}::text[]) order by accession`.execute(
      db,
    );
    expect(rows).toEqual([
      { protein_name: 'Given name', gene_name: 'SYM' },
      { protein_name: 'name', gene_name: 'GIVEN' },
    ]);
  });

  it('loads the example: 77,317 rows of 4,000 proteins with the counts of its description', async () => {
    const result = await load();
    expect(result).toMatchObject({
      skipped: false,
      annotations_inserted: 77_317,
      annotations_skipped: 0,
      proteins_annotated: 4000,
      by_aspect: { P: 34_164, F: 18_402, C: 24_751 },
      terms: 10_367,
      negated: 0,
    });
    const { rows: unnamed } = await sql`select 1 from protein where protein_name is null`.execute(db);
    expect(unnamed).toEqual([]);
    const set = await findAnnotationSet(db, result.annotation_set_id as string);
    expect(set).toMatchObject({
      annotation_count: 77_317,
      protein_count: 4000,
      obo_version: expect.any(String),
    });
    expect(set?.statistics.by_evidence_code).toMatchObject({ IDA: 16_392, IBA: 16_230, IEA: 15_994, ISM: 1 });
    const { rows } = await sql<{ n: number; proteins: number; ida: number }>`
      select count(*) as n, count(distinct protein_id) as proteins, count(*) filter (where evidence_code = 'IDA') as ida
      from protein_go_annotation where annotation_set_number = ${set?.number}`.execute(db);
    expect(rows[0]).toEqual({ n: 77_317, proteins: 4000, ida: 16_392 });
    const { rows: indexes } = await sql<{ n: number }>`
      select count(*) as n from pg_index i join pg_inherits h on h.inhrelid = i.indexrelid
      where i.indrelid = ${`protein_go_annotation_s${set?.number}`}::regclass`.execute(db);
    expect(indexes[0].n).toBe(1);
  });

  it('changes nothing when the same content comes again, packed or not', async () => {
    const accessions = await knownAccessions(2);
    const text = `!gaf-version: 2.2\n${accessions.map((one) => gafRow(one, 'GO:0008150')).join('')}`;
    const first = await load({ gaf_url: await write(text) });
    const before = await remains();
    const second = await load({ gaf_url: await write(text) });
    expect(second).toMatchObject({
      skipped: true,
      annotation_set_id: first.annotation_set_id,
      annotations_inserted: 0,
    });
    expect(second.proteins_changed).toBe(false);
    expect(await remains()).toEqual(before);
  });

  it('says when proteins came that the set does not have', async () => {
    await load({ total_limit: 100 });
    await sql`insert into protein (accession, canonical_accession, length, sequence_id) select 'LATER1', 'LATER1', 1, min(id) from sequence`.execute(
      db,
    );
    const again = await load({ total_limit: 100 });
    await sql`delete from protein where accession = 'LATER1'`.execute(db);
    expect(again).toMatchObject({ skipped: true, proteins_changed: true });
    expect(bench.events.some((one) => one.event === 'load_goa_annotations.proteins_changed')).toBe(true);
  });

  it('refuses other content under the same version, and takes it under another', async () => {
    const first = await load({ total_limit: 1000 });
    await expect(load({ total_limit: 1001 })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(first.annotation_set_id as string),
    });
    expect((await remains()).sets).toBe(1);
    const other = await load({ total_limit: 1001, source_version: 'test-2' });
    expect(other).toMatchObject({ skipped: false, total_lines_read: expect.any(Number) });
    expect(other.annotations_inserted).toBe(1001);
  });

  it('keeps every text, NOT rows and equal rows, and explains each row that it leaves', async () => {
    const [a, b] = await knownAccessions(2);
    const { rows: alternatives } = await sql<{ alt_id: string; go_id: string }>`
      select a.alt_id, t.go_id from go_term_alt_id a join go_term t on t.id = a.go_term_id where not t.is_obsolete limit 1`.execute(
      db,
    );
    const { rows: obsolete } = await sql<{
      go_id: string;
    }>`select go_id from go_term where is_obsolete limit 1`.execute(db);
    const text = [
      '!gaf-version: 2.2\n!go-version: 2099-01-01\n',
      gafRow(a, 'GO:0008150', { qualifier: 'NOT|involved_in' }),
      gafRow(a, 'GO:0008150', { qualifier: 'NOT|involved_in' }),
      gafRow(b, alternatives[0].alt_id),
      gafRow('X00000', 'GO:0008150'),
      gafRow(b, 'GO:9999999'),
      gafRow(b, 'GO:9999999'),
      gafRow(b, obsolete[0].go_id),
      gafRow(b, 'GO:0008150', { date: '2020' }),
      'short\tline\n',
    ].join('');
    const result = await load({ gaf_url: await write(text) });
    expect(result).toMatchObject({
      annotations_inserted: 3,
      annotations_skipped: 6,
      skipped_not_in_database: 2,
      skipped_unknown_term: 2,
      skipped_obsolete_term: 1,
      skipped_unreadable: 1,
      alt_ids_mapped: 1,
      negated: 2,
      absent_accessions: ['X00000', 'line'],
      lost_go_ids: [
        { go_id: 'GO:9999999', reason: 'unknown_term', rows: 2 },
        { go_id: obsolete[0].go_id, reason: 'obsolete_term', rows: 1 },
      ],
    });
    const [first, second] = (await proteinAnnotations(db, await proteinId(a), { limit: 10 })).rows;
    expect(second).toEqual(first);
    expect(first).toMatchObject({
      source: 'goa',
      go_id: 'GO:0008150',
      aspect: 'P',
      qualifier: 'NOT|involved_in',
      evidence_code: 'IDA',
      assigned_by: 'GO\\Group',
      db_reference: 'PMID:1',
      with_from: 'A:1|B:2',
      annotation_date: '20200101',
    });
    expect((await proteinAnnotations(db, await proteinId(b), { limit: 10 })).rows[0].go_id).toBe(
      alternatives[0].go_id,
    );
    const checked = bench.events.find((one) => one.event === 'load_goa_annotations.ontology_checked');
    expect(checked).toMatchObject({ level: 'warning', fields: { newer_than_snapshot: true } });
    const bad = bench.events.find((one) => one.event === 'load_goa_annotations.bad_lines');
    expect(bad?.fields.lines).toEqual([{ line: 10, reason: expect.stringContaining('YYYYMMDD') }]);
  });

  it('fails as one on a broken line when asked to', async () => {
    const [a] = await knownAccessions(1);
    const good = gafRow(a, 'GO:0008150').repeat(500);
    const url = await write(`${good}UniProtKB\t${a}\tbroken\n${good}`);
    await expect(load({ gaf_url: url, on_bad_line: 'fail', page_size: 100 })).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringContaining('Line 501'),
    });
    expect(await remains()).toEqual({ sets: 0, partitions: [], rows: 0 });
    expect(await load({ gaf_url: url, page_size: 100 })).toMatchObject({
      annotations_inserted: 1000,
      skipped_unreadable: 1,
    });
  });

  it('leaves nothing when the source fails between batches', async () => {
    const real = await (await import('@kindred/source-goa')).plugin.load({ dataDir: '', settings: {} });
    const breaking: RecordSource = {
      async *annotations(parameters, context) {
        let n = 0;
        for await (const batch of real.annotations?.(parameters, context) ?? []) {
          if (n++ === 4) throw new ProblemError('fetch_failed', 'broke off by test');
          yield batch;
        }
      },
    };
    const broken = loadingBench(db, { sources: { goa: breaking } });
    await expect(load({ page_size: 1000 }, {}, broken)).rejects.toThrow('broke off by test');
    expect(await remains()).toEqual({ sets: 0, partitions: [], rows: 0 });
    expect(await load()).toMatchObject({ annotations_inserted: 77_317 });
  });

  it('leaves nothing when it is cancelled', async () => {
    const controller = new AbortController();
    const real = await (await import('@kindred/source-goa')).plugin.load({ dataDir: '', settings: {} });
    const slow: RecordSource = {
      async *annotations(parameters, context) {
        let n = 0;
        for await (const batch of real.annotations?.(parameters, context) ?? []) {
          if (n++ === 3) controller.abort(new Error('cancelled by test'));
          yield batch;
        }
      },
    };
    const on = loadingBench(db, { sources: { goa: slow } });
    await expect(load({ page_size: 1000 }, { signal: controller.signal }, on)).rejects.toThrow(
      'cancelled by test',
    );
    expect(await remains()).toEqual({ sets: 0, partitions: [], rows: 0 });
  });

  it('removes the leftovers of a dead load, and starts again', async () => {
    const identity = { source: 'goa', sourceVersion: 'test', ontologySnapshotId: snapshotId } as const;
    const dead = await createLoadingSet(db, identity, {
      jobId: '00000000-0000-4000-8000-000000000000',
      meta: {},
    });
    const rows = new AnnotationRows(dead.number);
    const texts = {
      qualifier: null,
      assignedBy: null,
      dbReference: null,
      withFrom: null,
      annotationDate: null,
    };
    const record: AnnotationRecord = {
      line: 1,
      accession: 'A',
      goId: 'GO:0008150',
      evidenceCode: 'IDA',
      aspect: 'P',
      ...texts,
    };
    rows.add(1, 1, record);
    await withRelaxedCommits(db, (connection) => rows.commit(connection));
    expect(await remains()).toMatchObject({ sets: 1, rows: 0 });
    expect((await listAnnotationSets(db, 10)).rows).toEqual([]);
    expect(await findAnnotationSet(db, dead.id)).toBeUndefined();
    await expect(removeAnnotationSet(db, dead.id)).rejects.toMatchObject({ code: 'conflict' });
    const result = await load({ total_limit: 50 });
    expect(result.annotation_set_id).not.toBe(dead.id);
    expect((await remains()).partitions).toHaveLength(1);
  });

  it('shows no row before the set is whole', async () => {
    const seen: number[] = [];
    const onEvent = async (event: string) => {
      if (event.endsWith('.page_done') || event.endsWith('.index_start')) seen.push((await remains()).rows);
    };
    await load({ page_size: 1000 }, { onEvent });
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every((rows) => rows === 0)).toBe(true);
  });

  it('waits its turn while another job loads the same set', async () => {
    const lock = `annotation_set:goa:test:${snapshotId}`;
    await tryAdvisoryLock(db, lock, async () => {
      await expect(load()).rejects.toBeInstanceOf(RetryLater);
    });
  });

  it('keeps no empty set, and refuses a file without annotations', async () => {
    const foreign = gafRow('X00000', 'GO:0008150');
    await expect(load({ gaf_url: await write(`${foreign}${foreign}`) })).rejects.toMatchObject({
      code: 'nothing_loaded',
      message: expect.stringMatching(
        /^None of the 2 rows of file:.* was kept: 2 of proteins that are not in the database\. Load the proteins/,
      ),
    });
    expect(bench.events.find(({ event }) => event.endsWith('.nothing_kept'))?.fields).toMatchObject({
      skipped_not_in_database: 2,
      absent_accessions: ['X00000'],
    });
    expect((await remains()).sets).toBe(0);
    for (const text of ['', '!gaf-version: 2.2\n', '<html>\n<body>404</body>\n']) {
      await expect(load({ gaf_url: await write(text) })).rejects.toMatchObject({ code: 'bad_file' });
    }
    await expect(
      load({ ontology_snapshot_id: '00000000-0000-4000-8000-000000000000' }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('removeAnnotationSet', () => {
  it('names the prediction sets that need the set', async () => {
    const { annotation_set_id: id } = await load({ total_limit: 50 });
    await sql`insert into embedding_config (model_name, model_backend, layer_indices, layer_agg, pooling, normalize_residues, normalize,
        max_length, use_chunking, chunk_size, chunk_overlap, dimension)
      values ('m', 'b', '{0}', 'mean', 'mean', false, true, 1022, false, 512, 0, 4)`.execute(db);
    await sql`insert into prediction_set (embedding_config_id, annotation_set_id, ontology_snapshot_id, limit_per_entry)
      select id, ${id}, ${snapshotId}, 5 from embedding_config`.execute(db);
    const { rows } = await sql<{ id: string }>`select id from prediction_set`.execute(db);
    await expect(removeAnnotationSet(db, id as string)).rejects.toMatchObject({
      code: 'in_use',
      message: expect.stringContaining(rows[0].id),
    });
    await sql`delete from prediction_set`.execute(db);
    expect(await removeAnnotationSet(db, id as string)).toEqual({ annotations_deleted: 50 });
    await expect(removeAnnotationSet(db, id as string)).rejects.toMatchObject({ code: 'not_found' });
  });
});
