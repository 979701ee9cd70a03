import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { relativeLogEValue } from '@kindred/kernels/query-check';
import { repositoryRoot } from '@kindred/testkit';
import { Memory } from '../../ground/memory.js';
import { createComputePool } from '../../ground/pool/thread-pool.js';
import { encodeSources } from '../../store/predictions/stored-sources.js';
import { explainTerm } from '../../predict/explanations/term-evidence.js';
import { findPredictionSet } from '../../store/predictions/prediction-sets.repository.js';
import type { Database } from '../../store/postgres/db.js';
import { examplesFolder } from '../../testing/loading-context.js';
import { type ExampleWorkers, startExampleWorkers } from '../../testing/worker/example-workers.js';
import type { EndedJob } from '../../testing/worker/harness.js';
import type { WorkerProcesses } from '../../testing/worker/worker-processes.js';

/** A worker process of the product answers queries of every kind from human proteins. */
let world: ExampleWorkers;
let db: Database;
let workers: WorkerProcesses;
let payload: Record<string, unknown>;
let job: EndedJob;
let rows: Row[];

interface Row {
  protein_accession: string;
  go_id: string;
  go_term_id: number;
  score: number;
  probability: number | null;
  probability_low: number | null;
  probability_high: number | null;
  calibrated_on: string | null;
  term_rank: number;
  answer_rank: number | null;
  distance: number | null;
  source_kind: string;
  source_id: string | null;
  contradiction: string | null;
  source_identity: number | null;
  similar_proteins: number;
  supporters: number;
}
async function rowsOf(set: string): Promise<Row[]> {
  const { rows: found } = await sql<Row>`
    select g.*, t.go_id from go_prediction g join go_term t on t.id = g.go_term_id
    where g.prediction_set_number = (select number from prediction_set where id = ${set})
    order by g.protein_accession, g.term_rank`.execute(db);
  return found;
}
const ofProtein = (accession: string, from = rows) =>
  from.filter((row) => row.protein_accession === accession);

const casesFolder = join(repositoryRoot(), 'packages/kernels/src/formats/golden/cases');
const sequenceOf = (fasta: string) => fasta.split('\n').slice(1).join('');
const nonsense = {
  TOOSHORT: 'MKTAYIAKQR',
  ONLYX: 'X'.repeat(120),
  ONEKIND: 'A'.repeat(150),
  LIKEDNA: 'ATGGCATTACGTACCGATTGACCATTGGCA'.repeat(4),
  UNLIKE: 'WHMCYWPNFHWCMYIWPHNCFWYMHDWCPNIYHWMFCQPWHYNMCIWFHPDYWCNMHQWF',
};

/** Some residues of a protein amid others that are like nothing: the more there are, the smaller is the E-value. */
const fragmentLengths = [11, 12, 13, 14, 15, 16];
const fragmentName = (length: number) => `FRAGMENTOF${length}`;

beforeAll(async () => {
  world = await startExampleWorkers(800, { SVC_COMPUTE_THREADS: '2' });
  ({ db, workers } = world);
  const reference = gunzipSync(await readFile(join(examplesFolder, 'reference.fasta.gz'))).toString();
  const known = reference.slice(1).split('\n>', 1)[0];
  const accession = known.split(' ', 1)[0];
  const extra = {
    COPY: sequenceOf(known),
    FRAGMENT: sequenceOf(known).slice(0, -30),
    LACI: sequenceOf(await readFile(join(casesFolder, '145-name-of-a-human-kinase.fasta'), 'utf8')).trim(),
    ...nonsense,
    ...Object.fromEntries(
      fragmentLengths.map((length) => [
        fragmentName(length),
        nonsense.UNLIKE + sequenceOf(known).slice(60, 60 + length) + nonsense.UNLIKE,
      ]),
    ),
  };
  const path = join(workers.folder, 'queries.fasta');
  const queries = await readFile(join(examplesFolder, 'queries.fasta'), 'utf8');
  await writeFile(
    path,
    queries +
      Object.entries(extra)
        .map(([name, residues]) => `>${name}\n${residues}\n`)
        .join(''),
  );
  await workers.run('insert_proteins', { fasta_url: pathToFileURL(path).href });
  await workers.run('compute_embeddings', { embedding_config_id: world.loaded.embedding_config_id });
  const bare = [...queries.matchAll(/^>..\|(\w+)\|/gm)].map(([, name]) => name);
  payload = {
    method: 'combined',
    ...world.loaded,
    query_accessions: [accession, ...Object.keys(extra), ...bare],
    limit_per_entry: 50,
    batch_size: 8,
  };
  job = await workers.run('predict_go_terms', payload);
  rows = await rowsOf(job.result.prediction_set_id);
  knownAccession = accession;
  bareAccessions = bare;
});
afterAll(() => world.close());
let knownAccession: string;
let bareAccessions: string[];

