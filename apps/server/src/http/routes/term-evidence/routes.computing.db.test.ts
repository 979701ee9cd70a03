import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { answerReply, overviewReply } from '@kindred/contracts/resources/answers';
import type { coverageReply, termEvidenceReply } from '@kindred/contracts/resources/term-evidence';
import { type AnswerLine, supportSentence, supportText } from '@kindred/kernels/answer';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { evidenceText } from '../../../cli/explain.js';
import { readAnnotations } from '../../../cli/annotation-table.js';
import { examplesFolder } from '../../../testing/loading-context.js';
import { startTestApp, type TestApp } from '../../../testing/test-app.js';
import { type ExampleWorkers, startExampleWorkers } from '../../../testing/worker/example-workers.js';

/**
 * Rows, evidence, `kindred explain` and exports must agree on the same terms, for real answers of the example
 * set.
 */
let world: ExampleWorkers;
let test: TestApp;
let set: string;

const knownProteins = 3;
const bareProteins = 5;
/**
 * At most this many terms of a protein are compared, because each costs a scoring for each of its sources.
 */
const termsOfProtein = 5;

beforeAll(async () => {
  world = await startExampleWorkers(800);
  const { db, workers, loaded } = world;
  test = await startTestApp({ cacheDir: workers.folder }, null, { db });
  const path = join(workers.folder, 'queries.fasta');
  await copyFile(join(examplesFolder, 'queries.fasta'), path);
  const { rows: known } = await sql<{ accession: string }>`
    select accession from protein p where exists
      (select from protein_go_annotation a where a.protein_id = p.id and a.evidence_code = 'IEA')
    order by accession limit ${knownProteins}`.execute(db);
  await workers.run('insert_proteins', { fasta_url: pathToFileURL(path).href });
  await workers.run('compute_embeddings', { embedding_config_id: loaded.embedding_config_id });
  const bare = [...(await readFile(path, 'utf8')).matchAll(/^>..\|(\w+)\|/gm)].map(([, name]) => name);
  const job = await workers.run('predict_go_terms', {
    method: 'combined',
    ...loaded,
    query_accessions: [...known.map(({ accession }) => accession), ...bare.slice(0, bareProteins)],
    limit_per_entry: 50,
  });
  set = job.result.prediction_set_id;
});
afterAll(async () => {
  await test?.close();
  await world?.close();
});

type Overview = z.infer<typeof overviewReply>;
type Answer = z.infer<typeof answerReply>;
type Evidence = z.infer<typeof termEvidenceReply>;

async function read<Reply>(path: string): Promise<Reply> {
  const { status, body } = await test.call({ url: `/v1/embeddings/prediction-sets/${set}/${path}` });
  expect(status, path).toBe(200);
  return body;
}

async function exported(): Promise<{ table: AnswerLine[]; lines: Answer[] }> {
  const tsv = Buffer.from(await read<string>('export?format=tsv&all=true&contradicted=true'));
  const table: AnswerLine[] = [];
  for await (const line of readAnnotations(Readable.from([tsv]))) table.push(line);
  const text = await read<string>('export?format=jsonl&all=true');
  const lines = text.trim().split('\n');
  return { table, lines: lines.map((line) => JSON.parse(line)) };
}

/**
 * Chooses terms of an answer, and adds terms of the rarer kinds: from distant proteins alone, or with a score
 * taken over from a term below.
 */
function chosenTerms({ terms }: Answer): Answer['terms'] {
  const sourced = terms
    .filter((term) => term.source_kind !== 'none')
    .toSorted((a, b) => Number(a.supporters) - Number(b.supporters));
  const scores = new Map<number, number>();
  for (const { score } of terms) scores.set(score, (scores.get(score) ?? 0) + 1);
  const tied = terms.filter(({ score }) => Number(scores.get(score)) > 1).slice(0, 4);
  const rare = [...sourced.slice(0, 2), ...sourced.slice(-2), ...tied];
  return [...new Set([...rare, ...terms.slice(0, termsOfProtein - 4)])];
}

const votesOf = ({ votes_by_alignment, votes_by_distance }: Evidence['sources'][number]) =>
  Number(votes_by_alignment) + Number(votes_by_distance);

/** The table has six significant digits. */
const written = (value: number | null) => (value === null ? null : Number(value.toPrecision(6)));

