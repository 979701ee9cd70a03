import { exportLine } from '@kindred/contracts/resources/exports';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeSources } from '../../../store/predictions/stored-sources.js';
import { startTestApp, type TestApp } from '../../../testing/test-app.js';
import { fillCatalogue } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
let base: string;

/** The reference does not know Q1, whose sources are P00001 and P00002. */
beforeAll(async () => {
  test = await startTestApp();
  base = `/v1/embeddings/prediction-sets/${(await fillCatalogue(test.db)).predictionSetId}`;
  // A set of the method combined has recorded which queries the reference knows; that of Q1 is none.
  await test.db.updateTable('prediction_set').set({ method: 'combined' }).execute();
  const aligned = ['P00001', 'P00002'].map((accession, i) => ({
    ...{ accession, logEValue: -50 },
    ...{ identity: 0.875 - i / 8, share: 0.75 - i / 16, origin: 0 },
  }));
  await query({ donors: Buffer.from(encodeSources({ aligned, near: [] })) });
  await naming('Fumarase, mitochondrial (EC 4.2.1.2)', 'Probable fumarase');
});
afterAll(() => test?.close());

const query = (values: { donors?: Buffer; known_accession?: string | null }) =>
  test.db.updateTable('prediction_set_protein').set(values).where('protein_accession', '=', 'Q1').execute();

async function naming(...names: (string | null)[]) {
  for (const [i, protein_name] of names.entries()) {
    const protein = test.db.updateTable('protein').where('accession', '=', `P0000${i + 1}`);
    await protein.set({ protein_name }).execute();
  }
}

const answer = async () => (await test.call({ url: `${base}/proteins/Q1/answer` })).body;
const file = async (format: string) =>
  (await test.app.inject({ url: `${base}/export?all=true&format=${format}` })).payload;
const cells = async (format: string) => {
  const [header, ...rows] = (await file(format)).split('\n').map((line) => line.split('\t'));
  const row = rows.find(([first]) => first === 'Q1') ?? [];
  return ['protein_name', 'predicted_name', 'predicted_name_sources'].map(
    (name) => row[header.indexOf(name)],
  );
};
const agreed = {
  ...{ name: 'Fumarase', caution: 'none', sources: ['P00001', 'P00002'], compared: 2, identity: 0.875 },
};

it('is apart from the known name in the answer, with who agrees on it', async () => {
  expect(await answer()).toMatchObject({ protein_name: null, known: null, predicted_name: agreed });
  const { proteins } = (await test.call({ url: `${base}/overview` })).body;
  expect(
    proteins.map((one: { name: unknown; predicted_name: unknown }) => [one.name, one.predicted_name]),
  ).toEqual([
    [null, 'Fumarase'],
    [null, null],
  ]);
});

it.each(['tsv', 'wide'])('is a column of its own in %s', async (format) => {
  expect(await cells(format)).toEqual(['', 'Fumarase', 'P00001|P00002']);
});

it('is in JSON Lines, GFF3 and Turtle, as predicted', async () => {
  const [line] = (await file('jsonl')).split('\n');
  expect(exportLine.parse(JSON.parse(line)).predicted_name).toEqual(agreed);
  expect(await file('gff3')).toContain('\tID=Q1;predicted_name=Fumarase;Ontology_term=');
  expect(await file('turtle')).toContain(
    'kindred:predictedName "Fumarase" ;\n  kindred:predictedNameFrom <http://purl.uniprot.org/uniprot/P00001>, <http://purl.uniprot.org/uniprot/P00002> ;',
  );
});

it('is absent where the sources disagree, have no name, or the reference knows the protein', async () => {
  await naming('Fumarase', 'Catalase');
  expect((await answer()).predicted_name).toBeNull();
  expect(await cells('tsv')).toEqual(['', '', '']);
  expect(await file('gff3')).not.toContain('predicted_name=');
  await naming(null, null);
  expect((await answer()).predicted_name).toBeNull();
  await naming('Fumarase', 'Fumarase');
  await query({ known_accession: 'P00001' });
  expect((await answer()).predicted_name).toBeNull();
});
