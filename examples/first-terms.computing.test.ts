import { execFile, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { Client, type Reply } from '@kindred/client';
import { groupedBy } from '@kindred/kernels/arrays';
import type { Aspect } from '@kindred/kernels/vocabulary';
import { patienceMs, sharedData } from '@kindred/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AnswerReply,
  byProtein,
  firstOf,
  isKnown,
  isListed,
  type Line,
  linesOf,
  orderFaults,
  reportFaults,
  sheetsOf,
  type Shown,
  shownInAnnotations,
  shownInFeatures,
  shownInReply,
  shownInTable,
  shownInWide,
  wordOf,
} from './testing/answers.js';
import { type RunningExample, startService } from './testing/service.js';

const program = fileURLToPath(new URL('../apps/server/dist/main.js', import.meta.url));
const here = (...parts: string[]) => join(fileURLToPath(new URL('first-terms', import.meta.url)), ...parts);
const expected = linesOf(readFileSync(here('expected.tsv'), 'utf8'));
const proteins = readFileSync(here('proteins.fasta'), 'utf8');
const aspects = ['F', 'P', 'C'] as const;

const ontology = gunzipSync(readFileSync(new URL('go-basic-2022-07-01.obo.gz', import.meta.url))).toString();
const names = new Map(
  [...ontology.matchAll(/^id: (GO:\d{7})\nname: (.*)\nnamespace: (.*)$/gm)].map(([, id, name, space]) => [
    id,
    { name, aspect: { m: 'F', b: 'P', c: 'C' }[space[0]] },
  ]),
);

const shared = sharedData('data', 'ecoli-k12');

describe('the table of 60 proteins', () => {
  it('has 20 known ones, 20 with near relatives, 10 with far ones and 10 with none, of many organisms', () => {
    const counts: Record<string, number> = {};
    for (const row of expected) counts[row.class] = (counts[row.class] ?? 0) + 1;
    expect(counts).toEqual({ known: 20, near: 20, far: 10, none: 10 });
    expect(new Set(expected.map((row) => row.organism)).size).toBeGreaterThanOrEqual(6);
    const accessions = [...proteins.matchAll(/^>(\S+)/gm)].map(([, accession]) => accession);
    expect(expected.map((row) => row.protein)).toEqual(accessions);
  });

  it('names terms of the ontology, in their aspect, and says why', () => {
    for (const row of expected) {
      for (const aspect of aspects)
        for (const [id, name] of termsIn(row[aspect]))
          expect(names.get(id), row.protein).toEqual({ name, aspect });
      expect(row.why.length, row.protein).toBeGreaterThan(20);
      for (const [, aspect, id, name] of row.shown_instead.matchAll(/([FPC]) (GO:\d{7}) ([^;]*)/g))
        expect(names.get(id), row.protein).toEqual({ name, aspect });
      expect(row.accepted_because === '', row.protein).toBe(row.shown_instead === '');
    }
  });
});

/** Reads `GO:0005634 nucleus | GO:0005654 nucleoplasm` as pairs. */
function termsIn(cell: string): [string, string][] {
  if (cell === 'nothing') return [];
  return cell
    .split(' | ')
    .filter((one) => one !== 'nothing')
    .map((one) => [one.slice(0, 10), one.slice(11)]);
}

/** Returns what a row says of an aspect: what a curator expects to read first, and what is read instead, if that differs. */
function saidOf(row: Line, aspect: Aspect): { wanted: string[]; instead: string | null } {
  const wanted = row[aspect].split(' | ').map((one) => one.slice(0, one === 'nothing' ? 7 : 10));
  const instead = new RegExp(`(?:^|; )${aspect} (GO:\\d{7}|nothing)`).exec(row.shown_instead)?.[1] ?? null;
  return { wanted, instead };
}