async function queryRow(accession: string) {
  const { rows: found } = await sql<{
    no_answer: string | null;
    known_accession: string | null;
    known_by: string | null;
  }>`select no_answer, known_accession, known_by from prediction_set_protein q
     where q.protein_accession = ${accession}
       and q.prediction_set_number = (select number from prediction_set where id = ${job.result.prediction_set_id})`.execute(
    db,
  );
  return found[0];
}

/** Replaces the stored sources of a query, and returns the former ones. */
async function swapSources(accession: string, sources: Uint8Array | null): Promise<Uint8Array | null> {
  const row = sql`prediction_set_protein where protein_accession = ${accession}
    and prediction_set_number = (select number from prediction_set where id = ${job.result.prediction_set_id})`;
  const { rows: before } = await sql<{ donors: Uint8Array | null }>`select donors from ${row}`.execute(db);
  await sql`update prediction_set_protein set donors = ${sources} where protein_accession = ${accession}
    and prediction_set_number = (select number from prediction_set where id = ${job.result.prediction_set_id})`.execute(
    db,
  );
  return before[0].donors;
}

it('says of every row how many of the similar proteins have the term', () => {
  for (const row of rows) {
    expect(row.supporters).toBeLessThanOrEqual(row.similar_proteins);
    expect(row.source_identity === null || row.source_kind === 'protein').toBe(true);
  }
  expect(rows.some((row) => row.supporters > 0 && row.supporters < row.similar_proteins)).toBe(true);
});

describe('what a score rests on', () => {
  const compute = createComputePool({ size: 1 });
  afterAll(() => compute.close());

  it('adds up to the stored score, for bare and for known proteins, and is refused after a change', async () => {
    const set = (await findPredictionSet(db, job.result.prediction_set_id)) as NonNullable<
      Awaited<ReturnType<typeof findPredictionSet>>
    >;
    const { signal } = new AbortController();
    const context = { db, compute, memory: new Memory(), signal, cacheDir: workers.folder };
    const answered = [knownAccession, ...bareAccessions.slice(0, 2)];
    let modelled = 0;
    for (const accession of answered) {
      const [row] = ofProtein(accession).filter(({ source_kind }) => source_kind !== 'none');
      if (row === undefined) continue;
      const asked = { accession, goId: row.go_id, score: row.score, alignWith: null };
      const { bank, explanation, sources, scoresWithout } = await explainTerm(set, asked, context);
      const { votes, votesShare, votesCount, model, method, score } = explanation as NonNullable<
        typeof explanation
      >;
      expect(score).toBeCloseTo(row.score, 6);
      const voted = votes.sources.reduce((sum, { added }) => sum + added, votes.prior + votes.own);
      // For a bare sequence, the listed sources have the term itself.
      if (accession !== knownAccession) {
        const similar = sources.filter(
          ({ logEValue }) => logEValue !== null && logEValue <= relativeLogEValue,
        );
        expect(row.supporters).toBe(similar.length);
        const source = sources.find(({ reference }) => bank.texts.accessions[reference] === row.source_id);
        expect(row.source_identity).toBeCloseTo(source?.identity as number, 6);
      }
      const learnt = (1 - votesShare) * (model?.score ?? 0);
      expect((votesCount ? votesShare * voted : 0) + learnt).toBeCloseTo(score, 9);
      if (accession === knownAccession) expect(method).toBe('known');
      if (model !== null) {
        modelled++;
        const raw = model.features.reduce((sum, { added }) => sum + added, model.expected);
        expect(1 / (1 + Math.exp(-raw))).toBeCloseTo(model.score, 9);
      }
      // The stored sources give the same result as a search. The test searches once, because the search costs
      // the most here.
      if (accession === knownAccession) {
        const stored = await swapSources(accession, null);
        expect(stored).not.toBeNull();
        expect(await explainTerm(set, asked, context)).toMatchObject({
          explanation,
          sources,
          scoresWithout,
        });
        const gone = { aligned: [], near: [{ accession: 'NOSUCHPROTEIN', distance: 0.5 }] };
        await swapSources(accession, encodeSources(gone));
        await expect(explainTerm(set, asked, context)).rejects.toThrow('has changed since');
        await swapSources(accession, stored);
      }
      // Each source that is listed first is left out once; the score changes with at least one of them.
      expect(scoresWithout).toHaveLength(Math.min(20, sources.length));
      for (const one of scoresWithout) expect(one >= 0 && one <= 1).toBe(true);
      if (sources.length > 0) expect(scoresWithout.some((one) => one !== score)).toBe(true);
      await expect(explainTerm(set, { ...asked, score: row.score + 0.01 }, context)).rejects.toThrow(
        'has changed since',
      );
    }
    expect(modelled).toBeGreaterThan(0);
  });
});

