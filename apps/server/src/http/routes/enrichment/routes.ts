import {
  enrichedTermOf,
  type enrichmentBody,
  type enrichmentReply,
  enrichmentRoutes,
  type predictedEnrichmentReply,
} from '@kindred/contracts/resources/enrichment';
import { maxOverviewProteins } from '@kindred/contracts/resources/answers';
import { groupedBy } from '@kindred/kernels/arrays';
import { answerEnd } from '@kindred/kernels/combined';
import {
  AnnotatedProteinList,
  type AnnotatedProteins,
  type ListAnswer,
  type TermCounts,
} from '@kindred/kernels/enrichment';
import type { z } from 'zod';
import { enrichmentTask } from '../../../predict/compute/tasks/enrichment.js';
import { annotatedAmong } from '../../../store/annotations/annotated-terms.repository.js';
import {
  type AnnotationSetRow,
  findAnnotationSet,
} from '../../../store/annotations/annotations.repository.js';
import { ontologyColumns, type StoredOntology } from '../../../store/ontology/ontology-columns.repository.js';
import { termNames } from '../../../store/ontology/slims.repository.js';
import { overviewOf } from '../../../store/predictions/answers.repository.js';
import {
  answeredByReference,
  answeringSets,
  findPredictionSet,
  type NamedPredictionSetRow,
} from '../../../store/predictions/prediction-sets.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent, fieldProblem } from '../../problems.js';
import { requireFilled } from '../../references.js';
import { serve } from '../../serve.js';
import { countsInTime } from '../../term-counts.js';

type Question = z.infer<typeof enrichmentBody>;
type Reply = z.infer<typeof enrichmentReply>;
type PredictedReply = z.infer<typeof predictedEnrichmentReply>;

interface Annotated {
  accession: string;
  go_ids: readonly string[];
}

const mostMs = 120_000;
const shownAbsent = 100;

export function serveEnrichment(api: Api, deps: RouteDeps): void {
  const { db } = deps;
  serve(api, enrichmentRoutes.ofPredictions, async (request) => {
    const set = await findPredictionSet(db, request.params.id);
    if (set === undefined) throw absent('prediction set', request.params.id);
    requireFilled(set);
    const { min_probability, compare_with, accessions, ...question } = request.body;
    if (compare_with === 'reference') {
      const listed = { ...question, accessions: accessions ?? [], min_probability };
      const reply = await againstReference(deps, set, { ...listed, isWhole: accessions === null });
      return accessions === null ? reply : found(reply);
    }
    if (accessions === null)
      throw fieldProblem('/accessions', 'name the proteins of the list, or set compare_with to "reference"');
    const work = await workFor(deps, set.ontology_snapshot_id, question);
    const answers = untilAborted(answeredTerms(db, set, min_probability ?? 0), work.signal);
    const reply = await enrichmentIn(work, { proteins: withTerms(answers) }, { ...question, accessions });
    return { ...found(reply), reference: null, of_other_references: [] };
  });
  serve(api, enrichmentRoutes.ofAnnotations, async (request) => {
    const set = await findAnnotationSet(db, request.params.id);
    if (set === undefined) throw absent('annotation set', request.params.id);
    const work = await workFor(deps, set.ontology_snapshot_id, request.body);
    const counts = await countsFor(work, set, request.body);
    return found(await againstSet(work, { set, counts }, request.body));
  });
}

/**
 * A list is compared with this annotation set. It has no counts if the question names a population, which takes its place.
 */
interface CountedReference {
  set: AnnotationSetRow;
  counts: TermCounts | null;
}

interface AgainstReference extends Question {
  /** Whether all queries are the list. */
  isWhole: boolean;
  min_probability: number | null;
}

/** Compares queries with the reference that answered them: of several, the one that answered most of the list. */
async function againstReference(
  deps: RouteDeps,
  set: NamedPredictionSetRow,
  { isWhole, min_probability, ...question }: AgainstReference,
): Promise<PredictedReply> {
  const { db } = deps;
  const list = isWhole ? null : question.accessions;
  const { set: reference, name, others } = await backgroundOf(db, set, list);
  const work = await workFor(deps, reference.ontology_snapshot_id, question);
  const counts = await countsFor(work, reference, question);
  const answers = untilAborted(answeredTerms(db, set, min_probability ?? 0), work.signal);
  const queries = await queriesIn(answers, reference.number);
  const listed = isWhole
    ? [...queries.termsOf.keys()]
    : question.accessions.filter((accession) => !queries.elsewhere.has(accession));
  const reply = await againstSet(
    work,
    { set: reference, counts },
    { ...question, accessions: listed },
    queries,
  );
  return { ...reply, reference: name, of_other_references: others };
}

/** Compares a list, which may contain queries, with the proteins of an annotation set. */
async function againstSet(
  work: Work,
  { set, counts }: CountedReference,
  question: Question,
  queries?: Queries,
): Promise<Reply> {
  const { compared, counted } = await ofReference(work, set.number, question, queries);
  const of = counts === null ? undefined : { counts, without: counted };
  return enrichmentIn(work, { proteins: [compared], of }, question);
}

