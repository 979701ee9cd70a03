import {
  enrichedTermOf,
  type enrichmentBody,
  type enrichmentReply,
  enrichmentRoutes,
} from '@kindred/contracts/resources/enrichment';
import { maxOverviewProteins } from '@kindred/contracts/resources/answers';
import { groupedBy } from '@kindred/kernels/arrays';
import { answerEnd } from '@kindred/kernels/combined';
import { AnnotatedProteinList, type ListAnswer } from '@kindred/kernels/enrichment';
import type { z } from 'zod';
import { enrichmentTask } from '../../../predict/compute/tasks/enrichment.js';
import { annotatedPages, findAnnotationSet } from '../../../store/annotations/annotations.repository.js';
import { ontologyColumns, type StoredOntology } from '../../../store/ontology/ontology-columns.repository.js';
import { termNames } from '../../../store/ontology/slims.repository.js';
import { overviewOf } from '../../../store/predictions/answers.repository.js';
import {
  findPredictionSet,
  type NamedPredictionSetRow,
} from '../../../store/predictions/prediction-sets.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent, fieldProblem } from '../../problems.js';
import { requireFilled } from '../../references.js';
import { serve } from '../../serve.js';

type Question = z.infer<typeof enrichmentBody>;
type Reply = z.infer<typeof enrichmentReply>;

/** A protein with its direct terms. */
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
    const work = { ...deps, snapshotId: set.ontology_snapshot_id, signal: AbortSignal.timeout(mostMs) };
    const answers = answeredTerms(db, set, min_probability ?? 0);
    if (compare_with === 'reference') {
      const queries = await queriesIn(untilAborted(answers, work.signal));
      const pages = withReference(queries, annotatedPages(db, await annotationSetOf(db, set)));
      const list = accessions ?? [...queries.termsOf.keys()];
      const reply = await enrichmentIn(work, pages, { ...question, accessions: list });
      return accessions === null ? reply : found(reply);
    }
    if (accessions === null)
      throw fieldProblem('/accessions', 'name the proteins of the list, or set compare_with to "reference"');
    return found(await enrichmentIn(work, withTerms(answers), { ...question, accessions }));
  });
  serve(api, enrichmentRoutes.ofAnnotations, async (request) => {
    const set = await findAnnotationSet(db, request.params.id);
    if (set === undefined) throw absent('annotation set', request.params.id);
    const work = { ...deps, snapshotId: set.ontology_snapshot_id, signal: AbortSignal.timeout(mostMs) };
    return found(await enrichmentIn(work, annotatedPages(db, set.number), request.body));
  });
}

/** @throws ProblemError validation_failed: the population has no protein of the list */
function found(reply: Reply): Reply {
  if (reply.list > 0) return reply;
  throw fieldProblem(
    '/accessions',
    'none of them is in the population, or has a term there; are the accessions of the same kind?',
  );
}

/** A query with the terms of its answer, and the protein of the reference that it is. */
interface Answered extends Annotated {
  known: string | null;
}

/** Answered terms of all queries; terms without a probability only if none is required. */
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
    yield page.queries.map(({ protein_accession: accession, known_accession: known }) => ({
      accession,
      known,
      go_ids: (terms.get(accession) ?? []).map((row) => row.go_id),
    }));
    if (page.queries.length < maxOverviewProteins) return;
    after = page.queries[page.queries.length - 1].protein_accession;
  }
}

async function* withTerms(pages: AsyncIterable<readonly Annotated[]>): AsyncGenerator<Annotated[]> {
  for await (const page of pages) yield page.filter(({ go_ids }) => go_ids.length > 0);
}

/** @throws ProblemError validation_failed: the set was predicted without annotations */
async function annotationSetOf(db: RouteDeps['db'], set: NamedPredictionSetRow): Promise<number> {
  const found =
    set.annotation_set_id === null ? undefined : await findAnnotationSet(db, set.annotation_set_id);
  if (found === undefined)
    throw fieldProblem('/compare_with', 'the set was predicted without annotations: use "queries"');
  return found.number;
}

interface Queries {
  termsOf: Map<string, string[]>;
  /** The accessions of the queries, by the accession of the reference protein that they are. */
  knownAs: Map<string, string[]>;
}

async function queriesIn(pages: AsyncIterable<readonly Answered[]>): Promise<Queries> {
  const queries: Queries = { termsOf: new Map(), knownAs: new Map() };
  for await (const page of pages)
    for (const { accession, known, go_ids } of page) {
      queries.termsOf.set(accession, [...go_ids]);
      const same = known ?? accession;
      queries.knownAs.set(same, [...(queries.knownAs.get(same) ?? []), accession]);
    }
  return queries;
}

/** Proteins of the reference that are not among the queries, then the queries, with what the reference knows of them. */
async function* withReference(
  { termsOf, knownAs }: Queries,
  reference: AsyncIterable<readonly Annotated[]>,
): AsyncGenerator<Annotated[]> {
  for await (const page of reference) {
    for (const { accession, go_ids } of page)
      for (const query of knownAs.get(accession) ?? []) termsOf.get(query)?.push(...go_ids);
    yield page.filter(({ accession }) => !knownAs.has(accession) && !termsOf.has(accession));
  }
  const rows = [...termsOf].map(([accession, go_ids]) => ({ accession, go_ids }));
  yield rows.filter(({ go_ids }) => go_ids.length > 0);
}

/** What is read after the time is over would be for nobody. */
async function* untilAborted<Page>(pages: AsyncIterable<Page>, signal: AbortSignal): AsyncGenerator<Page> {
  for await (const page of pages) {
    signal.throwIfAborted();
    yield page;
  }
}

async function enrichmentIn(
  { db, compute, slims, snapshotId, signal }: RouteDeps & { snapshotId: string; signal: AbortSignal },
  pages: AsyncIterable<readonly Annotated[]>,
  question: Question,
): Promise<Reply> {
  const view = await slims.view({ slim: question.slim }, snapshotId);
  const ontology = await ontologyColumns(db, snapshotId);
  const annotated = await columnsOf(untilAborted(pages, signal), ontology);
  const input = {
    ontology,
    annotated,
    list: question.accessions,
    population: question.population,
    slim: view === null ? null : view.terms.map((term) => term.go_id),
    method: question.method,
  };
  const answer = await compute.run(enrichmentTask, input, { signal });
  return present(answer, await shownTerms(db, snapshotId, { answer, ontology }, question));
}

async function columnsOf(pages: AsyncIterable<readonly Annotated[]>, { termIds }: StoredOntology) {
  const numberOf = new Map(termIds.map((goId, at) => [goId, at]));
  const annotated = new AnnotatedProteinList();
  for await (const page of pages)
    for (const { accession, go_ids } of page)
      annotated.add(
        accession,
        go_ids.flatMap((goId) => numberOf.get(goId) ?? []),
      );
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
