import { exportColumns } from '@kindred/contracts/resources/exports';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemIn, startTestApp, type TestApp } from '../../../testing/test-app.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
let data: TestData;
let base: string;

/**
 * Q1 is a protein of the reference set and has a certain, an uncertain and a contradicted term; Q2 has no
 * answer.
 */
beforeAll(async () => {
  test = await startTestApp();
  data = await fillCatalogue(test.db);
  base = `/v1/embeddings/prediction-sets/${data.predictionSetId}`;
  const { db } = test;
  const rows = await db.selectFrom('go_prediction').selectAll().where('is_nearest', '=', true).execute();
  await db.deleteFrom('go_prediction').execute();
  const terms = await db.selectFrom('go_term').select(['id', 'go_id']).orderBy('go_id').execute();
  const [first] = rows;
  const row = (at: number, values: object) => ({ ...first, go_term_id: terms[at].id, ...values });
  await db
    .insertInto('go_prediction')
    .values([
      row(0, { score: 0.9, term_rank: 1, answer_rank: 2, probability: 0.05 }),
      row(1, {
        score: 0.6,
        term_rank: 2,
        answer_rank: 1,
        probability: 0.61234567,
        probability_low: 0.5,
        probability_high: 0.7,
        calibrated_on: 'yeast-2018',
        source_identity: 0.5,
        similar_proteins: 5,
        supporters: 3,
      }),
      row(2, {
        score: 0.5,
        term_rank: 3,
        answer_rank: 3,
        probability: 0.9,
        contradiction: 'GO:1 never_in X',
      }),
    ])
    .execute();
  await db
    .updateTable('prediction_set_protein')
    .set({ known_accession: 'P00001', known_by: 'sequence', term_count: 3 })
    .where('protein_accession', '=', 'Q1')
    .execute();
  await db
    .updateTable('prediction_set_protein')
    .set({ no_answer: 'too_short' })
    .where('protein_accession', '=', 'Q2')
    .execute();
  await madeBy('combined');
});
afterAll(() => test?.close());

const madeBy = (method: string) =>
  test.db.updateTable('prediction_set').set({ method }).where('id', '=', data.predictionSetId).execute();

const answer = async (accession: string, query = '') =>
  (await test.call({ url: `${base}/proteins/${accession}/answer${query}` })).body;

