import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportLine } from '@kindred/contracts/resources/exports';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sha256OfFile } from '../../ground/digest.js';
import { decorate } from '../feature-annotations.js';
import { openOutput } from '../output.js';
import type { ComparedTerm } from './comparison.js';
import { roCrate } from './crate.js';
import { htmlReport } from './report.js';
import { openRun, saveRun } from './run-state.js';
import { ProteomeSummary } from './summary.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-proteome-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const term = (goId: string, values: object = {}) => ({
  go_id: goId,
  name: `name of ${goId}`,
  aspect: 'F',
  place: 1,
  score: 0.5,
  probability: null,
  probability_low: null,
  probability_high: null,
  probability_meaning: null,
  calibrated_on: null,
  certainty: null,
  distance: null,
  source_kind: 'protein',
  source_id: 'P1',
  evidence_code: 'IDA',
  identity: null,
  source_found_by: null,
  similar_proteins: null,
  supporters: null,
  contradiction: null,
  is_known: null,
  folded_under: null,
  ec_numbers: null,
  rhea_reactions: null,
  ...values,
});
const answer = (accession: string, terms: object[], values: object = {}) =>
  exportLine.parse({
    accession,
    ...{ protein_name: null, gene_name: null, organism: null, predicted_name: null },
    reference: null,
    known: null,
    is_namesake: false,
    no_answer: null,
    sequence_only: null,
    terms,
    contradicted: [],
    left_out: { terms: 0, probability_below: 0.1, score_below: 0.2 },
    ...values,
  });

function summaryOf(...answers: ReturnType<typeof answer>[]): ProteomeSummary {
  const summary = new ProteomeSummary();
  for (const one of answers) summary.add(one);
  return summary;
}

it('counts proteins by how certain the first term of their answer is', () => {
  const summary = summaryOf(
    answer('A', [term('GO:1', { probability: 0.9, certainty: 'strong' }), term('GO:2', { aspect: 'P' })]),
    answer('B', [term('GO:1')], {
      protein_name: 'Heat shock protein',
      sequence_only: { sentence: 'x', distant: null },
    }),
    answer('C', [term('GO:3', { contradiction: 'never_in X' })], {
      left_out: { terms: 4, probability_below: 0.1, score_below: 0.2 },
    }),
    answer('D', [], { no_answer: { reason: 'too_short', sentence: 'x', distant: null }, is_namesake: true }),
  );
  expect([summary.known, summary.namesakes, summary.sequenceOnly]).toEqual([0, 1, 1]);
  expect(Object.fromEntries(summary.byCertainty)).toEqual({
    known: 0,
    strong: 1,
    likely: 0,
    possible: 0,
    weak: 0,
    'not calibrated': 1,
    'no term': 2,
  });
  expect([summary.proteins, summary.terms, summary.contradictedCount]).toEqual([4, 3, 1]);
  expect(Object.fromEntries(summary.proteinsByAspect)).toEqual({ P: 1, F: 2, C: 0 });
  expect(summary.isCalibrated).toBe(false);
  expect(summary.leftOut.map(({ protein, reason }) => [protein, reason])).toEqual([
    ['C', 'too_uncertain'],
    ['D', 'too_short'],
  ]);
  expect(summary.leftOut[0].sentence).toContain('All 4 predicted terms');
  expect(summary.leastCertain.map(({ protein }) => protein)).toEqual(['Heat shock protein (B)', 'A']);
  expect(summary.frequent('F', 5)).toEqual([{ goId: 'GO:1', name: 'name of GO:1', count: 2 }]);
});

it('calls a protein without a name by the predicted one, and says that it is predicted', () => {
  const predicted_name = {
    ...{ name: 'putative catalase', caution: 'putative', sources: ['P1'], compared: 1, identity: 0.7 },
  };
  const { leastCertain } = summaryOf(
    answer('A', [term('GO:1')], { predicted_name }),
    answer('B', [term('GO:1')], { predicted_name, gene_name: 'katA' }),
  );
  expect(leastCertain.map(({ protein }) => protein)).toEqual([
    'katA (B)',
    'predicted: putative catalase (A)',
  ]);
});

