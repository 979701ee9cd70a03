import { text } from 'node:stream/consumers';
import {
  exportColumns,
  exportFormats,
  exportLine,
  exportWideColumns,
} from '@kindred/contracts/resources/exports';
import { namesakesText } from '@kindred/contracts/resources/answers';
import { readGaf, readGpad } from '@kindred/kernels/formats';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { fromBufferPromise } from 'yauzl';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemIn, startTestApp, type TestApp } from '../../../testing/test-app.js';
import { Filler } from '../../../testing/deletion-world.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
let data: TestData;

/** Q1 has a likely term, an unlikely one below the end, and a contradicted one; Q2 has no answer. */
beforeAll(async () => {
  test = await startTestApp();
  data = await fillCatalogue(test.db);
  const { db } = test;
  const rows = await db.selectFrom('go_prediction').selectAll().where('is_nearest', '=', true).execute();
  await db.deleteFrom('go_prediction').execute();
  const terms = await db.selectFrom('go_term').select(['id', 'go_id']).execute();
  const idOf = (goId: string) => terms.find((term) => term.go_id === goId)?.id as number;
  const row = (goId: string, values: object) => ({ ...rows[0], go_term_id: idOf(goId), ...values });
  await db
    .insertInto('go_prediction')
    .values([
      row('GO:0005515', { term_rank: 2, answer_rank: 1, score: 0.6, probability: 0.61234567 }),
      row('GO:0008150', {
        term_rank: 1,
        answer_rank: 2,
        score: 0.9,
        probability: 0.05,
        evidence_code: 'IMP',
      }),
      row('GO:0005575', { term_rank: 3, answer_rank: 3, score: 0.5, probability: 0.9, contradiction: 'no' }),
    ])
    .execute();
  // One of the two annotated proteins has protein binding: log2(3 / 2) = 0.58 bits.
  await db
    .updateTable('protein_go_annotation')
    .set({ go_term_id: idOf('GO:0005488') })
    .where('go_term_id', '=', idOf('GO:0005515'))
    .where('protein_id', '=', (eb) =>
      eb.selectFrom('protein_go_annotation').select((e) => e.fn.max('protein_id').as('id')),
    )
    .execute();
  await db
    .updateTable('prediction_set_protein')
    .set({
      no_answer: 'no_similar_protein',
      distant_accession: 'P00001',
      distant_e_value: 0.0234,
      is_namesake: true,
    })
    .where('protein_accession', '=', 'Q2')
    .execute();
  await db
    .updateTable('prediction_set_protein')
    .set({ term_count: 3 })
    .where('protein_accession', '=', 'Q1')
    .execute();
  const further = { display_name: 'second model', model_name: 'm', layer_agg: 'mean', pooling: 'mean' };
  const { id } = await new Filler(db).add('embedding_config', further);
  const parameters = JSON.stringify({
    evidence: ['experimental', 'IBA'],
    exclude_taxa: [562],
    more_embedding_config_ids: [id],
  });
  await db
    .updateTable('prediction_set')
    .set({ status: 'complete', method: 'combined', parameters })
    .execute();
});
afterAll(() => test?.close());

async function download(query: string): Promise<string> {
  const url = `/v1/embeddings/prediction-sets/${data.predictionSetId}/export?${query}`;
  const reply = await test.app.inject({ url });
  expect(reply.statusCode, reply.body).toBe(200);
  return reply.body;
}
const table = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));

async function pairs(batches: AsyncIterable<{ records: { accession: string; goId: string }[] }>) {
  const found: string[] = [];
  for await (const { records } of batches)
    for (const one of records) found.push(`${one.accession} ${one.goId}`);
  return found;
}
const bytes = (text: string) => [new TextEncoder().encode(text)];