/** Every surface of one run with the starter reference reads alike, and as a curator expects or as the table accepts. */
describe.skipIf(shared === null)('the answers for 60 proteins of the table and 1,000 of E. coli', () => {
  let service: RunningExample;
  let setId: string;
  let answers: Map<string, Line[]>;
  let both: Shown;
  let kinds: Shown;
  const env = () => ({ PATH: process.env.PATH, SVC_DATA_DIR: join(service.folder, 'data') });
  const kindred = (...args: string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      execFile(
        process.execPath,
        [program, ...args],
        { env: env(), maxBuffer: 1 << 28 },
        (error, stdout, stderr) =>
          error === null ? resolve(stdout) : reject(new Error(`${args.join(' ')}: ${stdout}${stderr}`)),
      );
    });
  const headers = () => ({ authorization: `ApiKey ${service.access[3]}` });
  const client = () => new Client({ baseUrl: service.access[1], headers: headers() });
  const out = (name: string) => readFileSync(join(service.folder, 'out', name), 'utf8');
  const exported = async (format: string): Promise<Buffer> => {
    const place = `/v1/embeddings/prediction-sets/${setId}/export?format=${format}`;
    const reply = await fetch(`${service.access[1]}${place}`, { headers: headers() });
    expect(reply.status, format).toBe(200);
    return Buffer.from(await reply.arrayBuffer());
  };
  beforeAll(async () => {
    service = await startService({ SVC_LOAD_EXAMPLES: 'starter' });
    const queries = join(service.folder, 'queries.fasta');
    writeFileSync(queries, proteins + eachFourth(join(shared as string, 'UP000000625_83333.fasta.gz')));
    await kindred('annotate', queries, '-q', '--out-dir', join(service.folder, 'out'));
    setId = /^!prediction-set: (.*)$/m.exec(out('terms.gaf'))?.[1] as string;
    answers = byProtein(linesOf(out('terms.tsv')));
    both = shownInTable(answers);
    kinds = shownInTable(answers, undefined, ({ kind }) => kind);
  }, 6 * patienceMs);
  afterAll(() => service?.stop());

  it('read first as a curator expects, or as the table accepts', () => {
    const others: string[] = [];
    const agreed: Record<string, number> = { all: 0 };
    for (const row of expected)
      for (const aspect of aspects) {
        const { wanted, instead } = saidOf(row, aspect);
        const first = firstOf(answers.get(row.protein) ?? [], aspect)?.go_id ?? 'nothing';
        const agrees = wanted.includes(first);
        for (const name of ['all', row.class]) agreed[name] = (agreed[name] ?? 0) + Number(agrees);
        if (instead === null ? !agrees : first !== instead)
          others.push(`${row.protein} ${aspect}: ${first} ${names.get(first)?.name ?? ''}`);
      }
    expect(others).toEqual([]);
    const described = readFileSync(here('DATA.md'), 'utf8');
    expect(described).toContain(`in ${agreed.all} of 180 cases`);
    for (const [name, cases] of Object.entries({ known: 60, near: 60, far: 30, none: 30 }))
      expect(described).toMatch(new RegExp(`^\\| ${name}: .*\\| ${agreed[name]} of ${cases} \\|$`, 'm'));
  });

  it('know exactly the known proteins of the table', () => {
    for (const row of expected)
      expect((answers.get(row.protein) ?? []).some(isKnown), row.protein).toBe(row.class === 'known');
  });

  it('are in one order, and hide nothing that is more certain', () => {
    expect(answers.size).toBe(1060);
    for (const [protein, lines] of answers) expect(orderFaults(lines), protein).toEqual([]);
  });

  it('are the same in JSON Lines, the table of one line a protein, the workbook and GFF3', async () => {
    for (const text of out('answers.jsonl').trimEnd().split('\n')) {
      const answer: AnswerReply = JSON.parse(text);
      expect(shownInReply(answer), answer.accession).toEqual(both.get(answer.accession));
    }
    const wide = shownInWide(linesOf((await exported('wide')).toString()));
    const [ofProteins, ofTerms] = sheetsOf(await exported('xlsx'));
    const tables = [ofProteins, ofTerms].map((rows) =>
      linesOf(rows.map((cells) => cells.join('\t')).join('\n')),
    );
    expect(shownInWide(tables[0])).toEqual(wide);
    expect(shownInTable(byProtein(tables[1]))).toEqual(both);
    for (const [protein, terms] of both)
      expect(wide.get(protein)?.toSorted(), protein).toEqual(terms.toSorted());
    expect(shownInFeatures((await exported('gff3')).toString())).toEqual(kinds);
  });

  it('are the same in GPAD, and in GAF but for annotations without a code, which it counts', async () => {
    const gpad = shownInAnnotations((await exported('gpad')).toString(), [3, 9, 1]);
    for (const [protein, terms] of kinds) expect(gpad.get(protein) ?? [], protein).toEqual(terms);
    const isCoded = (line: Line) => line.kind === 'predicted' || line.evidence_code !== 'ECO:0000000';
    const coded = shownInTable(
      answers,
      (line) => (isKnown(line) || (line.kind === 'predicted' && line.is_known !== 'yes')) && isCoded(line),
      ({ kind }) => kind,
    );
    const gaf = out('terms.gaf');
    const shown = shownInAnnotations(gaf, [4, 14, 3]);
    for (const [protein, terms] of coded) expect(shown.get(protein) ?? [], protein).toEqual(terms);
    expect(gaf).toContain('!left-out: UniProtKB:P42212 is known by ECO:0000000: GO:0006091, GO:0008218\n');
    expect(gaf).toMatch(/^!left-out: \d+ known annotations of \d+ proteins by ECO:0000000/m);
  });

  it('are the same in the table of the run', async () => {
    for (let after: string | undefined; ; ) {
      const page = await client().get('/embeddings/prediction-sets/:id/overview', {
        params: { id: setId },
        query: { after },
      });
      for (const { accession, terms } of page.proteins)
        expect(
          terms.map(
            ({ go_id, kind, certainty }) =>
              `${go_id} ${kind === 'known' ? kind : (certainty ?? 'not calibrated')}`,
          ),
          accession,
        ).toEqual(both.get(accession));
      if (page.next === null) break;
      after = page.next;
    }
  });

  it('are the same in the answer that the page and its print show', async () => {
    for (const { protein } of expected) {
      const answer = await client().get('/embeddings/prediction-sets/:id/proteins/:accession/answer', {
        params: { id: setId, accession: protein },
      });
      expect(shownInReply(answer), protein).toEqual(both.get(protein));
    }
  });

  it('are counted by the report, which lists no known protein as uncertain', () => {
    expect(reportFaults(out('report.html'), answers)).toEqual([]);
  });

  it('are the same on the command line, as a table and as JSON', async () => {
    const listed = shownInTable(answers, isListed);
    const run = (format: string) =>
      kindred('annotate', here('proteins.fasta'), '-q', '--top', '1000', '--format', format);
    const lines: Record<string, unknown>[] = JSON.parse(await run('json'));
    const texts = lines.map((line) =>
      Object.fromEntries(Object.entries(line).map(([name, value]) => [name, textOf(value)])),
    );
    const ofJson = shownInTable(byProtein(texts));
    const [, ...rows] = (await run('table')).trimEnd().split('\n');
    const inTerminal: Shown = new Map();
    for (const row of rows) {
      const [protein, id, , ...rest] = row.split(/\s{2,}/);
      const word = /^(?:known NOT|known|not calibrated|strong|likely|possible|weak)/;
      const read = rest.flatMap((cell) => word.exec(cell) ?? []).at(0);
      const terms = inTerminal.get(protein) ?? [];
      // A line without a word says that the protein has no answer.
      const isTerm = read !== undefined && read !== 'known NOT';
      inTerminal.set(protein, isTerm ? [...terms, `${id} ${read}`] : terms);
    }
    for (const { protein } of expected) {
      expect(ofJson.get(protein), protein).toEqual(listed.get(protein));
      expect(inTerminal.get(protein), protein).toEqual(listed.get(protein));
    }
  });

  it('are the same for an assistant, as far as it is given terms', async () => {
    const given = await askAssistantServer(50);
    expect(given.length).toBe(expected.length);
    for (const answer of given) {
      const { accession, terms } = answer;
      const left = (answers.get(accession) ?? []).filter((line) => line.kind === 'predicted').slice(0, 50);
      expect(terms.map(({ go_id, certainty }) => `${go_id} ${certainty ?? 'not calibrated'}`)).toEqual(
        left.map((line) => `${line.go_id} ${wordOf(line)}`),
      );
      const known = (both.get(accession) ?? []).filter((one) => one.endsWith(' known'));
      expect(shownInReply({ ...answer, terms: [] }), accession).toEqual(known);
    }
  });

  it('can each be explained, with the numbers of the row, and with papers', async () => {
    // An explanation is computed when it is asked for, so the first and the last of each kind of row stand for all, of each third protein;
    // what is denied is rare.
    const rowsOf = (proteins: readonly Line[]) =>
      proteins.flatMap(({ protein }) => answers.get(protein) ?? []).filter(({ go_id }) => go_id !== '');
    const kindsOf = groupedBy(
      rowsOf(expected.filter((_, at) => at % 3 === 0)),
      ({ protein, aspect, kind }) => `${protein} ${aspect} ${kind}`,
    );
    const denied = rowsOf(expected).filter(({ qualifier }) => /NOT/.test(qualifier));
    const asked = new Set(
      [...kindsOf.values()].flatMap((alike) => [alike[0], alike[alike.length - 1]]).concat(denied),
    );
    expect(denied.length).toBeGreaterThan(0);
    expect(asked.size).toBeGreaterThan(100);
    const unexplained: string[] = [];
    let withPapers = 0;
    const next = asked.values();
    // Four askers share the rows, so each row is asked for once.
    const askAll = async () => {
      for (const row of next) {
        const evidence = await client().get(
          '/embeddings/prediction-sets/:id/proteins/:accession/terms/:go_id/evidence',
          { params: { id: setId, accession: row.protein, go_id: row.go_id } },
        );
        unexplained.push(...faultsOf(row, evidence));
        withPapers += Number(papersOf(evidence).length > 0);
      }
    };
    await Promise.all([askAll(), askAll(), askAll(), askAll()]);
    expect(unexplained).toEqual([]);
    expect(withPapers).toBeGreaterThan(asked.size / 2);
    const known = [...asked].find((row) => isKnown(row) && /PMID:\d+/.test(row.db_reference)) as Line;
    const text = await kindred('explain', setId, known.protein, known.go_id);
    expect(text).toMatch(/PMID:\d+/);
  });

  /** Asks `kindred mcp` for the proteins of the table, as an assistant does. */
  async function askAssistantServer(terms: number): Promise<AnswerReply[]> {
    const server = spawn(process.execPath, [program, 'mcp'], {
      env: env(),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const send = (message: object) =>
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const ended = new Promise((resolve) => server.once('exit', resolve));
    const clientInfo = { name: 'test', version: '1' };
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    });
    send({ method: 'notifications/initialized' });
    const asked = { name: 'annotate_proteins', arguments: { fasta: proteins, terms } };
    send({ id: 2, method: 'tools/call', params: asked });
    for await (const line of createInterface({ input: server.stdout })) {
      const { id, result } = JSON.parse(line);
      if (id !== 2) continue;
      server.stdin.end();
      await ended;
      return JSON.parse(result.content[0].text).answers;
    }
    throw new Error('kindred mcp ended without an answer');
  }
});