it('counts what is known of a protein, and predictions beyond it only', () => {
  const knownTerm = (go_id: string, is_negated = false) => ({
    ...{ go_id, name: `name of ${go_id}`, aspect: 'F', is_negated, basis: 'experiment' },
    annotations: [],
    ...{ ec_numbers: null, rhea_reactions: null },
  });
  const known = {
    ...{ accession: 'P1', matched_by: 'accession', identity: null, coverage: null, annotation_count: 2 },
    ...{ protein_name: null, gene_name: null, organism: null },
    terms: [knownTerm('GO:1'), knownTerm('GO:9', true)],
  };
  const predicted = [term('GO:1', { is_known: true }), term('GO:2', { is_known: false, aspect: 'P' })];
  const summary = summaryOf(answer('A', predicted, { known }), answer('B', [], { known }));
  expect([summary.known, summary.terms, summary.byCertainty.get('known')]).toEqual([2, 3, 2]);
  expect(summary.frequent('F', 5)).toEqual([{ goId: 'GO:1', name: 'name of GO:1', count: 2 }]);
  expect([summary.leastCertain, summary.leftOut]).toEqual([[], []]);
});

it('keeps the twenty least certain of many', () => {
  const answers = Array.from({ length: 50 }, (_, at) =>
    answer(`Q${at}`, [term('GO:1', { score: ((at * 7) % 50) / 50 })]),
  );
  const scores = summaryOf(...answers).leastCertain.map(({ score }) => score);
  expect(scores).toEqual(Array.from({ length: 20 }, (_, at) => at / 50));
});

it('writes a report without an address, a script or a name that is run', () => {
  const summary = summaryOf(answer('<script>alert(1)</script>', [term('GO:1', { name: '"&<b>' })]));
  const html = htmlReport(summary, null, {
    title: '<img src=x>',
    created: '2026-11-22T00:00:00Z',
    method: 'combined',
    reference: { id: 'KINDRED_REF:0000001', title: 't', text: 'x.' },
    version: '1',
    facts: [['Ontology', 'releases/x']],
    namesAreCompared: true,
    notChecked: ['Taxon constraints: none <were> loaded.'],
    explainHint: 'kindred explain SET PROTEIN GO_ID',
    genes: {
      ...{ program: 'Prodigal <2>', gff3: Buffer.from(''), genes: 3, contigs: 1 },
      ...{ cut: ['c&1'], nameOfLine: new Map() },
    },
    tests: [['mine@2', '90 of its own proteins were asked & <b>strong</b> was right.']],
  });
  expect(html).not.toMatch(/<script|<img|<link|href=|https?:/);
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(html).toContain('&quot;&amp;&lt;b&gt; (GO:1)');
  expect(html).toContain('Look at these first. kindred explain SET PROTEIN GO_ID');
  expect(html).toContain('Ontology release releases/x');
  expect(html).toMatch(
    /Prodigal &lt;2&gt; called 3 genes in 1 contig\. The end .* cuts 1 of them, .*: c&amp;1 /,
  );
  expect(html).toContain(
    'keep theirs. In a test of the reference mine@2, 90 of its own proteins were asked &amp; &lt;b&gt;strong&lt;/b&gt; was right.</p>',
  );
  expect(html).toContain('Not checked.</strong> Taxon constraints: none &lt;were&gt; loaded.');
});

it('shows a slim and enriched terms as shares of the proteome and of the reference', () => {
  const row = (goId: string, values: object): ComparedTerm => ({
    go_id: goId,
    go_name: `name of ${goId}`,
    aspect: 'P',
    direction: 'more',
    list_with_term: 30,
    list: 40,
    population_with_term: 40,
    population: 140,
    p_value: 1e-9,
    false_discovery_rate: 2e-8,
    ...values,
  });
  const terms = [
    row('GO:0008150', {}),
    row('GO:2', { list_with_term: 10 }),
    row('GO:3', {}),
    row('GO:4', { list_with_term: 0 }),
  ];
  const about = {
    title: 't',
    created: '',
    method: 'm',
    version: '1',
    facts: [],
    namesAreCompared: true,
    notChecked: [],
    explainHint: '',
    genes: null,
    tests: [],
  };
  const reference = { id: 'r', title: 't', text: 'x.' };
  const ofOthers = [{ reference: 'yeast@1', proteins: 7 }];
  const compared = {
    ...{ proteome: 40, reference: 100, minProbability: 0.5, enriched: [] },
    ...{ name: 'mine@1', ofOthers },
  };
  const html = htmlReport(
    summaryOf(),
    { ...compared, slim: { name: 'goslim_x', version: 'v', terms } },
    { ...about, reference },
  );
  // The shares are 30 of 40, and 10 of the other 100; the root and a term without proteins are left out.
  expect(html).toContain(
    'aria-label="name of GO:3: 75 % of the proteome, 10 % of the reference; name of GO:2: 25 % of the proteome, 30 % of the reference"',
  );
  expect(html).toContain('goslim_x (v)');
  expect(html).toContain('The reference of this comparison is mine@1.');
  expect(html).toContain('7 of yeast@1.');
  expect(html).toContain('25 % : 30 %, 10 of 40');
  const enriched = [row('GO:5', {}), row('GO:6', { direction: 'less' })];
  const without = htmlReport(summaryOf(), { ...compared, slim: null, enriched }, { ...about, reference });
  expect(without).toContain('aria-label="name of GO:5: 75 % of the proteome, 10 % of the reference"');
  expect(without).toContain('75 % : 10 %, rate 2e-8');
  expect(without).toContain('The service has no GO slim.');
});