describe('an export of predictions', () => {
  it('names releases and method in the head of GAF and GPAD, and reads back as the same pairs', async () => {
    const gaf = await download('format=gaf&all=true');
    const lines = ['gaf-version: 2.2', 'go-version: releases/2026-01-01', 'annotation-set: goa 2026-01'];
    lines.push('embedding: tiny and second model');
    lines.push(`remark: ${namesakesText(1)}`);
    for (const line of [...lines, 'evidence: experimental, IBA', 'exclude-taxa: 562'])
      expect(gaf).toContain(`!${line}\n`);
    const expected = ['Q1 GO:0005515', 'Q1 GO:0008150'];
    expect(await pairs(readGaf(bytes(gaf)))).toEqual(expected);
    expect(await pairs(readGpad(bytes(await download('format=gpad&all=true'))))).toEqual(expected);
    expect(gaf).toContain(
      'local\tQ1\tQ1\tenables\tGO:0005515\tKINDRED_REF:0000001\tIEA\tUniProtKB:P00001\tF\t',
    );
  });

  it.each([
    ['', ['GO:0005515']],
    ['&all=true', ['GO:0005515', 'GO:0008150']],
    ['&contradicted=true', ['GO:0005515', 'GO:0005575']],
    ['&all=true&aspect=BPO', ['GO:0008150']],
    ['&all=true&evidence=imp,tas', ['GO:0008150']],
    ['&all=true&min_score=0.7', ['GO:0008150']],
    ['&contradicted=true&min_probability=0.7', ['GO:0005575']],
    ['&all=true&min_ic=0', ['GO:0005515', 'GO:0008150']],
    ['&all=true&min_ic=0.5', ['GO:0005515']],
    ['&all=true&min_ic=0.6', []],
  ])('takes the filter "%s"', async (filter, goIds) => {
    const [header, ...rows] = table(await download(`format=tsv${filter}`));
    expect(header).toEqual([...exportColumns]);
    // A protein without a term has a line that says so.
    expect(rows.map((cells) => cells[1])).toEqual(goIds.length === 0 ? ['', ''] : [...goIds, '']);
  });

  it('refuses an information content where nothing was counted, and one that is none', async () => {
    const of = (id: string, bits: string) =>
      test.app.inject({ url: `/v1/embeddings/prediction-sets/${id}/export?format=tsv&min_ic=${bits}` });
    expect((await of(data.predictionSetId, '-1')).statusCode).toBe(422);
    await test.db.updateTable('prediction_set').set({ annotation_set_id: null }).execute();
    try {
      const reply = await of(data.predictionSetId, '1');
      expect(reply.statusCode).toBe(422);
      expect(reply.json().detail).toContain('made without annotations');
    } finally {
      await test.db.updateTable('prediction_set').set({ annotation_set_id: data.setId }).execute();
    }
  });

  it('has one line for each protein in the wide table', async () => {
    const [header, q1, q2] = table(await download('format=wide&all=true'));
    expect(header).toEqual([...exportWideColumns]);
    const cells = Object.fromEntries(header.map((name, at) => [name, q1[at]]));
    expect(cells).toMatchObject({
      protein: 'Q1',
      length: '8',
      term_count: '2',
      best_probability: '0.612346',
    });
    expect(cells).toMatchObject({ F_terms: 'GO:0005515', P_terms: 'GO:0008150', P_probabilities: '0.05' });
    expect(q2.slice(0, 12)).toEqual([
      ...['Q2', '10', '', '', '', '', '', '', 'yes', 'no_similar_protein', 'no', '0'],
    ]);
  });

  it('has an answer by its schema in each line of JSON Lines, and counts what it left out', async () => {
    const lines = (await download('format=jsonl')).trimEnd().split('\n');
    const [q1, q2] = lines.map((line) => exportLine.parse(JSON.parse(line)));
    expect(q1).toMatchObject({ accession: 'Q1', terms: [{ go_id: 'GO:0005515' }], left_out: { terms: 2 } });
    expect(q2).toMatchObject({ accession: 'Q2', terms: [] });
    expect(q2.no_answer).toEqual({
      reason: 'no_similar_protein',
      sentence:
        'No protein of the reference is similar to the sequence (E-value at most 0.001). The nearest is distant: P00001 (E-value 0.02).',
      distant: { accession: 'P00001', e_value: expect.closeTo(0.0234, 6) },
    });
  });

  it('has a record for each protein in GFF3, also for one without a term', async () => {
    const features = table(await download('format=gff3')).filter(([first]) => !first.startsWith('#'));
    expect(features).toEqual([
      [
        'Q1',
        'Kindred',
        'polypeptide',
        '1',
        '8',
        '0.612346',
        '.',
        '.',
        'ID=Q1;Ontology_term=GO:0005515;Dbxref=UniProtKB:P00001',
      ],
      ['Q2', 'Kindred', 'polypeptide', '1', '10', '.', '.', '.', 'ID=Q2'],
    ]);
  });

  it('packs a workbook that names its parameters', async () => {
    const url = `/v1/embeddings/prediction-sets/${data.predictionSetId}/export?format=xlsx&all=true`;
    const reply = await test.app.inject({ url });
    expect(reply.headers['content-type']).toBe(exportFormats.xlsx.mediaType);
    expect(reply.headers['content-disposition']).toMatch(/filename="kindred_[^"]+\.xlsx"/);
    const zip = await fromBufferPromise(reply.rawPayload);
    const texts: string[] = [];
    for await (const entry of zip.eachEntry()) texts.push(await text(await zip.openReadStreamPromise(entry)));
    expect(texts.filter((one) => one.includes('GO:0008150</t>'))).toHaveLength(2);
    expect(texts[2]).toContain(
      '>parameter all</t></is></c><c t="inlineStr"><is><t xml:space="preserve">true<',
    );
    expect(texts[2]).toContain('>releases/2026-01-01<');
  });

  it.each(['parquet', 'parquet_wide'] as const)('streams %s, with its parameters', async (format) => {
    const url = `/v1/embeddings/prediction-sets/${data.predictionSetId}/export?format=${format}&all=true`;
    const reply = await test.app.inject({ url });
    expect(reply.headers['content-type']).toBe(exportFormats[format].mediaType);
    const file = new Uint8Array(reply.rawPayload).buffer;
    const { key_value_metadata: facts = [] } = parquetMetadata(file);
    expect(facts.find(({ key }) => key === 'provenance')?.value).toContain('["parameter all","true"]');
    const rows = await parquetReadObjects({ file });
    expect(rows.map((row) => [row.protein, row.F_terms ?? row.go_id])).toEqual(
      format === 'parquet'
        ? [
            ['Q1', 'GO:0005515'],
            ['Q1', 'GO:0008150'],
            ['Q2', null],
          ]
        : [
            ['Q1', ['GO:0005515']],
            ['Q2', []],
          ],
    );
  });

  it('gives a submission all terms by falling score', async () => {
    expect(table(await download('format=cafa'))).toEqual([
      ['Q1', 'GO:0008150', '0.9'],
      ['Q1', 'GO:0005515', '0.6'],
    ]);
  });

  it('refuses a format that is none, a set that is not there, and an incomplete one', async () => {
    const url = (id: string, format = 'gaf') =>
      `/v1/embeddings/prediction-sets/${id}/export?format=${format}`;
    const bad = problemIn(await test.call({ url: url(data.predictionSetId, 'doc') }));
    expect(bad).toMatchObject({ status: 422, errors: [{ path: '/format' }] });
    expect(problemIn(await test.call({ url: url(data.setId) }))).toMatchObject({ status: 404 });
    for (const status of ['incomplete', 'filling'] as const) {
      await test.db.updateTable('prediction_set').set({ status }).execute();
      expect(problemIn(await test.call({ url: url(data.predictionSetId) }))).toMatchObject({ status: 409 });
    }
    await test.db.updateTable('prediction_set').set({ status: 'complete' }).execute();
  });
});