describe('queries without meaning', () => {
  it.each([
    ['TOOSHORT', 'too_short'],
    ['ONLYX', 'unknown_residues'],
    ['ONEKIND', 'low_complexity'],
    ['LIKEDNA', 'looks_like_dna'],
    ['UNLIKE', 'no_similar_protein'],
  ])('%s is kept, flagged %s, and has no prediction', async (accession, reason) => {
    expect(await queryRow(accession)).toEqual({ no_answer: reason, known_accession: null, known_by: null });
    expect(ofProtein(accession)).toEqual([]);
  });

  it('say which protein is nearest where it is distant', async () => {
    const { rows: found } = await sql<{
      no_answer: string | null;
      distant_accession: string | null;
      distant_e_value: number | null;
    }>`
      select no_answer, distant_accession, distant_e_value from prediction_set_protein
      where prediction_set_number = (select number from prediction_set where id = ${job.result.prediction_set_id})
        and (distant_accession is not null or protein_accession = any (${fragmentLengths.map(fragmentName)}::text[]))`.execute(
      db,
    );
    const distant = found.filter((row) => row.distant_accession === knownAccession);
    expect(distant).not.toEqual([]);
    for (const { no_answer, distant_e_value } of distant) {
      expect(no_answer).toBe('no_similar_protein');
      expect(distant_e_value).toBeGreaterThan(0.001);
      expect(distant_e_value).toBeLessThanOrEqual(0.1);
    }
    for (const row of found) expect(row.distant_e_value === null).toBe(row.distant_accession === null);
  });

  it('have no prediction by any other method either, and the same reason', async () => {
    const { method: _method, limit_per_entry: _k, ...base } = payload as Record<string, unknown>;
    const { batch_size: _size, embedding_config_id: _config, ...of } = base;
    const { UNLIKE: _unlike, ...meaningless } = nonsense;
    // Proteins without an answer are predicted in one batch with a protein that has predictions, and alone.
    const mixed = { query_accessions: [...Object.keys(meaningless), bareAccessions[0]] };
    const neighbours = await workers.run('predict_go_terms', { ...base, ...mixed });
    const alone = await workers.run('predict_go_terms', { ...base, query_accessions: ['ONLYX'] });
    const voted = await workers.run('rescore_by_votes', {
      prediction_set_id: neighbours.result.prediction_set_id,
    });
    const baseline = (method: string) => workers.run('predict_baseline', { ...of, ...mixed, method });
    const [naive, similar] = [await baseline('naive'), await baseline('sequence_similarity')];
    const reasons = { too_short: 1, unknown_residues: 1, low_complexity: 1, looks_like_dna: 1 };
    for (const { operation, result } of [neighbours, voted, naive, similar]) {
      expect(result.no_answer, operation).toEqual(reasons);
      const found = await rowsOf(result.prediction_set_id);
      expect(new Set(found.map((row) => row.protein_accession)), operation).toEqual(
        new Set([bareAccessions[0]]),
      );
    }
    expect(alone.result).toMatchObject({ predictions: 0, proteins: 1, no_answer: { unknown_residues: 1 } });
  });

  it('are counted by reason in the result of the job', async () => {
    const { rows: counts } = await sql<{ no_answer: string; queries: number }>`
      select no_answer, count(*)::int as queries from prediction_set_protein
      where no_answer is not null and prediction_set_number
        = (select number from prediction_set where id = ${job.result.prediction_set_id}) group by no_answer`.execute(
      db,
    );
    expect(job.result.no_answer).toEqual(
      Object.fromEntries(counts.map(({ no_answer, queries }) => [no_answer, queries])),
    );
    expect(Object.keys(job.result.no_answer).sort()).toEqual(
      ['looks_like_dna', 'low_complexity', 'no_similar_protein', 'too_short', 'unknown_residues'].sort(),
    );
  });
});