it('goes on with a run only when asked, and only with the same input', async () => {
  const asked = { input: { name: 'a.fasta', sha256: 'x' }, gff: null, choice: { all: false } };
  const state = await openRun(folder, asked, false);
  await saveRun(folder, { ...state, predictionSetId: 'p' });
  await expect(openRun(folder, asked, false)).rejects.toThrow(/--resume/);
  expect(await openRun(folder, asked, true)).toEqual({ ...state, predictionSetId: 'p' });
  const other = { ...asked, input: { name: 'a.fasta', sha256: 'y' } };
  await expect(openRun(folder, other, true)).rejects.toThrow(/began with other values/);
});

it('names each file with its checksum in the manifest', async () => {
  await writeFile(join(folder, 'x.tsv'), 'x\n');
  const file = { name: 'x.tsv', description: 'd', mediaType: 'text/plain' };
  const crate = JSON.parse(
    await roCrate(folder, {
      name: 'n',
      created: '2026',
      inputs: [],
      parameters: [['a', 'b']],
      outputs: [file],
    }),
  );
  const entity = (id: string) => crate['@graph'].find((one: { '@id': string }) => one['@id'] === id);
  expect(entity('x.tsv')).toMatchObject({
    contentSize: '2',
    identifier: `sha256:${await sha256OfFile(join(folder, 'x.tsv'))}`,
  });
  expect(entity('#run').object).toEqual([{ '@id': '#parameter-a' }]);
});

it('keeps the bytes of a GFF3 file that are no UTF-8, and adds attributes as UTF-8', async () => {
  const bytes = Buffer.from('c\tX\tCDS\t1\t9\t.\t+\t0\tID=A;Note=\xff\xe9', 'latin1');
  await writeFile(join(folder, 'in.gff3'), bytes);
  const answers = async function* () {
    const answer = { protein_name: 'Catalase β', predicted_name: null, known: null, terms: [] };
    for (const accession of ['A', 'B', 'C', 'D', 'E', 'F', 'G'])
      yield Buffer.from(`${JSON.stringify({ accession, ...answer })}\n`);
  };
  const out = join(folder, 'out.gff3');
  const outcome = await decorate(join(folder, 'in.gff3'), answers(), await openOutput(out));
  expect(outcome).toEqual({
    unplaced: ['B', 'C', 'D', 'E', 'F', 'G'],
    text: '1 of 7 proteins have lines in in.gff3.\nWithout a line: B, C, D, E, F and 1 more.\n',
  });
  expect(await readFile(out)).toEqual(Buffer.concat([bytes, Buffer.from(';product=Catalase β')]));

  const wide = '\ufeffc\tX\tCDS\t1\t9\t.\t+\t0\tID=A\nc\tX\tCDS\t1\t9\t.\t+\t0\tID=Z\n';
  await writeFile(join(folder, 'in.gff3'), Buffer.from(wide, 'utf16le'));
  const { text } = await decorate(join(folder, 'in.gff3'), answers(), await openOutput(out));
  expect(await readFile(out, 'utf8')).toMatch(/^c\tX\tCDS\t.*;product=Catalase β\nc\tX\tCDS.*ID=Z\n$/);
  expect(text).toContain('CDS lines that name none of the proteins: 1.\n');
});
