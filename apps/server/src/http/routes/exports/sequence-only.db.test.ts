import { exportLine } from '@kindred/contracts/resources/exports';
import { sequenceOnlySentence } from '@kindred/contracts/sequence-only';
import { sequenceAloneData } from '@kindred/kernels/combined';
import { NetworkTerms, speakingStretch } from '@kindred/kernels/network';
import { loadNative, readNetwork } from '@kindred/native';
import { type NetworkCase, networkFile, shippedNetwork } from '@kindred/testkit/shipped-network';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { networkFolder } from '../../../ground/folders.js';
import { inTransaction } from '../../../store/postgres/connection.js';
import { storeSequences } from '../../../store/proteins/sequences.repository.js';
import { startTestApp, type TestApp } from '../../../testing/test-app.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
let data: TestData;
let goId: string;

/** The protein is of a family that the network never saw. */
const { sequence } = shippedNetwork().cases.find((one) => one.sequence.length >= 100) as NetworkCase;

/** Q1 has a term of a similar protein, Q2 one from its sequence alone. */
beforeAll(async () => {
  test = await startTestApp();
  data = await fillCatalogue(test.db);
  const { db } = test;
  const like = await db
    .selectFrom('go_prediction')
    .selectAll()
    .where('is_nearest', '=', true)
    .executeTakeFirstOrThrow();
  await db.deleteFrom('go_prediction').execute();
  const term = await db
    .selectFrom('go_term')
    .select(['id', 'go_id'])
    .where('id', '=', like.go_term_id)
    .executeTakeFirstOrThrow();
  goId = term.go_id;
  await db
    .insertInto('go_prediction')
    .values([
      { ...like, answer_rank: 1, term_rank: 1, probability: 0.9 },
      {
        ...{ ...like, protein_accession: 'Q2', answer_rank: 1, term_rank: 1, score: 0.55, probability: 0.55 },
        ...{ source_kind: 'none', source_id: null, evidence_code: null, source_identity: null },
        ...{ identity_sw: null, distance: null, similar_proteins: 0, supporters: 0 },
        calibrated_on: sequenceAloneData,
      },
    ])
    .execute();
  const { ids } = await inTransaction(db, (trx) => storeSequences(trx, [sequence]));
  await db
    .updateTable('prediction_set_protein')
    .set({
      sequence_id: ids[0],
      ...{ no_answer: 'no_similar_protein', term_count: 1, prediction_count: 1 },
      ...{ distant_accession: 'P00001', distant_e_value: 0.0234 },
    })
    .where('protein_accession', '=', 'Q2')
    .execute();
  await db
    .updateTable('prediction_set')
    .set({ status: 'complete', method: 'combined', parameters: JSON.stringify({ sequence_only: true }) })
    .execute();
});
afterAll(() => test?.close());

const at = (path: string) => `/v1/embeddings/prediction-sets/${data.predictionSetId}/${path}`;
async function read(path: string) {
  const reply = await test.app.inject({ url: at(path) });
  expect(reply.statusCode, reply.body).toBe(200);
  return reply.body;
}
const download = (query: string) => read(`export?${query}`);
const table = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
function cellsBy(text: string, key: string): Map<string, Record<string, string>> {
  const [header, ...rows] = table(text);
  return new Map(
    rows.map((cells) => {
      const named = Object.fromEntries(header.map((name, i) => [name, cells[i]]));
      return [named[key], named];
    }),
  );
}

it('says in an answer that no protein is similar, how often such terms were right, and which is distant', async () => {
  const answer = JSON.parse(await read('proteins/Q2/answer'));
  expect(answer.no_answer).toBeNull();
  expect(answer.sequence_only).toEqual({
    sentence: `${sequenceOnlySentence} The nearest is distant: P00001 (E-value 0.02).`,
    distant: { accession: 'P00001', e_value: expect.closeTo(0.0234) },
  });
  expect(answer.terms).toMatchObject([
    { go_id: goId, probability: expect.closeTo(0.55), certainty: 'likely', source_kind: 'none' },
  ]);
  expect(answer.terms[0].probability_meaning).toBe('held by the databases');
  expect(JSON.parse(await read('proteins/Q1/answer')).sequence_only).toBeNull();
});

it('marks the protein in the overview', async () => {
  const { proteins } = JSON.parse(await read('overview'));
  expect(
    proteins.map((one: Record<string, unknown>) => [one.accession, one.no_answer, one.is_sequence_only]),
  ).toEqual([
    ['Q1', null, false],
    ['Q2', null, true],
  ]);
});

it('gives a term the evidence that there is: no similar protein, and its rate', async () => {
  const evidence = JSON.parse(await read(`proteins/Q2/terms/${goId}/evidence`));
  expect(evidence).toMatchObject({
    method: 'sequence_alone',
    sources: [],
    votes: null,
    model: null,
    similar_proteins: 0,
  });
  expect(evidence.probabilities).toMatchObject([
    { meaning: 'held by the databases', calibrated_on: sequenceAloneData },
  ]);
});

it('shows the stretch that speaks most for the term', async () => {
  const { stretch } = JSON.parse(await read(`proteins/Q2/terms/${goId}/evidence`));
  const network = readNetwork(networkFolder, loadNative());
  const output = new NetworkTerms(networkFile('terms.tsv').toString()).all.findIndex(
    (term) => term.goId === goId,
  );
  expect(stretch).toEqual(speakingStretch(network, sequence, output));
  expect(stretch.without).toBeLessThan(stretch.probability);
});

it('marks the terms in every format', async () => {
  const tsv = cellsBy(await download('format=tsv'), 'protein');
  expect([tsv.get('Q1')?.basis, tsv.get('Q2')?.basis]).toEqual(['prediction', 'sequence_alone']);
  expect(tsv.get('Q2')).toMatchObject({ kind: 'predicted', no_answer: '', certainty: 'likely' });

  const wide = cellsBy(await download('format=wide'), 'protein');
  expect([wide.get('Q1')?.is_sequence_only, wide.get('Q2')?.is_sequence_only]).toEqual(['no', 'yes']);

  const lines = (await download('format=jsonl')).trimEnd().split('\n');
  const answers = lines.map((line) => exportLine.parse(JSON.parse(line)));
  expect(answers.map(({ accession, sequence_only }) => [accession, sequence_only !== null])).toEqual([
    ['Q1', false],
    ['Q2', true],
  ]);

  const gaf = await download('format=gaf');
  expect(gaf).toContain('!method: KINDRED_REF:0000010, Terms from the sequence alone');
  const rows = table(gaf).filter(([first]) => !first.startsWith('!'));
  expect(rows.map((cells) => [cells[1], cells[5], cells[6]])).toEqual([
    ['Q1', 'KINDRED_REF:0000001', 'IEA'],
    ['Q2', 'KINDRED_REF:0000010', 'IEA'],
  ]);
  expect(await download('format=gpad')).toContain('\tKINDRED_REF:0000010\t');
  expect(await download('format=turtle')).toContain('dcterms:source "KINDRED_REF:0000010"');
  const features = table(await download('format=gff3')).filter((cells) => cells.length === 9);
  expect(features.map((cells) => cells[8].includes('basis=sequence_alone'))).toEqual([false, true]);
});