/** Q1 has a name and a gene in its header, Q2 none at all, and the reference knows neither. */
describe('names in the header of an upload', () => {
  let id: string;
  beforeAll(async () => {
    const { db } = test;
    const set = db.insertInto('query_set').values({ name: 'upload', entry_count: 2 });
    ({ id } = await set.returning('id').executeTakeFirstOrThrow());
    const sequence = await db.selectFrom('sequence').select('id').executeTakeFirstOrThrow();
    const headers = { Q1: 'Q1 Heat shock\tprotein; 70 OS=Testus GN=hsp70', Q2: 'Q2' };
    const entries = Object.entries(headers).map(([accession, header], position) => ({
      ...{ query_set_id: id, accession, header, position },
      sequence_id: sequence.id,
    }));
    await db.insertInto('query_set_entry').values(entries).execute();
    await db.updateTable('prediction_set').set({ query_set_id: id }).execute();
  });
  afterAll(() => test.db.deleteFrom('query_set').where('id', '=', id).execute());

  it.each(['tsv', 'wide'])('are columns of %s', async (format) => {
    const [header, ...rows] = table(await download(`format=${format}`));
    const named = rows.map((cells) =>
      ['protein', 'protein_name', 'gene_name'].map((name) => cells[header.indexOf(name)] ?? ''),
    );
    expect(named).toEqual([
      ['Q1', 'Heat shock protein; 70', 'hsp70'],
      ['Q2', '', ''],
    ]);
  });

  it('are in GAF as symbol and name, and in GFF3 as the name of the feature', async () => {
    const gaf = table(await download('format=gaf')).filter(([first]) => !first.startsWith('!'));
    expect(gaf.map((row) => [row[1], row[2], row[9]])).toEqual([['Q1', 'hsp70', 'Heat shock protein; 70']]);
    const features = table(await download('format=gff3')).filter(([first]) => /^Q/.test(first));
    expect(features.map((cells) => cells[8].split(';Ontology', 1)[0])).toEqual([
      'ID=Q1;Name=Heat shock%09protein%3B 70',
      'ID=Q2',
    ]);
  });

  it('are in the lines of JSON', async () => {
    const lines = (await download('format=jsonl')).trimEnd().split('\n');
    const named = lines.map((line) => exportLine.parse(JSON.parse(line)));
    expect(named.map((one) => [one.protein_name, one.gene_name, one.organism])).toEqual([
      ['Heat shock\tprotein; 70', 'hsp70', 'Testus'],
      [null, null, null],
    ]);
  });
});