describe('scores', () => {
  it('rank terms from 0.01 to 1, no term below one that implies it', async () => {
    const { rows: edges } = await sql<{ child: number; parent: number }>`
      select child_go_term_id as child, parent_go_term_id as parent from go_term_relationship
      where relation_type = 'is_a'`.execute(db);
    const parents = new Map<number, number[]>();
    for (const { child, parent } of edges) parents.set(child, [...(parents.get(child) ?? []), parent]);
    const answered = new Set(rows.map((row) => row.protein_accession));
    expect(answered.size).toBeGreaterThan(10);
    for (const accession of answered) {
      const own = ofProtein(accession);
      expect(own.map((row) => row.term_rank)).toEqual(own.map((_, i) => i + 1));
      const scoreOf = new Map(own.map((row) => [row.go_term_id, row.score]));
      own.forEach((row, i) => {
        expect(row.score).toBeGreaterThanOrEqual(0.01);
        expect(row.score).toBeLessThanOrEqual(i === 0 ? 1 : own[i - 1].score);
        for (const parent of parents.get(row.go_term_id) ?? [])
          if (scoreOf.has(parent)) expect(scoreOf.get(parent)).toBeGreaterThanOrEqual(row.score - 1e-6);
      });
      const places = own.map((row) => row.answer_rank).filter((place) => place !== null);
      expect(places.toSorted((a, b) => a - b)).toEqual(places.map((_, i) => i + 1));
    }
  });

  it('of a bare sequence are in the answer where a source has the term, not where it is only frequent', () => {
    const bare = rows.filter((row) => bareAccessions.includes(row.protein_accession));
    expect(bare.length).toBeGreaterThan(100);
    for (const row of bare) expect(row.answer_rank === null).toBe(row.source_kind === 'none');
  });
});