/** @throws ProblemError validation_failed if the population has no protein of the list */
function found<R extends Reply>(reply: R): R {
  if (reply.list > 0) return reply;
  throw fieldProblem(
    '/accessions',
    'none of them is in the population, or has a term there; are the accessions of the same kind?',
  );
}

/** An answered query has the terms of its answer, and may equal a protein of the reference. */
interface Answered extends Annotated {
  known: string | null;
  /** The annotation set of this number answers it. */
  answeredBy: number | null;
}

/** Reads the answered terms of all queries; terms without a probability only if none is required. */
async function* answeredTerms(
  db: RouteDeps['db'],
  set: NamedPredictionSetRow,
  minProbability: number,
): AsyncGenerator<Answered[]> {
  for (let after: string | null = null; ; ) {
    const page = await overviewOf(db, set, { after, limit: maxOverviewProteins }, answerEnd);
    const kept = page.terms.filter(
      ({ probability }) => minProbability === 0 || (probability ?? 0) >= minProbability,
    );
    const terms = groupedBy(kept, (row) => row.protein_accession);
    yield page.queries.map((query) => ({
      accession: query.protein_accession,
      known: query.known_accession,
      answeredBy: query.annotation_set_number,
      go_ids: (terms.get(query.protein_accession) ?? []).map((row) => row.go_id),
    }));
    if (page.queries.length < maxOverviewProteins) return;
    after = page.queries[page.queries.length - 1].protein_accession;
  }
}

async function* withTerms(pages: AsyncIterable<readonly Annotated[]>): AsyncGenerator<Annotated[]> {
  for await (const page of pages) yield page.filter(({ go_ids }) => go_ids.length > 0);
}

interface Background {
  set: AnnotationSetRow;
  /** Its reference has this name and version; null if it has none. */
  name: string | null;
  /** Other references answer this number of proteins of the list. */
  others: PredictedReply['of_other_references'];
}

/**
 * Chooses the reference that answers most proteins of the list, of equal ones the first.
 * @throws ProblemError validation_failed if the set was predicted without annotations
 */
async function backgroundOf(
  db: RouteDeps['db'],
  set: NamedPredictionSetRow,
  list: readonly string[] | null,
): Promise<Background> {
  const sets = await answeringSets(db, set);
  const first = [...sets.values()].find(({ id }) => id === set.annotation_set_id);
  const counts = sets.size < 2 ? [] : await answeredByReference(db, set.number, list);
  const most = counts.toSorted((a, b) => b.proteins - a.proteins)[0]?.annotation_set_number;
  const chosen = sets.get(most ?? first?.number ?? -1) ?? first;
  const found = chosen === undefined ? undefined : await findAnnotationSet(db, chosen.id);
  if (chosen === undefined || found === undefined)
    throw fieldProblem('/compare_with', 'the set was predicted without annotations: use "queries"');
  const others = counts.flatMap(({ annotation_set_number, proteins }) => {
    const other = sets.get(annotation_set_number ?? first?.number ?? -1);
    return other === undefined || other === chosen ? [] : [{ reference: other.name ?? other.id, proteins }];
  });
  return { set: found, name: chosen.name, others };
}

interface Queries {
  termsOf: Map<string, string[]>;
  /** Another reference answers these queries. */
  elsewhere: Set<string>;
  /**
   * The map leads from the accession of a reference protein to the accessions of the queries that equal it.
   */
  knownAs: Map<string, string[]>;
}

async function queriesIn(pages: AsyncIterable<readonly Answered[]>, setNumber: number): Promise<Queries> {
  const queries: Queries = { termsOf: new Map(), knownAs: new Map(), elsewhere: new Set() };
  for await (const page of pages)
    for (const { accession, known, answeredBy, go_ids } of page) {
      if (answeredBy !== setNumber) {
        queries.elsewhere.add(accession);
        continue;
      }
      queries.termsOf.set(accession, [...go_ids]);
      const same = known ?? accession;
      queries.knownAs.set(same, [...(queries.knownAs.get(same) ?? []), accession]);
    }
  return queries;
}

/**
 * Reads the proteins of a question about a whole annotation set: only the proteins that it names, and the
 * queries. The set itself was counted before.
 */
async function ofReference(
  { db, signal }: Pick<Work, 'db' | 'signal'>,
  setNumber: number,
  { accessions, population }: Pick<Question, 'accessions' | 'population'>,
  { termsOf, knownAs }: Pick<Queries, 'termsOf' | 'knownAs'> = { termsOf: new Map(), knownAs: new Map() },
): Promise<{ compared: Annotated[]; counted: Annotated[] }> {
  const names = new Set([...accessions, ...(population ?? []), ...termsOf.keys(), ...knownAs.keys()]);
  const counted: Annotated[] = [];
  for await (const page of untilAborted(annotatedAmong(db, setNumber, [...names]), signal))
    counted.push(...page);
  for (const { accession, go_ids } of counted)
    for (const query of knownAs.get(accession) ?? []) termsOf.get(query)?.push(...go_ids);
  const queries = [...termsOf].map(([accession, go_ids]) => ({ accession, go_ids }));
  const others = counted.filter(({ accession }) => !knownAs.has(accession) && !termsOf.has(accession));
  return { counted, compared: [...others, ...queries.filter(({ go_ids }) => go_ids.length > 0)] };
}

