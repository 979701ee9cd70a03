import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@kindred/client';
import { patienceMs, sharedData } from '@kindred/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  byProtein,
  firstOf,
  isKnown,
  type Line,
  linesOf,
  orderFaults,
  reportFaults,
  shownInAnnotations,
  shownInFeatures,
  shownInReply,
  shownInTable,
} from './testing/answers.js';
import { type RunningExample, startService } from './testing/service.js';

const shared = sharedData('data', 'ecoli-k12');

const program = fileURLToPath(new URL('../apps/server/dist/main.js', import.meta.url));
const file = (...parts: string[]) => join(shared as string, '..', ...parts);
const fasta = () => file('ecoli-k12', 'UP000000625_83333.fasta.gz');

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
    answers = byProtein(linesOf(out('terms.tsv')));
  }, 6 * patienceMs);
  afterAll(() => service?.stop());

  const withKnownFunction = () =>
    [...answers].filter(([, lines]) => lines.some((line) => line.aspect === 'F' && isKnown(line)));

  it('name a known function first in the table, wherever there is one', () => {
    expect(answers.size).toBe(4401);
    expect(withKnownFunction().length).toBeGreaterThan(3000);
    for (const [protein, lines] of withKnownFunction())
      expect(firstOf(lines, 'F'), protein).toSatisfy(isKnown);
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

  it('are counted by the report, which lists no known protein as uncertain', () => {
    expect(reportFaults(out('report.html'), answers)).toEqual([]);
  });

  it('are in one order, and hide nothing that is more certain', () => {
    for (const [protein, lines] of answers) expect(orderFaults(lines), protein).toEqual([]);
  });

  it('are the same terms in every file', () => {
    const both = shownInTable(answers);
    for (const text of out('answers.jsonl').trimEnd().split('\n')) {
      const answer = JSON.parse(text);
      expect(shownInReply(answer), answer.accession).toEqual(both.get(answer.accession));
    }
    const kinds = shownInTable(answers, undefined, ({ kind }) => kind);
    expect(shownInFeatures(out('annotated.gff3'))).toEqual(kinds);
    const gaf = shownInAnnotations(out('terms.gaf'), [4, 14, 3]);
    for (const [protein, terms] of kinds) expect(gaf.get(protein) ?? [], protein).toEqual(terms);
  });
});