it('places each source where the alignment of its evidence is, with the signatures of the newest release', async () => {
  const { proteins } = await read<Overview>('overview');
  const { accession } =
    proteins.find(({ terms }) => terms.some(({ kind }) => kind === 'predicted')) ?? proteins[0];
  const { rows } = await sql<{ sequence_id: number; length: number }>`
    select q.sequence_id, s.length from prediction_set_protein q join sequence s on s.id = q.sequence_id
    where q.protein_accession = ${accession} limit 1`.execute(world.db);
  const [{ sequence_id, length }] = rows;
  const match = { sequence_id, source_db: 'Pfam', interpro_accession: 'IPR000001' };
  await world.db
    .insertInto('interpro_annotation')
    .values([
      {
        ...match,
        interpro_release: '99.0',
        signature_accession: 'PF00001',
        start_position: 1,
        end_position: 9,
      },
      {
        ...match,
        interpro_release: '108.0',
        signature_accession: 'PF00002',
        start_position: 3,
        end_position: 11,
      },
    ])
    .execute();
  const coverage = await read<z.infer<typeof coverageReply>>(`proteins/${accession}/coverage`);
  expect(coverage.length).toBe(length);
  expect(coverage.sources.length).toBeGreaterThan(0);
  const { terms } = await read<Answer>(`proteins/${accession}/answer?all=true`);
  for (const source of coverage.sources) {
    const term = terms.find((one) => one.source_id === source.accession);
    if (term === undefined) continue;
    const path = `proteins/${accession}/terms/${term.go_id}/evidence?alignment=${source.accession}`;
    const { alignment } = await read<Evidence>(path);
    expect(alignment).toMatchObject({ query_start: source.start, query_end: source.end });
    expect(alignment).toMatchObject({ source_start: source.source_start, source_end: source.source_end });
    if (term.identity !== null) expect(source.identity).toBeCloseTo(term.identity, 1);
    expect(source.end <= length && source.source_end <= source.source_length).toBe(true);
  }
  expect(
    coverage.sources.some(({ accession: one }) => terms.some(({ source_id }) => source_id === one)),
  ).toBe(true);
  expect(coverage.signatures).toEqual([
    {
      database: 'Pfam',
      signature: 'PF00002',
      interpro_entry: 'IPR000001',
      interpro_release: '108.0',
      start: 3,
      end: 11,
    },
  ]);
  const absent = await test.call({ url: `/v1/embeddings/prediction-sets/${set}/proteins/NOTHING/coverage` });
  expect(absent.status).toBe(404);
});

it('agree in every number', async () => {
  const { proteins } = await read<Overview>('overview');
  const { table, lines } = await exported();
  const compared = { terms: 0, distant: 0, through: 0, notVoting: 0 };
  for (const { accession, terms: ofRun } of proteins) {
    const answer = await read<Answer>(`proteins/${accession}/answer?all=true`);
    const line = lines.find((one) => one.accession === accession);
    for (const term of chosenTerms(answer)) {
      const { go_id, supporters, similar_proteins, score, source_id, identity } = term;
      const what = `${go_id} of ${accession}`;
      const evidence = await read<Evidence>(`proteins/${accession}/terms/${go_id}/evidence`);
      const { sources } = evidence;
      // The page of the protein, JSON Lines, the exported table and the table of the run have the numbers of
      // the evidence.
      expect(evidence, what).toMatchObject({ score, supporters, similar_proteins });
      expect(
        line?.terms.find((one) => one.go_id === go_id),
        what,
      ).toEqual(term);
      expect(
        table.find((one) => one.protein === accession && one.go_id === go_id && one.kind === 'predicted'),
        what,
      ).toMatchObject({
        score: written(score),
        supporters,
        similar_proteins,
        source_id,
        identity: written(identity),
      });
      const inRun = ofRun.find((one) => one.go_id === go_id && one.kind === 'predicted');
      if (inRun !== undefined) {
        expect(inRun, what).toMatchObject({ score, source_id });
        // The table of the run has whole percents.
        expect(inRun.identity, what).toBeCloseTo(Number(identity), 2);
      }
      // The list holds the proteins that the row counts, and the source of the row.
      expect(sources.filter((one) => one.is_similar).length, what).toBe(supporters);
      if (term.source_kind === 'protein') {
        const source = sources.find((one) => one.accession === source_id);
        expect(source, what).toBeDefined();
        if (identity !== null) expect(source?.identity, what).toBeCloseTo(identity, 6);
        if (supporters === 0) expect(supportText(term), what).toBe('only distant');
        else expect(source?.is_similar, what).toBe(true);
      }
      const nearest = Math.min(...sources.map((one) => one.distance ?? Number.POSITIVE_INFINITY));
      expect(nearest, what).toBeCloseTo(term.distance ?? Number.POSITIVE_INFINITY, 6);
      expect(
        sources.reduce((sum, one) => sum + votesOf(one), 0),
        what,
      ).toBeCloseTo(Number(evidence.votes?.sources), 9);
      // The command line prints the sentence that the page shows above the list, and every source.
      const text = evidenceText(evidence);
      expect(text, what).toContain(`support: ${supportSentence(evidence, sources)}\n`);
      for (const source of sources) expect(text, what).toContain(`\n${source.accession}\t`);
      compared.terms++;
      compared.distant += Number(supporters === 0 && term.source_kind === 'protein');
      compared.through += Number(evidence.through !== go_id);
      compared.notVoting += Number(sources.some((one) => votesOf(one) === 0));
    }
  }
  // The compared terms include each kind that once disagreed.
  expect(compared.terms).toBeGreaterThan(25);
  expect(compared.distant).toBeGreaterThan(2);
  expect(compared.through).toBeGreaterThan(2);
  expect(compared.notVoting).toBeGreaterThan(2);
});

