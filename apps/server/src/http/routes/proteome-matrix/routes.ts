import {
  mostMatrixProteins,
  type proteomeMatrixBody,
  type proteomeMatrixReply,
  proteomeMatrixRoutes,
} from '@kindred/contracts/resources/proteome-matrix';
import type { OntologyGraph } from '@kindred/kernels/ontology';
import { type Difference, differencesBetween } from '@kindred/kernels/proteome-matrix';
import type { z } from 'zod';
import { ontologyColumns } from '../../../store/ontology/ontology-columns.repository.js';
import { termNames } from '../../../store/ontology/slims.repository.js';
import {
  findPredictionSet,
  type NamedPredictionSetRow,
} from '../../../store/predictions/prediction-sets.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent, fieldProblem } from '../../problems.js';
import { requireFilled } from '../../references.js';
import { serve } from '../../serve.js';
import { countsOfRuns, type RunCounts } from './counts.js';

type Question = z.infer<typeof proteomeMatrixBody>;
type Reply = z.infer<typeof proteomeMatrixReply>;

const mostMs = 120_000;

/** Serves several runs as one matrix of terms and proteomes. */
export function serveProteomeMatrix(api: Api, deps: RouteDeps): void {
  serve(api, proteomeMatrixRoutes.matrix, async (request) => {
    const sets = await setsOf(deps.db, request.body.prediction_set_ids);
    return matrixOf(deps, sets, request.body);
  });
}

async function setsOf(db: RouteDeps['db'], ids: readonly string[]): Promise<NamedPredictionSetRow[]> {
  const twice = ids.findIndex((id, at) => ids.indexOf(id) < at);
  if (twice >= 0)
    throw fieldProblem(`/prediction_set_ids/${twice}`, 'the run is named twice: name each run once');
  const sets: NamedPredictionSetRow[] = [];
  for (const id of ids) {
    const set = await findPredictionSet(db, id);
    if (set === undefined) throw absent('prediction set', id);
    requireFilled(set);
    sets.push(set);
  }
  const proteins = sets.reduce((sum, set) => sum + set.protein_count, 0);
  if (proteins > mostMatrixProteins)
    throw fieldProblem(
      '/prediction_set_ids',
      `the runs have ${proteins} proteins together, and a matrix takes at most ${mostMatrixProteins}: name fewer runs`,
    );
  return sets;
}

/** Returns the set whose ontology is the newest; of several, the first. */
function newestOntology(sets: readonly NamedPredictionSetRow[]): NamedPredictionSetRow {
  const day = ({ obo_version }: { obo_version: string }) => /\d{4}-\d{2}-\d{2}/.exec(obo_version)?.[0] ?? '';
  const dayOf = (set: NamedPredictionSetRow) => day({ obo_version: set.ontology_snapshot_version });
  return sets.reduce((newest, set) => (dayOf(set) > dayOf(newest) ? set : newest));
}

async function matrixOf(
  deps: RouteDeps,
  sets: readonly NamedPredictionSetRow[],
  question: Question,
): Promise<Reply> {
  const { db, ontologies, slims } = deps;
  const newest = newestOntology(sets);
  const snapshotId = newest.ontology_snapshot_id;
  const view = await slims.view({ slim: question.slim }, snapshotId);
  const ontology = await ontologyColumns(db, snapshotId);
  const { graph, key } = await ontologies.of(snapshotId);
  const counts = await countsOfRuns(deps, sets, {
    ...{ snapshotId, ontology, graph, key },
    minProbability: question.min_probability,
    signal: AbortSignal.timeout(mostMs),
  });
  const terms =
    view === null
      ? new Set(counts.flatMap(({ withTerm }) => [...withTerm.keys()]))
      : new Set(view.terms.map(({ go_id }) => graph.indexOf(go_id)));
  const ordered = rankedRows([...terms], { graph, counts, question });
  const goIdOf = ({ term }: RankedRow) => ontology.termIds[term];
  const shown = ordered.slice(0, question.limit);
  const names = await termNames(db, snapshotId, shown.map(goIdOf));
  const nameOf = new Map(names.map((row) => [row.go_id, row]));
  return {
    obo_version: newest.ontology_snapshot_version,
    slim: view === null ? null : { name: view.slim.name, version: view.slim.version },
    proteomes: sets.map((set, at) => presentProteome(set, counts[at])),
    tested: ordered.filter(({ pValue }) => pValue !== null).length,
    row_count: ordered.length,
    rows: shown.flatMap((row) => {
      const term = nameOf.get(goIdOf(row));
      return term === undefined ? [] : [presentRow(row, term, counts)];
    }),
  };
}

interface RankedRow extends Difference {
  /** The number of the term in the ontology. */
  term: number;
  aspect: string;
  counts: number[];
  /** The proteins of all proteomes with the term. */
  total: number;
}

/** Tests the terms. Those that differ most surely come first, and those that were not tested last, by their number of proteins. */
function rankedRows(
  terms: readonly number[],
  { graph, counts, question }: { graph: OntologyGraph; counts: readonly RunCounts[]; question: Question },
): RankedRow[] {
  const rows = terms
    .map((term) => {
      const own = counts.map(({ withTerm }) => withTerm.get(term) ?? 0);
      const total = own.reduce((sum, count) => sum + count, 0);
      return { term, aspect: graph.aspects[term] ?? '', counts: own, total };
    })
    .filter(
      ({ aspect, total }) =>
        (question.aspect === null || aspect === question.aspect) && total >= question.min_proteins,
    );
  const sizes = counts.map(({ proteins }) => proteins);
  const tested = differencesBetween(rows, sizes).map((difference, at) => ({ ...rows[at], ...difference }));
  return tested.sort(
    (a, b) =>
      (a.pValue ?? 2) - (b.pValue ?? 2) ||
      b.total - a.total ||
      (graph.termIds[a.term] < graph.termIds[b.term] ? -1 : 1),
  );
}

function presentProteome(set: NamedPredictionSetRow, counts: RunCounts): Reply['proteomes'][number] {
  return {
    prediction_set_id: set.id,
    name: set.query_set_name,
    created_at: set.created_at,
    obo_version: set.ontology_snapshot_version,
    proteins: counts.proteins,
    annotated: counts.annotated,
    terms_left_out: counts.termsLeftOut,
  };
}

type TermName = Awaited<ReturnType<typeof termNames>>[number];

function presentRow(
  { counts, test, pValue, qValue, leastExpected }: RankedRow,
  { go_id, name, aspect }: TermName,
  runs: readonly RunCounts[],
): Reply['rows'][number] {
  return {
    go_id,
    go_name: name,
    aspect,
    counts,
    shares: counts.map((count, at) => (runs[at].proteins === 0 ? 0 : count / runs[at].proteins)),
    test,
    p_value: pValue,
    false_discovery_rate: qValue,
    least_expected: leastExpected,
  };
}
