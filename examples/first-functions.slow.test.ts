import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@kindred/client';
import { certaintyOf, measuredRate } from '@kindred/kernels/combined';
import { patienceMs, sharedData } from '@kindred/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningExample, startService } from './testing/service.js';

const shared = sharedData('data', 'ecoli-k12');
if (shared === null)
  console.warn('skipped: the proteome of E. coli needs the shared data (KINDRED_SHARED, or ../shared)');

const program = fileURLToPath(new URL('../apps/server/dist/main.js', import.meta.url));
const file = (...parts: string[]) => join(shared as string, '..', ...parts);
const fasta = () => file('ecoli-k12', 'UP000000625_83333.fasta.gz');

type Line = Record<string, string>;

/** Groups the rows of a table with a header by protein. */
function byProtein(tsv: string): Map<string, Line[]> {
  const [header, ...rows] = tsv
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  const found = new Map<string, Line[]>();
  for (const row of rows) {
    const line = Object.fromEntries(header.map((name, at) => [name, row[at]]));
    found.set(line.protein, [...(found.get(line.protein) ?? []), line]);
  }
  return found;
}

/**
 * This test annotates the whole proteome of E. coli against its own reference, and compares everything that a reader sees first with what
 * is known.
 */
describe.skipIf(shared === null)('the answers for a proteome that the reference knows', () => {
  let service: RunningExample;
  let setId: string;
  let answers: Map<string, Line[]>;
  const kindred = (...args: string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const env = { PATH: process.env.PATH, SVC_DATA_DIR: join(service.folder, 'data') };
      execFile(process.execPath, [program, ...args], { env, maxBuffer: 1 << 28 }, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${args.join(' ')}: ${stdout}${stderr}`)),
      );
    });
  const headers = () => ({ authorization: `ApiKey ${service.access[3]}` });
  const client = () => new Client({ baseUrl: service.access[1], headers: headers() });
  const out = (name: string) => readFileSync(join(service.folder, 'out', name), 'utf8');
  beforeAll(async () => {
    service = await startService({});
    const gaf = file('ecoli-k12', '18.E_coli_MG1655.2022-11-12.gaf.gz');
    const sources = ['--obo', file('ontology', 'go-2022-07-01.obo.gz'), '--fasta', fasta(), '--gaf', gaf];
    await kindred('reference', 'build', '-q', '--name', 'ecoli', '--version', '2022', ...sources);
    await kindred('annotate', fasta(), '-q', '--out-dir', join(service.folder, 'out'));
    [{ id: setId }] = await client().get('/embeddings/prediction-sets', { query: { limit: 1 } });
    answers = byProtein(out('terms.tsv'));
  }, 6 * patienceMs);
  afterAll(() => service?.stop());

  const isKnown = (line: Line) => line.kind === 'known' && !/NOT/.test(line.qualifier);
  const withKnownFunction = () =>
    [...answers].filter(([, lines]) => lines.some((line) => line.aspect === 'F' && isKnown(line)));

  it('name a known function first in the table, wherever there is one', () => {
    expect(answers.size).toBe(4401);
    expect(withKnownFunction().length).toBeGreaterThan(3000);
    for (const [protein, lines] of withKnownFunction())
      expect(
        lines.find((line) => line.aspect === 'F'),
        protein,
      ).toSatisfy(isKnown);
  });

  it('name the same function first in the overview of the run', async () => {
    const first = new Map<string, string>();
    for (let after: string | undefined; ; ) {
      const page = await client().get('/embeddings/prediction-sets/:id/overview', {
        params: { id: setId },
        query: { after },
      });
      for (const { accession, terms } of page.proteins) {
        const term = terms.find(({ go_id }) => page.terms[go_id].aspect === 'F');
        if (term !== undefined) first.set(accession, `${term.kind} ${term.go_id}`);
      }
      if (page.next === null) break;
      after = page.next;
    }
    for (const [protein, lines] of withKnownFunction()) {
      const line = lines.find((one) => one.aspect === 'F' && isKnown(one)) as Line;
      expect(first.get(protein), protein).toBe(`known ${line.go_id}`);
    }
  });

  it('name a known function first in GAF', () => {
    const first = new Map<string, string>();
    for (const line of out('terms.gaf').split('\n')) {
      const [, protein, , relation, goId, , , , aspect] = line.split('\t');
      if (aspect === 'F' && !/NOT/.test(relation) && !first.has(protein)) first.set(protein, goId);
    }
    for (const [protein, lines] of withKnownFunction()) {
      const known = lines.filter((line) => line.aspect === 'F' && isKnown(line)).map((line) => line.go_id);
      expect(known, protein).toContain(first.get(protein));
    }
  });

  it('are in one order, hide nothing that is more certain, and hold the same terms in every file', () => {
    const words = ['strong', 'likely', 'possible', 'weak'];
    const place = ({ probability, score, aspect }: Line) =>
      words.indexOf(
        certaintyOf(
          probability === '' ? measuredRate(aspect as 'P' | 'F' | 'C', Number(score)) : Number(probability),
        ) ?? '',
      );
    const inLines = new Map<string, string[]>();
    for (const text of out('answers.jsonl').trimEnd().split('\n')) {
      const { accession, terms } = JSON.parse(text) as { accession: string; terms: { go_id: string }[] };
      inLines.set(
        accession,
        terms.map(({ go_id }) => go_id),
      );
    }
    for (const [protein, lines] of answers) {
      const predicted = lines.filter((line) => line.kind === 'predicted');
      expect(
        predicted.map((line) => line.go_id),
        protein,
      ).toEqual(inLines.get(protein) ?? []);
      const kinds = lines.map((line) => line.kind);
      expect(kinds.lastIndexOf('known') < kinds.indexOf('predicted') || !kinds.includes('predicted')).toBe(
        true,
      );
      const byId = new Map(predicted.map((line) => [line.go_id, line]));
      for (const line of predicted) {
        if (line.folded_under === '') continue;
        const upper = byId.get(line.folded_under) as Line;
        expect(upper.aspect, protein).toBe(line.aspect);
        expect(upper.folded_under, protein).toBe('');
        expect(place(upper), `${protein} ${line.go_id}`).toBeLessThanOrEqual(place(line));
      }
      for (const aspect of 'PFC') {
        const own = predicted.filter((line) => line.aspect === aspect);
        // The words of certainty fall among terms that say enough, and among general terms, which are apart.
        for (const known of ['yes', 'no']) {
          const part = own.filter((line) => (line.is_known === 'yes') === (known === 'yes'));
          const rises = part.filter((line, at) => at > 0 && place(line) < place(part[at - 1])).length;
          expect(rises, `${protein} ${aspect}`).toBeLessThanOrEqual(3);
        }
        const beyond = own.map((line) => Number(line.is_known === 'yes'));
        expect(beyond, protein).toEqual(beyond.toSorted((a, b) => a - b));
      }
    }
  });
});