describe('a protein of the reference set', () => {
  it('is known by its accession or its exact sequence, and its own annotations vote', async () => {
    expect(await queryRow(knownAccession)).toEqual({
      no_answer: null,
      known_accession: knownAccession,
      known_by: 'accession',
    });
    expect(await queryRow('COPY')).toEqual({
      no_answer: null,
      known_accession: knownAccession,
      known_by: 'sequence',
    });
    const scores = (accession: string) => ofProtein(accession).map((row) => [row.go_id, row.score]);
    expect(scores(knownAccession).length).toBeGreaterThan(20);
    expect(scores('COPY')).toEqual(scores(knownAccession));
    const own = ofProtein(knownAccession).filter((row) => row.source_kind === 'own_annotation');
    expect(own.length).toBeGreaterThan(0);
    expect(own.every((row) => row.answer_rank !== null)).toBe(true);
    expect(new Set(own.map((row) => row.source_id))).toEqual(new Set([knownAccession]));
  });

  it('is not what a query is that only has its name', async () => {
    const [stranger, other] = bareAccessions;
    const { rows: made } = await sql<{ id: string }>`
      with s as (insert into query_set (name, entry_count) values ('names', 4) returning id),
      e as (insert into query_set_entry (query_set_id, position, header, accession, taxonomy_id, sequence_id)
        select s.id, n.place, n.name, n.name, p.taxonomy_id, p.sequence_id
        from s, unnest(array[0, 1, 2, 3], array[${knownAccession}, 'COPY', ${other}, 'O00311'], array[${stranger}, 'FRAGMENT', ${other}, 'LACI'])
          as n (place, name, residues_of) join protein p on p.accession = n.residues_of)
      select id from s`.execute(db);
    const { query_accessions, ...rest } = payload;
    const named = await workers.run('predict_go_terms', { ...rest, query_set_id: made[0].id });
    expect(named.result).toMatchObject({ namesakes: 2 });
    const { rows: queries } = await sql<Record<string, unknown>>`
      select protein_accession, known_accession, known_by, is_namesake from prediction_set_protein
      where prediction_set_number = (select number from prediction_set where id = ${named.result.prediction_set_id})
      order by protein_accession = 'O00311', protein_accession = ${other}, protein_accession = 'COPY'`.execute(
      db,
    );
    expect(queries[0]).toEqual({
      protein_accession: knownAccession,
      known_accession: null,
      known_by: null,
      is_namesake: true,
    });
    expect(queries.map((row) => row.is_namesake)).toEqual([true, false, false, true]);
    const terms = (accession: string, from: Row[]) =>
      ofProtein(accession, from).map(({ go_id, score, source_kind }) => [go_id, score, source_kind]);
    const found = await rowsOf(named.result.prediction_set_id);
    expect(terms(knownAccession, found).length).toBeGreaterThan(10);
    expect(terms(knownAccession, found)).toEqual(terms(stranger, rows));
    // The lac repressor under the name of a human kinase has the same terms as under another name.
    expect(terms('O00311', found)).toEqual(terms('LACI', rows));
    expect(query_accessions).toContain(stranger);
  });

  it('has probabilities with intervals that name their data, and so has a bare sequence', () => {
    const bare = rows.filter((row) => bareAccessions.includes(row.protein_accession));
    for (const some of [ofProtein(knownAccession), bare]) {
      const calibrated = some.filter((row) => row.probability !== null);
      expect(calibrated.length).toBeGreaterThan(20);
      for (const row of calibrated) {
        expect(row.calibrated_on).toContain('yeast-2018');
        expect(row.probability_low).toBeLessThanOrEqual(row.probability as number);
        expect(row.probability_high).toBeGreaterThanOrEqual(row.probability as number);
      }
    }
  });

  it('is not calibrated where the curves did not hold in their test', async () => {
    const { rows: components } = await sql<{ go_id: string }>`
      select go_id from go_term where aspect = 'C' and go_id = any(${rows.map((row) => row.go_id)}::text[])`.execute(
      db,
    );
    const ids = new Set(components.map((row) => row.go_id));
    const ofComponents = rows.filter((row) => ids.has(row.go_id));
    expect(ofComponents.length).toBeGreaterThan(20);
    expect(new Set(ofComponents.map((row) => row.probability))).toEqual(new Set([null]));
    expect(new Set(ofComponents.map((row) => row.calibrated_on))).toEqual(new Set([null]));
  });
});