type Evidence = Reply<'GET', '/embeddings/prediction-sets/:id/proteins/:accession/terms/:go_id/evidence'>;

const papersOf = ({ own_annotations: own, sources }: Evidence): string[] =>
  [...own, ...sources.flatMap(({ annotations }) => annotations)].flatMap(
    ({ db_reference }) => db_reference?.match(/PMID:\d+/) ?? [],
  );

/** Compares the evidence of a term with its row. A term has to rest on something. */
function faultsOf(row: Line, evidence: Evidence): string[] {
  const fault = (what: string) => `${row.protein} ${row.go_id} (${row.kind}): ${what}`;
  const {
    own_annotations: own,
    denials,
    sources,
    score,
    probabilities,
    supporters,
    similar_proteins: similar,
  } = evidence;
  if (row.kind === 'known') {
    const stated = /NOT/.test(row.qualifier) ? denials : own;
    return stated.length === 0 ? [fault('no annotation of its own')] : [];
  }
  const differs = (name: string, said: number | null | undefined) =>
    Math.abs(Number(row[name] || -1) - (said ?? -1)) > 5e-6
      ? [fault(`${name} ${row[name]}, not ${said}`)]
      : [];
  const isOfSequence = row.basis === 'sequence_alone' && evidence.method === 'sequence_alone';
  return [
    ...(own.length + sources.length === 0 && !isOfSequence
      ? [fault('neither a source nor an annotation of its own')]
      : []),
    ...differs('score', score),
    ...differs('probability', probabilities.at(0)?.probability),
    ...differs('supporters', supporters),
    ...differs('similar_proteins', similar),
  ];
}

function textOf(value: unknown): string {
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value ?? '');
}

/** Returns every fourth protein of a file, 1,000 of them. */
function eachFourth(file: string): string {
  const records = gunzipSync(readFileSync(file))
    .toString()
    .split(/^(?=>)/m);
  const taken = new Set([...proteins.matchAll(/^>(\S+)/gm)].map(([, accession]) => accession));
  return records
    .filter((_, at) => at % 4 === 0)
    .filter((record) => !taken.has(/^>\w+\|(\w+)/.exec(record)?.[1] ?? ''))
    .slice(0, 1000)
    .join('');
}