/**
 * Q1 is P00001, which has protein binding by two annotations and binding by NOT; the process is predicted
 * beyond that.
 */
describe('an export of a known protein', () => {
  beforeAll(async () => {
    const { db } = test;
    const queries = db.updateTable('prediction_set_protein').where('protein_accession', '=', 'Q1');
    await queries.set({ known_accession: 'P00001', known_by: 'accession' }).execute();
    await db
      .updateTable('protein')
      .set({ protein_name: 'Fumarase; class I', gene_name: 'fumA' })
      .where('accession', '=', 'P00001')
      .execute();
    const annotated = (goId: string) =>
      db
        .updateTable('protein_go_annotation')
        .where('go_term_id', 'in', db.selectFrom('go_term').select('id').where('go_id', '=', goId));
    await annotated('GO:0005488').set({ qualifier: 'NOT|enables', evidence_code: 'IMP' }).execute();
    await annotated('GO:0005515')
      .set({
        db_reference: 'PMID:1',
        evidence_code: 'IPI',
        with_from: 'UniProtKB:P00002',
        assigned_by: 'EcoCyc',
        annotation_date: '20190131',
      })
      .execute();
    const row = await db
      .selectFrom('protein_go_annotation')
      .selectAll()
      .where('evidence_code', '=', 'IPI')
      .innerJoin('protein', 'protein.id', 'protein_id')
      .where('accession', '=', 'P00001')
      .select('protein_id')
      .executeTakeFirstOrThrow();
    await db
      .insertInto('protein_go_annotation')
      .values({
        annotation_set_number: row.annotation_set_number,
        protein_id: row.protein_id,
        go_term_id: row.go_term_id,
        qualifier: 'enables',
        evidence_code: 'IEA',
        db_reference: 'GO_REF:0000002',
        assigned_by: 'InterPro',
      })
      .execute();
  });

  it('has its annotations first in GAF, as their files say them, and predictions only beyond them', async () => {
    const gaf = await download('format=gaf&all=true');
    const rows = table(gaf).filter(([first]) => !first.startsWith('!'));
    const day = rows.at(-1)?.[13];
    expect(rows.map((row) => [row[1], row[3], row[4], row[5], row[6], row[7], row[13], row[14]])).toEqual([
      ['Q1', 'enables', 'GO:0005515', 'PMID:1', 'IPI', 'UniProtKB:P00002', '20190131', 'EcoCyc'],
      ['Q1', 'enables', 'GO:0005515', 'GO_REF:0000002', 'IEA', '', day, 'InterPro'],
      ['Q1', 'NOT|enables', 'GO:0005488', 'KINDRED_REF:0000009', 'IMP', '', day, 'goa'],
      [
        ...['Q1', 'acts_upstream_of_or_within', 'GO:0008150', 'KINDRED_REF:0000001', 'IEA'],
        ...['UniProtKB:P00001', day, 'Kindred'],
      ],
    ]);
    expect(await pairs(readGaf(bytes(gaf)))).toHaveLength(4);
  });

  it('has the same in GPAD, where each line says whether it is known', async () => {
    const gpad = await download('format=gpad&all=true');
    const rows = table(gpad).filter(([first]) => !first.startsWith('!'));
    expect(rows.map((row) => [row[1], row[3], row[5], /kind=(\w+)/.exec(row[11])?.[1]])).toEqual([
      ['', 'GO:0005515', 'ECO:0000353', 'known'],
      ['', 'GO:0005515', 'ECO:0000501', 'known'],
      ['NOT', 'GO:0005488', 'ECO:0000315', 'known'],
      ['', 'GO:0008150', 'ECO:0000501', 'predicted'],
    ]);
    expect(await pairs(readGpad(bytes(gpad)))).toHaveLength(4);
  });

  it('has what is known first in GFF3 and in the wide table', async () => {
    const [q1] = table(await download('format=gff3&all=true')).filter(([first]) => first === 'Q1');
    expect(q1[8]).toBe(
      'ID=Q1;Name=Fumarase%3B class I;Ontology_term=GO:0005515,GO:0008150;Dbxref=UniProtKB:P00001;known=GO:0005515|IPI|PMID:1|EcoCyc,GO:0005515|IEA|GO_REF:0000002|InterPro;predicted=GO:0008150',
    );
    const [header, wide] = table(await download('format=wide&all=true'));
    const cells = Object.fromEntries(header.map((name, at) => [name, wide[at]]));
    expect(cells).toMatchObject({
      known_as: 'P00001',
      protein_name: 'Fumarase; class I',
      gene_name: 'fumA',
      term_count: '2',
      F_terms: 'GO:0005515',
      F_names: 'protein binding',
      F_probabilities: 'known',
      P_terms: 'GO:0008150',
      P_probabilities: '0.05',
    });
  });

  it('has each known term once in the table, and says which predictions are known', async () => {
    const [header, ...rows] = table(await download('format=tsv&all=true'));
    const lines = rows.map((cells) => Object.fromEntries(header.map((name, at) => [name, cells[at]])));
    const names = lines.map((line) => [line.protein, line.protein_name, line.gene_name].join(' '));
    expect(new Set(names)).toEqual(new Set(['Q1 Fumarase; class I fumA', 'Q2  ']));
    expect(
      lines
        .filter(({ protein }) => protein === 'Q1')
        .map((line) => [
          line.kind,
          line.go_id,
          line.basis,
          line.evidence_code,
          line.db_reference,
          line.is_known,
        ]),
    ).toEqual([
      ['known', 'GO:0005515', 'experiment', 'IPI|IEA', 'PMID:1|GO_REF:0000002', 'yes'],
      ['known', 'GO:0005488', 'experiment', 'IMP', '', 'no'],
      ['predicted', 'GO:0005515', 'prediction', 'IDA', '', 'yes'],
      ['predicted', 'GO:0008150', 'prediction', 'IMP', '', 'no'],
    ]);
  });

  it('takes known annotations of the aspect and the evidence that are asked for', async () => {
    const ids = async (query: string) =>
      (await pairs(readGaf(bytes(await download(`format=gaf&all=true&${query}`))))).map((pair) =>
        pair.slice(3),
      );
    expect(await ids('aspect=P')).toEqual(['GO:0008150']);
    expect(await ids('evidence=IEA')).toEqual(['GO:0005515']);
    expect(await ids('min_probability=0.9')).toEqual(['GO:0005515', 'GO:0005515', 'GO:0005488']);
  });

  it('gives programs for enrichment what the protein has, known or predicted, without NOT', async () => {
    expect(await download('format=topgo&all=true')).toBe('Q1\tGO:0005515, GO:0008150\n');
    expect(await download('format=goatools&all=true')).toBe('Q1\tGO:0005515;GO:0008150\n');
    expect(await download('format=topgo&all=true&aspect=P')).toBe('Q1\tGO:0008150\n');
    const [header, ...rows] = table(await download('format=term2gene&all=true'));
    expect(header).toEqual(['term', 'gene']);
    const implied = ['GO:0003674', 'GO:0005488', 'GO:0005515', 'GO:0008150'];
    expect(rows.toSorted()).toEqual(implied.map((term) => [term, 'Q1']));
    const [heads, ...named] = table(await download('format=term2name&all=true'));
    expect(heads).toEqual(['term', 'name']);
    expect(named.map(([term]) => term).toSorted()).toEqual(implied);
    expect(named).toContainEqual(['GO:0005488', 'binding']);
  });

  it('has the terms of each protein and what they rest on as RDF', async () => {
    const text = await download('format=turtle&all=true');
    const { groups } = /(?<protein><\S+>) a up:Protein ;\n.* "Fumarase; class I"/.exec(text) ?? {};
    expect(groups?.protein).toMatch(/^<urn:x-kindred:protein:[0-9a-f-]{36}:Q1>$/);
    expect(text).toContain('up:classifiedWith obo:GO_0005515, obo:GO_0008150 .');
    expect(text.match(/kindred:kind "known"/g)).toHaveLength(3);
    expect(text.match(/kindred:isNegated true/g)).toHaveLength(1);
    expect(text.match(/kindred:kind "predicted"/g)).toHaveLength(1);
    expect(text.match(/^obo:GO_0005515 rdfs:label "protein binding" \.$/gm)).toHaveLength(1);
  });

  it('has only the most specific terms where that is asked for', async () => {
    const { db } = test;
    const negated = db.updateTable('protein_go_annotation').where('evidence_code', '=', 'IMP');
    await negated.set({ qualifier: 'enables' }).execute();
    const term = db.selectFrom('go_term').select('id').where('go_id', '=', 'GO:0003674');
    const predicted = db.updateTable('go_prediction').where('answer_rank', '=', 2);
    const { id: before } = await db
      .selectFrom('go_term')
      .select('id')
      .where('go_id', '=', 'GO:0008150')
      .executeTakeFirstOrThrow();
    await predicted.set({ go_term_id: term }).execute();
    const termsOf = async (query: string) => {
      const rows = table(await download(`format=tsv&all=true${query}`));
      return rows.slice(1).flatMap((cells) => (cells[0] === 'Q1' ? [cells[1]] : []));
    };
    expect(await termsOf('')).toEqual(['GO:0005515', 'GO:0005488', 'GO:0005515', 'GO:0003674']);
    expect(await termsOf('&specific=true')).toEqual(['GO:0005515', 'GO:0005515']);
    expect(await download('format=topgo&all=true&specific=true')).toBe('Q1\tGO:0005515\n');
    const answer = exportLine.parse(
      JSON.parse((await download('format=jsonl&specific=true')).split('\n')[0]),
    );
    expect(answer.left_out).toMatchObject({ terms: 2 });
    await negated.set({ qualifier: 'NOT|enables' }).execute();
    await predicted.set({ go_term_id: before }).execute();
  });

  it('has a GO code for each ECO id in GAF, and names and counts what it leaves out', async () => {
    const coded = (from: string, to: string) =>
      test.db
        .updateTable('protein_go_annotation')
        .set({ evidence_code: to })
        .where('evidence_code', '=', from)
        .execute();
    await coded('IEA', 'ECO:0000256');
    await coded('IPI', 'ECO:0009999');
    const gaf = await download('format=gaf&all=true');
    const known = table(gaf).filter(([first, ...cells]) => !first.startsWith('!') && cells[13] !== 'Kindred');
    expect(known.map((cells) => [cells[4], cells[6]])).toEqual([
      ['GO:0005515', 'IEA'],
      ['GO:0005488', 'IMP'],
    ]);
    expect(gaf).toMatch(
      /^!remark: Known annotations without an evidence code of the Gene Ontology have no row/m,
    );
    expect(gaf).toMatch(/^!left-out: \S+ is known by ECO:0009999: GO:\d{7}$/m);
    expect(gaf.trimEnd().split('\n').at(-1)).toMatch(
      /^!left-out: 1 known annotation of 1 protein by ECO:0009999, /,
    );
  });
});