it('answers from the chosen evidence and aspect alone, with the probabilities of its own calibration', async () => {
  // The shipped curves cover every group of evidence; this reference was calibrated for proteins that it
  // knows.
  const bins = Array.from({ length: 50 }, (_, i) => ({
    ...{ score_from: i / 50, score_to: (i + 1) / 50, proteins: 120 },
    ...{ probability: 0.4 + i / 1000, low: 0.3, high: 0.5 },
  }));
  await sql`
    insert into calibration_curve (annotation_set_id, embedding_config_id, donors, evidence, method, aspect, known, bins, kingdoms,
      calibration_window, prediction_count, protein_count, evaluation_set_id, prediction_set_id)
    select ${payload.annotation_set_id as string}, ${payload.embedding_config_id as string}, 50, '{experimental}', 'combined', 'F', known,
      ${JSON.stringify(bins)}::jsonb, '{Eukaryota}', 'goa 1 to goa 2', 1, 120, gen_random_uuid(), gen_random_uuid()
    from unnest('{nothing,other aspects,same aspect}'::text[]) known`.execute(db);
  const chosen = await workers.run('predict_go_terms', {
    ...payload,
    evidence: ['experimental'],
    aspect: 'F',
  });
  const found = await rowsOf(chosen.result.prediction_set_id);
  expect(found.length).toBeGreaterThan(0);
  const { rows: aspects } = await sql<{ aspect: string }>`
    select distinct aspect from go_term where id = any(${found.map((row) => row.go_term_id)}::int[])`.execute(
    db,
  );
  expect(aspects).toEqual([{ aspect: 'F' }]);
  expect(new Set(found.map((row) => row.source_kind))).not.toContain('own_annotation');
  const known = ofProtein(knownAccession, found);
  expect(known).not.toEqual([]);
  for (const row of known) {
    // The curve is read at the stored score, on which such curves are fitted; a score at the edge of a bin may be in the next one.
    const probability = 0.4 + Math.floor(row.score * 50) / 1000;
    expect(Math.abs((row.probability as number) - probability)).toBeLessThan(0.0015);
    expect(row.calibrated_on).toBe('goa 1 to goa 2');
  }
  const bare = found.filter((row) => bareAccessions.includes(row.protein_accession));
  expect(new Set(bare.map((row) => row.probability))).toEqual(new Set([null]));
});

it('flags terms that a taxon constraint or a NOT speaks against, with all below them', async () => {
  // So far, only the table that comes with the example set may contradict terms.
  for (const { contradiction } of rows)
    expect(contradiction ?? 'GO:1 only_in NCBITaxon:1').toMatch(/^GO:\d+ (only|never)_in NCBITaxon:\d+$/);
  const own = ofProtein(knownAccession);
  const [banned] = own.filter((row) => row.source_kind === 'own_annotation');
  const given = rows.find(
    (row) => bareAccessions.includes(row.protein_accession) && row.source_kind === 'protein',
  ) as Row;
  const path = join(workers.folder, 'never_in.tsv');
  await writeFile(
    path,
    `term\tlabel\ttaxon\n${banned.go_id}\tbanned\tNCBITaxon:40674\nGO:1\tbad\tNCBITaxon:1\n`,
  );
  const loaded = await workers.run('load_taxon_constraints', {
    source_version: 'test',
    never_in_url: pathToFileURL(path).href,
  });
  expect(loaded.result).toMatchObject({ never_in: 1, only_in: 0, rejected_lines: 1, skipped: false });
  await sql`
    insert into protein_go_annotation (annotation_set_number, protein_id, go_term_id, evidence_code, qualifier)
    select (select number from annotation_set), id, ${given.go_term_id}::int, 'IDA', 'NOT|enables' from protein
    where accession = ${given.source_id}`.execute(db);
  const again = await workers.run('predict_go_terms', payload);
  const flagged = await rowsOf(again.result.prediction_set_id);
  const { rows: below } = await sql<{ id: number }>`
    with recursive below (id) as (
      select ${banned.go_term_id}::int union
      select r.child_go_term_id from below join go_term_relationship r on r.parent_go_term_id = below.id
      where r.relation_type in ('is_a', 'part_of'))
    select id from below`.execute(db);
  const isBelow = new Set(below.map((row) => row.id));
  const ofKnown = ofProtein(knownAccession, flagged);
  expect(ofKnown.filter((row) => row.contradiction !== null).length).toBeGreaterThan(0);
  for (const row of ofKnown)
    if (isBelow.has(row.go_term_id))
      expect(row.contradiction).toBe(`${banned.go_id} never_in NCBITaxon:40674`);
    else expect(row.contradiction ?? 'NOT').toContain('NOT');
  const denied = ofProtein(given.protein_accession, flagged).find(
    (row) => row.go_term_id === given.go_term_id,
  );
  expect(denied?.contradiction).toBe(`${given.source_id} NOT ${given.go_id}`);
  expect(denied?.score).toBe(given.score);
});