async function termsOfAll(proteins: readonly string[]): Promise<[accession: string, goId: string][]> {
  const found: [string, string][] = [];
  for (const accession of proteins) {
    const { terms } = await read<Answer>(`proteins/${accession}/answer?all=true`);
    for (const { go_id, supporters } of terms) if (Number(supporters) > 0) found.push([accession, go_id]);
  }
  return found;
}

describe('a protein that the reference knows', () => {
  let accession: string;
  const known = async () => (await read<Answer>(`proteins/${accession}/answer?all=true`)).known?.terms ?? [];

  beforeAll(async () => {
    const { proteins } = await read<Overview>('overview');
    accession = String(proteins.find((one) => one.known_by !== null)?.accession);
  });

  it('has evidence for what it is known to have by experiment, which is not predicted, with the papers', async () => {
    const { rows } = await sql<{ accession: string }>`
      select distinct p.accession from prediction_set_protein q join protein p on p.accession = q.known_accession
      join protein_go_annotation a on a.protein_id = p.id and a.evidence_code = 'IDA'
      where q.prediction_set_number = (select number from prediction_set where id = ${set})`.execute(
      world.db,
    );
    accession = rows[0].accession;
    const term = (await known()).find((one) => one.basis === 'experiment' && !one.is_negated);
    const evidence = await read<Evidence>(`proteins/${accession}/terms/${term?.go_id}/evidence`);
    expect(evidence).toMatchObject({ score: null, sources: [] });
    expect(evidence.own_evidence).toContain('experimental');
    expect(evidence.own_annotations.map((row) => row.db_reference)).toEqual(
      expect.arrayContaining([term?.annotations[0].db_reference]),
    );
    expect(evidenceText(evidence)).toContain(`\n${accession}\t`);
    const { status } = await test.call({
      url: `/v1/embeddings/prediction-sets/${set}/proteins/${accession}/terms/GO:9999999/evidence`,
    });
    expect(status).toBe(404);
  });

  it('is not confirmed by annotations that were copied from it', async () => {
    const { proteins } = await read<Overview>('overview');
    const known = proteins.filter((one) => one.known_by !== null).map((one) => one.accession);
    for (const [query, go_id] of await termsOfAll(known)) {
      const path = `proteins/${query}/terms/${go_id}/evidence`;
      const before = await read<Evidence>(path);
      const copying = before.sources.find(
        ({ annotations }) =>
          annotations.length > 0 && annotations.every(({ evidence_code }) => evidence_code === 'IEA'),
      );
      if (copying === undefined) continue;
      expect(before.sources.some((one) => one.is_copied)).toBe(false);
      await sql`
        update protein_go_annotation set with_from = ${`PANTHER:PTN000000001|UniProtKB:${query}-2`}
        where protein_id = (select id from protein where accession = ${copying.accession})`.execute(world.db);
      const after = await read<Evidence>(path);
      expect(after.score).toBe(before.score);
      expect(after.sources.filter((one) => one.is_copied).map((one) => one.accession)).toEqual([
        copying.accession,
      ]);
      expect(supportSentence(after, after.sources)).toContain('; 1 has it from this very protein');
      return;
    }
    throw new Error('no source has an annotation that could be copied');
  });

  it('has evidence for what curators denied to it, for the term and for those below', async () => {
    const { proteins } = await read<Overview>('overview');
    const found = proteins.filter((one) => one.known_by !== null);
    for (const one of found) {
      accession = one.accession;
      const term = (await known()).find(({ basis, is_negated }) => basis === 'experiment' && !is_negated);
      if (term === undefined) continue;
      const path = `proteins/${accession}/terms/${term.go_id}/evidence`;
      expect((await read<Evidence>(path)).denials).toEqual([]);
      await sql`
        update protein_go_annotation a set qualifier = 'NOT|' || coalesce(qualifier, 'enables') from go_term t, protein p
        where t.id = a.go_term_id and t.go_id = ${term.go_id} and p.id = a.protein_id and p.accession = ${accession}`.execute(
        world.db,
      );
      expect((await known()).find(({ go_id }) => go_id === term.go_id)?.is_negated).toBe(true);
      const evidence = await read<Evidence>(path);
      expect(evidence.denials.map((row) => [row.go_id, row.db_reference])).toContainEqual([
        term.go_id,
        term.annotations[0].db_reference,
      ]);
      expect(evidenceText(evidence)).toMatch(new RegExp(`^${accession}\\tNOT\\t${term.go_id}\\t`, 'm'));
      const { rows } = await sql<{ go_id: string }>`
        select c.go_id from go_term_relationship r join go_term c on c.id = r.child_go_term_id
        join go_term t on t.id = r.parent_go_term_id and t.aspect = c.aspect
        where t.go_id = ${term.go_id} and r.relation_type = 'is_a' and not c.is_obsolete limit 1`.execute(
        world.db,
      );
      if (rows.length === 0) continue;
      const below = await read<Evidence>(`proteins/${accession}/terms/${rows[0].go_id}/evidence`);
      expect(below.denials.map((row) => row.go_id)).toContain(term.go_id);
      return;
    }
    throw new Error('no known protein has a term with terms below it');
  });
});