/** After the time limit, nobody waits for the pages, so reading stops. */
async function* untilAborted<Page>(pages: AsyncIterable<Page>, signal: AbortSignal): AsyncGenerator<Page> {
  for await (const page of pages) {
    signal.throwIfAborted();
    yield page;
  }
}

interface Work extends RouteDeps {
  snapshotId: string;
  signal: AbortSignal;
  ontology: StoredOntology;
  numberOf: ReadonlyMap<string, number>;
  /** The slim by its id, and its terms as numbers of the ontology; null: none. */
  slim: { id: string; terms: number[] } | null;
}

async function workFor(
  deps: RouteDeps,
  snapshotId: string,
  { slim: asked }: Pick<Question, 'slim'>,
): Promise<Work> {
  const signal = AbortSignal.timeout(mostMs);
  const view = await deps.slims.view({ slim: asked }, snapshotId);
  const ontology = await ontologyColumns(deps.db, snapshotId);
  const numberOf = new Map(ontology.termIds.map((goId, at) => [goId, at]));
  const slim =
    view === null
      ? null
      : { id: view.slim.id, terms: view.terms.flatMap((term) => numberOf.get(term.go_id) ?? []) };
  return { ...deps, snapshotId, signal, ontology, numberOf, slim };
}

/**
 * The counts of a set. They come before anything else is read, so that a question that is asked too early costs little.
 * @throws ProblemError being_counted
 */
async function countsFor(
  work: Work,
  set: AnnotationSetRow,
  { method, population }: Pick<Question, 'method' | 'population'>,
): Promise<TermCounts | null> {
  // If the question has a population, its proteins are all that the list is compared with.
  if (population !== null) return null;
  const { signal, ontology, snapshotId, slim } = work;
  signal.throwIfAborted();
  return countsInTime(work, set, { ontology, snapshotId }, { slim, method });
}

type Pages = AsyncIterable<readonly Annotated[]> | Iterable<readonly Annotated[]>;

/**
 * A list is compared with these proteins, and with those of a counted annotation set, some of them left out.
 */
interface Compared {
  proteins: Pages;
  of?: { counts: TermCounts; without: readonly Annotated[] };
}

async function enrichmentIn(work: Work, { proteins, of }: Compared, question: Question): Promise<Reply> {
  const { db, compute, snapshotId, signal, ontology, numberOf, slim } = work;
  const annotated = await columnsOf(proteins, numberOf, signal);
  const others =
    of === undefined
      ? null
      : { without: (await columnsOf([of.without], numberOf, signal)).rows, counts: of.counts };
  const { rowIds: _, ...columns } = ontology;
  const input = {
    ontology: columns,
    annotated,
    list: question.accessions,
    population: question.population,
    slim: slim?.terms ?? null,
    method: question.method,
    others,
  };
  const answer = await compute.run(enrichmentTask, input, { signal });
  return present(answer, await shownTerms(db, snapshotId, { answer, ontology }, question));
}

async function columnsOf(
  pages: Pages,
  numberOf: ReadonlyMap<string, number>,
  signal: AbortSignal,
): Promise<AnnotatedProteins> {
  const annotated = new AnnotatedProteinList();
  for await (const page of pages) {
    signal.throwIfAborted();
    for (const { accession, go_ids } of page)
      annotated.add(
        accession,
        go_ids.flatMap((goId) => numberOf.get(goId) ?? []),
      );
  }
  return annotated.columns();
}

async function shownTerms(
  db: RouteDeps['db'],
  snapshotId: string,
  { answer, ontology }: { answer: ListAnswer; ontology: StoredOntology },
  { aspect, max_rate, limit }: Question,
): Promise<Reply['terms']> {
  const kept = answer.tested
    .filter((row) => row.qValue <= max_rate && (aspect === null || row.aspect === aspect))
    .slice(0, limit);
  const idOf = ({ term }: { term: number }) => ontology.termIds[term];
  const names = await termNames(db, snapshotId, kept.map(idOf));
  const rowOf = new Map(names.map((row) => [row.go_id, row]));
  return kept.flatMap((row) => {
    const term = rowOf.get(idOf(row));
    if (term === undefined) return [];
    return enrichedTermOf(row, { go_id: term.go_id, go_name: term.name, aspect: term.aspect });
  });
}

function present({ tested, studied, absent: missing, population }: ListAnswer, terms: Reply['terms']): Reply {
  return {
    list: studied,
    population,
    tested: tested.length,
    absent_count: missing.length,
    absent: missing.slice(0, shownAbsent),
    terms,
  };
}
