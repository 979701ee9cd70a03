import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemIn, startTestApp, type TestApp } from '../../../testing/test-app.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
let data: TestData;

/**
 * Q1 is P00001, which has protein binding by a program since 2020, by an experiment of 2025-03-01, and with NOT by one of
 * 2025-06-01; binding has no date. Q2 is not known.
 */
beforeAll(async () => {
  test = await startTestApp();
  data = await fillCatalogue(test.db);
  const { db } = test;
  await db
    .updateTable('prediction_set_protein')
    .set({ known_accession: 'P00001', known_by: 'sequence' })
    .where('protein_accession', '=', 'Q1')
    .execute();
  await db.updateTable('prediction_set').set({ method: 'combined' }).execute();
  const [binding, proteinBinding] = await db
    .selectFrom('protein_go_annotation as a')
    .innerJoin('protein as p', 'p.id', 'a.protein_id')
    .innerJoin('go_term as t', 't.id', 'a.go_term_id')
    .selectAll('a')
    .where('p.accession', '=', 'P00001')
    .orderBy('t.go_id')
    .execute();
  expect(binding.annotation_date).toBeNull();
  const dated = (annotation_date: string, more: object = {}) => ({
    ...proteinBinding,
    ...{ annotation_date, db_reference: 'PMID:1', with_from: 'UniProtKB:P1', assigned_by: 'UniProt' },
    ...more,
  });
  await db
    .deleteFrom('protein_go_annotation')
    .where('go_term_id', '=', proteinBinding.go_term_id)
    .where('protein_id', '=', proteinBinding.protein_id)
    .execute();
  await db
    .insertInto('protein_go_annotation')
    .values([
      dated('20200101', { evidence_code: 'IEA' }),
      dated('20250301'),
      dated('20250601', { qualifier: 'NOT|enables' }),
      dated('20250602', { evidence_code: 'ND' }),
      dated('20250401', { evidence_code: 'IEA' }),
    ])
    .execute();
});
afterAll(() => test?.close());

const ask = (query = '', id = data.predictionSetId) =>
  test.call({ url: `/v1/embeddings/prediction-sets/${id}/whats-new${query}` });

interface Row {
  annotation_date: string;
  evidence_code: string;
  is_new_term: boolean;
}
const short = (rows: Row[]) =>
  rows.map((row) => `${row.annotation_date} ${row.evidence_code} ${row.is_new_term}`);

describe('what is new in what is known of a run', () => {
  it('gives the annotations since a day, the newest first, and counts what they leave out', async () => {
    const { status, body } = await ask('?since=2025-03-01');
    expect(status, JSON.stringify(body)).toBe(200);
    // The term itself is old, by a program; that the protein does not have it is new.
    expect(short(body.rows)).toEqual(['2025-06-01 IDA true', '2025-04-01 IEA false', '2025-03-01 IDA false']);
    expect(body.rows[0]).toMatchObject({
      ...{ protein: 'Q1', known_accession: 'P00001', go_id: 'GO:0005515', go_name: 'protein binding' },
      ...{ aspect: 'F', qualifier: 'NOT|enables', basis: 'experiment', db_reference: 'PMID:1' },
      ...{ with_from: 'UniProtKB:P1', assigned_by: 'UniProt' },
    });
    expect(body).toMatchObject({
      ...{ since: '2025-03-01', newest: '2025-06-01', references: [null], proteins: 2, known_proteins: 1 },
      ...{ row_count: 3, new_proteins: 1, older: 1, undated: 1, electronic: true },
    });
  });

  it('begins a year before the newest annotation unless a day is given, and has only so many', async () => {
    const { body } = await ask('?limit=1');
    expect(body).toMatchObject({ since: '2024-06-01', row_count: 3, older: 1 });
    expect(short(body.rows)).toEqual(['2025-06-01 IDA true']);
  });

  it('leaves out annotations by a program', async () => {
    const { body } = await ask('?since=2025-02-01&electronic=false');
    expect(short(body.rows)).toEqual(['2025-06-01 IDA true', '2025-03-01 IDA false']);
    expect(body).toMatchObject({ row_count: 2, older: 0, undated: 1, electronic: false });
  });

  it('gives nothing after the newest annotation', async () => {
    const { body } = await ask('?since=2026-01-01');
    expect(body).toMatchObject({ row_count: 0, new_proteins: 0, older: 4, undated: 1, rows: [] });
  });

  it('refuses what is no day, and runs that are not there', async () => {
    const { status, body } = await ask('?since=2025-02-30');
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('such as 2025-11-28')]);
    expect(problemIn(await ask('', data.snapshotId)).status).toBe(404);
  });
});