describe('a term with cross-references', () => {
  const number = 'GO:0004333'; // Fumarate hydratase activity.

  beforeAll(async () => {
    const { db } = test;
    const like = await db
      .selectFrom('go_prediction')
      .selectAll()
      .where('protein_accession', '=', 'Q1')
      .where('is_nearest', '=', true)
      .executeTakeFirstOrThrow();
    const { id: _, ...term } = await db
      .selectFrom('go_term')
      .selectAll()
      .where('id', '=', like.go_term_id)
      .executeTakeFirstOrThrow();
    const { id } = await db
      .insertInto('go_term')
      .values({ ...term, go_id: number, name: 'fumarate hydratase activity', aspect: 'F' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const facts = { go_term_id: id, term_rank: 9, answer_rank: 9, probability: 0.7, contradiction: null };
    await db
      .insertInto('go_prediction')
      .values({ ...like, ...facts })
      .execute();
  });

  it('has its EC numbers and reactions in the tables, JSON Lines and GFF3, and the header says whose they are', async () => {
    const [header, ...lines] = table(await download('format=tsv'));
    const cellsOf = (line: readonly string[]) =>
      Object.fromEntries(header.map((name, at) => [name, line[at]] as const));
    const found = lines.map(cellsOf).map((cells) => [cells.go_id, cells.ec_numbers, cells.rhea_reactions]);
    expect(found).toContainEqual([number, '4.2.1.2', '12460']);
    expect(found.filter(([goId, ec]) => goId !== number && ec !== '')).toEqual([]);

    const [first] = (await download('format=jsonl')).split('\n');
    const answer = exportLine.parse(JSON.parse(first));
    expect(answer.terms.find((term) => term.go_id === number)).toMatchObject({
      ec_numbers: '4.2.1.2',
      rhea_reactions: '12460',
    });

    const [columns, wide] = table(await download('format=wide'));
    expect(wide[columns.indexOf('ec_numbers')]).toBe('4.2.1.2');

    const gff3 = await download('format=gff3');
    expect(gff3).toMatch(/;Dbxref=[^;]*RHEA:12460;ec_number=4\.2\.1\.2/);
    expect(gff3).toContain('#!cross-references EC and Rhea of each term as in Gene Ontology 2019-01-27');
  });
});