describe('the answer for a protein', () => {
  it('has what is known first, with evidence, and apart from predictions', async () => {
    const { known } = await answer('Q1');
    expect(known).toMatchObject({ accession: 'P00001', matched_by: 'sequence', annotation_count: 2 });
    expect(known).toMatchObject({ protein_name: 'Some 100% protein', organism: expect.any(String) });
    expect(known.terms).toHaveLength(2);
    expect(known.terms[0]).toMatchObject({ go_id: 'GO:0005515', aspect: 'F', basis: 'experiment' });
    expect(known.terms[0].annotations).toMatchObject([{ evidence_code: 'IDA', qualifier: 'enables' }]);
  });

  it('says what was searched for a protein without a prediction, and which other references there are', async () => {
    expect((await answer('Q1')).searched).toBeNull();
    const { searched, terms } = await answer('Q2');
    expect(terms).toEqual([]);
    expect(searched).toEqual({
      references: [
        {
          name: '2026-01',
          protein_count: 2,
          organisms: ['Homo sapiens', 'Mus musculus'],
          has_more_organisms: false,
        },
      ],
      others: [],
    });
    const copy = await test.db
      .insertInto('annotation_set')
      .values({
        ...{ source: 'goa', source_version: 'another', ontology_snapshot_id: data.snapshotId },
        ...{ state: 'complete', annotation_count: 7, protein_count: 5 },
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    expect((await answer('Q2')).searched.others).toEqual([
      { annotation_set_id: copy.id, name: 'another', protein_count: 5 },
    ]);
    await test.db.deleteFrom('annotation_set').where('id', '=', copy.id).execute();
  });

  it('counts reference proteins whose organism is not recorded among other organisms', async () => {
    const mouse = test.db.updateTable('protein').where('organism', '=', 'Mus musculus');
    await mouse.set({ organism: null, taxonomy_id: null }).returning('id').executeTakeFirstOrThrow();
    const [reference] = (await answer('Q2')).searched.references;
    expect(reference).toMatchObject({ organisms: ['Homo sapiens'], has_more_organisms: true });
  });

  it('ends at a probability, leaves out what something speaks against, and says how much', async () => {
    const short = await answer('Q1');
    expect(short.terms).toEqual([
      expect.objectContaining({
        place: 1,
        score: 0.6,
        certainty: 'likely',
        probability_low: 0.5,
        calibrated_on: 'yeast-2018',
        identity: 0.5,
        similar_proteins: 5,
        supporters: 3,
      }),
    ]);
    expect(short.contradicted).toEqual([expect.objectContaining({ contradiction: 'GO:1 never_in X' })]);
    expect(short.left_out).toEqual({ terms: 1, probability_below: 0.1, score_below: 0.2 });
    const long = await answer('Q1', '?all=true');
    expect(long.terms.map((term: { score: number }) => term.score)).toEqual([0.6, 0.9, 0.5]);
    expect(long.left_out.terms).toBe(0);
  });

  it('says of each predicted term whether it is known, by an annotation or by a more specific one', async () => {
    const isKnown = async () =>
      Object.fromEntries(
        (await answer('Q1', '?all=true')).terms.map((term: { go_id: string; is_known: boolean | null }) => [
          term.go_id,
          term.is_known,
        ]),
      );
    const qualify = (qualifier: string, goId: string) =>
      sql`update protein_go_annotation set qualifier = ${qualifier}
          where go_term_id in (select id from go_term where go_id = ${goId})`.execute(test.db);
    expect(await isKnown()).toEqual({ 'GO:0003674': true, 'GO:0005488': true, 'GO:0005515': true });
    await qualify('NOT|enables', 'GO:0005515');
    expect(await isKnown()).toEqual({ 'GO:0003674': true, 'GO:0005488': true, 'GO:0005515': false });
    await qualify('enables', 'GO:0005515');
    expect((await tableRows()).map(({ kind, is_known }) => [kind, is_known])).toEqual([
      ['known', 'yes'],
      ['known', 'yes'],
      ['predicted', 'yes'],
      ['no_answer', ''],
    ]);
  });

  it('names what became of terms that the newest ontology no longer has', async () => {
    const before = await answer('Q1', '?all=true');
    const [one, other] = before.terms.map((term: { go_id: string }) => term.go_id);
    const known = before.known.terms[0].go_id;
    const { db } = test;
    const { id } = await db
      .insertInto('ontology_snapshot')
      .values({
        obo_version: 'releases/2099-01-01',
        obo_url: 'https://example.org/go.obo',
        obo_sha256: 'f'.repeat(64),
        term_counts: JSON.stringify({}),
        relationship_count: 0,
        alt_id_count: 1,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const term = { ontology_snapshot_id: id, name: 'a term', aspect: 'F' as const };
    const replaced = { ...term, is_obsolete: true, replaced_by: ['GO:0000001'], consider: ['GO:0000002'] };
    const [target] = await db
      .insertInto('go_term')
      .values([
        { ...term, go_id: 'GO:0000003' },
        ...[...new Set([one, known])].map((go_id) => ({ ...replaced, go_id })),
      ])
      .returning('id')
      .execute();
    await db
      .insertInto('go_term_alt_id')
      .values({ ontology_snapshot_id: id, alt_id: other, go_term_id: target.id })
      .execute();
    const gone = {
      obo_version: 'releases/2099-01-01',
      replaced_by: ['GO:0000001'],
      consider: ['GO:0000002'],
    };
    const after = await answer('Q1', '?all=true');
    const found = new Map(
      after.terms.map(({ go_id, obsolete }: { go_id: string; obsolete?: object }) => [go_id, obsolete]),
    );
    expect(found.get(one)).toEqual(gone);
    if (other !== known)
      expect(found.get(other)).toEqual({ ...gone, replaced_by: ['GO:0000003'], consider: [] });
    expect(after.known.terms[0].obsolete).toEqual(gone);
    expect(before.terms.some((row: object) => 'obsolete' in row)).toBe(false);
    await db.deleteFrom('ontology_snapshot').where('id', '=', id).execute();
  });

  it('says why there is none', async () => {
    expect(await answer('Q2')).toMatchObject({
      known: null,
      terms: [],
      no_answer: { reason: 'too_short', sentence: expect.stringContaining('fewer than 11 residues') },
    });
    const absent = await test.call({ url: `${base}/proteins/Q9/answer` });
    expect(problemIn(absent)).toMatchObject({ status: 404 });
  });
});

describe('the place of an answer', () => {
  const place = async (accession: string) => {
    const { header, previous, next } = await answer(accession);
    return { header, previous, next };
  };

  it('is by accession where there is no upload', async () => {
    expect(await place('Q1')).toEqual({ header: null, previous: null, next: 'Q2' });
    expect(await place('Q2')).toEqual({ header: null, previous: 'Q1', next: null });
  });

  it('is that in the upload, whose other entries are not in the set', async () => {
    const { db } = test;
    const { id } = await db
      .insertInto('query_set')
      .values({ name: 'upload', entry_count: 4 })
      .returning('id')
      .executeTakeFirstOrThrow();
    const sequence = await db.selectFrom('sequence').select('id').executeTakeFirstOrThrow();
    await db
      .insertInto('query_set_entry')
      .values(
        ['Q0', 'Q2', 'Q9', 'Q1'].map((accession, position) => ({
          query_set_id: id,
          position,
          accession,
          header: `${accession} of the upload`,
          sequence_id: sequence.id,
        })),
      )
      .execute();
    await db.updateTable('prediction_set').set({ query_set_id: id }).execute();
    expect(await place('Q2')).toEqual({ header: 'Q2 of the upload', previous: null, next: 'Q1' });
    expect(await place('Q1')).toEqual({ header: 'Q1 of the upload', previous: 'Q2', next: null });
    await db.deleteFrom('query_set').where('id', '=', id).execute();
    expect(await place('Q1')).toEqual({ header: null, previous: null, next: 'Q2' });
  });
});

describe('the folding of an answer', () => {
  const [root, middle, leaf] = ['GO:0003674', 'GO:0005488', 'GO:0005515'];
  const folded = async () =>
    Object.fromEntries(
      (await answer('Q1')).terms.map((term: { go_id: string; folded_under: string | null }) => [
        term.go_id,
        term.folded_under,
      ]),
    );
  const ofTerm = (goId: string) =>
    test.db
      .updateTable('go_prediction')
      .where('protein_accession', '=', 'Q1')
      .where('go_term_id', 'in', (select) =>
        select.selectFrom('go_term').select('id').where('go_id', '=', goId),
      );
  const predict = (goId: string, probability: number) =>
    ofTerm(goId).set({ probability, contradiction: null }).execute();
  let stored: Awaited<ReturnType<typeof rowsOfQ1>>;
  const rowsOfQ1 = () =>
    test.db.selectFrom('go_prediction').selectAll().where('protein_accession', '=', 'Q1').execute();
  beforeAll(async () => {
    stored = await rowsOfQ1();
  });
  afterAll(async () => {
    await test.db.deleteFrom('go_prediction').where('protein_accession', '=', 'Q1').execute();
    await test.db.insertInto('go_prediction').values(stored).execute();
  });

  it('hides what another term implies with the same word of certainty, and nothing more certain', async () => {
    await predict(root, 0.95);
    await predict(middle, 0.9);
    await predict(leaf, 0.85);
    expect(await folded()).toEqual({ [leaf]: null, [middle]: leaf, [root]: leaf });
    await predict(leaf, 0.12);
    expect(await folded()).toEqual({ [middle]: null, [root]: middle, [leaf]: null });
  });

  it('leads over terms that are not in the answer', async () => {
    await predict(root, 0.95);
    await predict(middle, 0.01);
    await predict(leaf, 0.85);
    expect(await folded()).toEqual({ [leaf]: null, [root]: leaf });
  });
});

describe('what is known of a query of a set that does not record it', () => {
  const known = async (accession: string) => (await answer(accession)).known;
  const q2 = 'Q2';
  const other = 'P00002';
  beforeAll(async () => {
    await madeBy('knn');
    await test.db
      .updateTable('prediction_set_protein')
      .set({ known_accession: null, known_by: null })
      .where('protein_accession', '=', 'Q1')
      .execute();
  });
  afterAll(async () => {
    await test.db
      .updateTable('prediction_set_protein')
      .set({ known_accession: 'P00001', known_by: 'sequence' })
      .where('protein_accession', '=', 'Q1')
      .execute();
    await madeBy('combined');
  });

  it('is that of the protein of its sequence, in the overview and in the table, too', async () => {
    expect(await known(q2)).toMatchObject({ accession: other, matched_by: 'sequence', annotation_count: 1 });
    const { body } = await test.call({ url: `${base}/overview` });
    expect(body.proteins).toMatchObject([
      {
        name: 'Some 100% protein',
        known_by: 'sequence',
        known_as: { accession: 'P00001', name: 'Some 100% protein' },
      },
      { known_by: 'sequence', known_as: { accession: other } },
    ]);
    const line = (await tableRows()).find((row) => row.protein === 'Q2');
    expect(line).toMatchObject({ kind: 'known', source_id: other, evidence_code: 'IDA' });
  });

  it('is never that of a protein that only has its name', async () => {
    const rename = (from: string, to: string) =>
      sql`update protein set accession = ${to} where accession = ${from}`.execute(test.db);
    await rename(other, 'Q1');
    expect(await known('Q1')).toMatchObject({ accession: 'P00001', matched_by: 'sequence' });
    await rename('Q1', other);
  });

  it('is nothing where the reference has no annotation of it, or where the method found nothing', async () => {
    const set = await test.db.selectFrom('annotation_set').select('number').executeTakeFirstOrThrow();
    const protein = await test.db
      .selectFrom('protein')
      .select('id')
      .where('accession', '=', other)
      .executeTakeFirstOrThrow();
    const rows = await test.db
      .selectFrom('protein_go_annotation')
      .selectAll()
      .where('protein_id', '=', protein.id)
      .execute();
    await madeBy('combined');
    expect(await known(q2)).toBeNull();
    await madeBy('knn');
    const annotated = () => test.db.updateTable('protein_go_annotation').where('protein_id', '=', protein.id);
    for (const denied of [{ qualifier: 'NOT|enables' }, { evidence_code: 'ND' }]) {
      await annotated().set(denied).execute();
      expect(await known(q2)).toBeNull();
      await annotated().set({ qualifier: rows[0].qualifier, evidence_code: rows[0].evidence_code }).execute();
    }
    await sql`delete from protein_go_annotation where protein_id = ${protein.id} and annotation_set_number = ${set.number}`.execute(
      test.db,
    );
    expect(await known(q2)).toBeNull();
    await test.db.insertInto('protein_go_annotation').values(rows).execute();
  });
});

describe('what a term of a set by another method than combined rests on', () => {
  const evidence = async (term: string, query = '', accession = 'Q1', set = base) =>
    test.call({ url: `${set}/proteins/${accession}/terms/${term}/evidence${query}` });
  let term: string;
  beforeAll(async () => {
    await madeBy('knn');
    const { terms } = await answer('Q1');
    term = terms[0].go_id;
  });
  afterAll(() => madeBy('combined'));

  it('is the sources that were stored with it, with an alignment where one is asked for', async () => {
    const { body } = await evidence(term);
    expect(body).toMatchObject({
      accession: 'Q1',
      go_id: term,
      method: 'knn',
      votes: null,
      model: null,
      alignment: null,
    });
    expect(body.sources).toMatchObject([
      {
        accession: 'P00001',
        votes_by_alignment: null,
        is_copied: false,
        annotations: expect.arrayContaining([
          {
            go_id: term,
            name: expect.any(String),
            evidence_code: 'IDA',
            db_reference: null,
            with_from: null,
            assigned_by: null,
            is_copied: false,
          },
        ]),
      },
    ]);
    const { alignment } = (await evidence(term, '?alignment=P00001')).body;
    expect(alignment.query.length).toBe(alignment.source.length);
    expect(alignment.score).toBeGreaterThan(0);
  });

  it('is not there for another set, protein, term or source', async () => {
    const other = base.replace(/[^/]+$/, '00000000-0000-4000-8000-000000000000');
    const refused = [
      await evidence(term, '', 'Q1', other),
      await evidence(term, '', 'Q9'),
      await evidence('GO:0099999'),
      await evidence(term, '?alignment=P00002'),
    ];
    expect(refused.map((reply) => problemIn(reply).status)).toEqual([404, 404, 404, 404]);
  });

  it('is a conflict where the set is still filled, or its reference is gone', async () => {
    const change = (values: object) =>
      test.db.updateTable('prediction_set').set(values).where('id', '=', data.predictionSetId).execute();
    const { status } = await test.db
      .selectFrom('prediction_set')
      .select('status')
      .where('id', '=', data.predictionSetId)
      .executeTakeFirstOrThrow();
    await change({ status: 'filling' });
    const early = problemIn(await evidence('GO:0099999'));
    expect(early).toMatchObject({ status: 409, detail: expect.stringContaining('still being filled') });
    await change({ status, method: 'combined', embedding_config_id: null });
    const gone = problemIn(await evidence(term));
    expect(gone).toMatchObject({ status: 409, detail: expect.stringContaining('was deleted') });
    await change({ method: 'knn', embedding_config_id: data.configId });
  });
});

describe('the overview', () => {
  const page = async (query = '') => (await test.call({ url: `${base}/overview${query}` })).body;

  it('has every protein with its answer, its names, and nothing that the answer leaves out', async () => {
    const all = await page();
    expect(all.next).toBeNull();
    expect(all.proteins).toMatchObject([
      { accession: 'Q1', position: null, known_by: 'sequence', no_answer: null },
      { accession: 'Q2', known_by: null, no_answer: 'too_short', terms: [] },
    ]);
    const { terms, known } = await answer('Q1');
    expect(terms.map((term: { is_known: boolean }) => term.is_known)).toEqual([true]);
    expect(all.proteins[0].terms).toEqual(
      known.terms.map(({ go_id }: { go_id: string }) => ({
        ...{ kind: 'known', go_id, probability: null, certainty: null, score: null },
        ...{ source_id: 'P00001', evidence_code: 'IDA', identity: 1 },
      })),
    );
    expect(all.terms[terms[0].go_id]).toMatchObject({ name: terms[0].name, aspect: terms[0].aspect });
  });

  it('has terms with a child among them last, as the answer for the protein and its file have', async () => {
    const { db } = test;
    const isKnownAs = (known_accession: string | null) =>
      db
        .updateTable('prediction_set_protein')
        .set({ known_accession, known_by: known_accession === null ? null : 'sequence' })
        .where('protein_accession', '=', 'Q1')
        .execute();
    await isKnownAs(null);
    const terms = db.selectFrom('go_term').select(['id', 'go_id']).orderBy('go_id').limit(2);
    const [root, child] = await terms.execute();
    const rootIs = (values: { probability: number; answer_rank: number }) =>
      db.updateTable('go_prediction').set(values).where('go_term_id', '=', root.id).execute();
    const relation = async (from: string, to: string) => {
      // A snapshot with other edges has another number of them; here, only the type changes.
      await db
        .updateTable('ontology_snapshot')
        .set({ relationship_count: sql`relationship_count + 1` })
        .execute();
      return db
        .updateTable('go_term_relationship')
        .set({ relation_type: to })
        .where('child_go_term_id', '=', child.id)
        .where('parent_go_term_id', '=', root.id)
        .where('relation_type', '=', from)
        .executeTakeFirstOrThrow();
    };
    const idsOf = (rows: { go_id: string }[]) => rows.map((row) => row.go_id);
    const order = async () => {
      const shown = idsOf((await page()).proteins[0].terms);
      expect(idsOf((await answer('Q1')).terms)).toEqual(shown);
      const lines = (await tableRows()).filter(({ kind }) => kind === 'predicted');
      expect(lines.map((line) => line.go_id)).toEqual(shown);
      return shown;
    };
    await rootIs({ probability: 0.7, answer_rank: 0 });
    expect(await order()).toEqual([child.go_id, root.go_id]);
    expect((await relation('is_a', 'regulates')).numUpdatedRows).toBe(1n);
    expect(await order()).toEqual([root.go_id, child.go_id]);
    await relation('regulates', 'part_of');
    expect(await order()).toEqual([child.go_id, root.go_id]);
    await relation('part_of', 'is_a');
    await rootIs({ probability: 0.05, answer_rank: 2 });
    await isKnownAs('P00001');
  });

  it('goes on after an accession', async () => {
    const first = await page('?limit=1');
    expect([first.next, first.proteins.length]).toEqual(['Q1', 1]);
    const second = await page(`?limit=1&after=${first.next}`);
    expect(second.proteins[0].accession).toBe('Q2');
    expect((await page(`?limit=1&after=${second.next}`)).proteins).toEqual([]);
    expect(problemIn(await test.call({ url: `${base}/overview?limit=2001` })).status).toBe(422);
  });

  it('has the place in the file and the header of the upload', async () => {
    const { id } = await test.db
      .insertInto('query_set')
      .values({ name: 'two', entry_count: 2 })
      .returning('id')
      .executeTakeFirstOrThrow();
    const sequence = await test.db.selectFrom('sequence').select('id').executeTakeFirstOrThrow();
    await test.db
      .insertInto('query_set_entry')
      .values(
        ['Q2', 'Q1'].map((accession, position) => ({
          query_set_id: id,
          position,
          header: `${accession} a name`,
          accession,
          sequence_id: sequence.id,
        })),
      )
      .execute();
    await test.db.updateTable('prediction_set').set({ query_set_id: id }).execute();
    expect((await page()).proteins).toMatchObject([
      { accession: 'Q1', position: 1, header: 'Q1 a name' },
      { accession: 'Q2', position: 0, header: 'Q2 a name' },
    ]);
    await test.db.updateTable('prediction_set').set({ query_set_id: null }).execute();
  });
});

it('the exported table has the same for all proteins', async () => {
  await test.db
    .updateTable('prediction_set_protein')
    .set({ is_namesake: true })
    .where('protein_accession', '=', 'Q2')
    .execute();
  const rows = await tableRows();
  expect(rows.map((row) => [row.protein, row.kind])).toEqual([
    ['Q1', 'known'],
    ['Q1', 'known'],
    ['Q1', 'predicted'],
    ['Q2', 'no_answer'],
  ]);
  expect(rows[2]).toMatchObject({ probability: '0.612346', certainty: 'likely', left_out: '2' });
  expect(rows[2]).toMatchObject({ identity: '0.5', supporters: '3', similar_proteins: '5' });
  expect(rows[3].no_answer).toBe('too_short');
  expect(rows[0]).toMatchObject({ source_kind: 'own_annotation', source_id: 'P00001', no_answer: '' });
  expect(rows.map((row) => row.is_namesake)).toEqual(['no', 'no', 'no', 'yes']);
});

it.each(['predictions.tsv', 'predictions-cafa.tsv'])(
  '%s leaves out what something speaks against unless it is asked for',
  async (name) => {
    const lines = async (query = '') => (await download(`${name}${query}`)).text.trimEnd().split('\n').length;
    expect((await lines('?contradicted=true')) - (await lines())).toBe(1);
  },
);

it('a set that its job still fills has no file: it would look whole', async () => {
  await test.db.updateTable('prediction_set').set({ status: 'filling' }).execute();
  for (const name of ['export?format=tsv', 'predictions.tsv', 'predictions-cafa.tsv'])
    expect(await test.app.inject({ url: `${base}/${name}` })).toMatchObject({ statusCode: 409 });
  await test.db.updateTable('prediction_set').set({ status: 'complete' }).execute();
});

async function tableRows(): Promise<Record<string, string>[]> {
  const { text } = await download('export?format=tsv');
  const [header, ...lines] = text.trimEnd().split('\n');
  expect(header.split('\t')).toEqual([...exportColumns]);
  return lines.map((line) => Object.fromEntries(line.split('\t').map((cell, i) => [exportColumns[i], cell])));
}

async function download(name: string): Promise<{ text: string }> {
  const reply = await test.app.inject({ url: `${base}/${name}` });
  expect(reply.statusCode).toBe(200);
  return { text: reply.body };
}
