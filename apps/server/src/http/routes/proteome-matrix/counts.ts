import { groupedBy, GrowingInt32 } from '@kindred/kernels/arrays';
import type { OntologyGraph, TermRows } from '@kindred/kernels/ontology';
import { RecentValues } from '../../../ground/recent-values.js';
import { countProteomesTask } from '../../../predict/compute/tasks/count-proteomes.js';
import { annotatedAmong } from '../../../store/annotations/annotated-terms.repository.js';
import { ontologyColumns, type StoredOntology } from '../../../store/ontology/ontology-columns.repository.js';
import type { NamedPredictionSetRow } from '../../../store/predictions/prediction-sets.repository.js';
import { type RunTermsRow, runTermPages } from '../../../store/predictions/run-terms.repository.js';
import type { RouteDeps } from '../../deps.js';

export interface RunCounts {
  proteins: number;
  /** Proteins that have a term. */
  annotated: number;
  /** Different terms of the run that the ontology does not have. */
  termsLeftOut: number;
  /** The number of proteins of each term that occurs, by its number in the ontology. */
  withTerm: ReadonlyMap<number, number>;
}

export interface CountedBy {
  snapshotId: string;
  ontology: StoredOntology;
  graph: OntologyGraph;
  /** The key of the ontology, which changes if edges are added. */
  key: string;
  minProbability: number | null;
  signal: AbortSignal;
}

type Deps = Pick<RouteDeps, 'db' | 'compute' | 'memory'>;

/** The counts of runs stay in memory, because a complete run does not change: this number of terms, about 100 MB. */
const mostKept = 2_000_000;
const keptCounts = () => new RecentValues<RunCounts>(mostKept);
/** This number of runs is read at once, so that the database works while this process takes rows in. */
const runsAtOnce = 3;
/** A compute thread counts runs together, until they have this number of terms. */
const mostTermsAtOnce = 20_000_000;

/** Counts the runs, in their order. Those that were not counted before are read from their stored answers. */
export async function countsOfRuns(
  { db, compute, memory }: Deps,
  sets: readonly NamedPredictionSetRow[],
  by: CountedBy,
): Promise<RunCounts[]> {
  const kept = memory.part(keptCounts);
  const keyOf = (set: NamedPredictionSetRow) =>
    [set.id, set.status, set.prediction_count, by.key, by.minProbability].join(' ');
  const found = new Map(sets.map((set) => [keyOf(set), kept.get(keyOf(set))]));
  const read = new Map<string, RunTerms>();
  const numbers = new TermNumbers(db, by);
  const count = async () => {
    for (const [key, counts] of await countedIn(compute, [...read], by)) {
      found.set(key, counts);
      kept.set(key, counts, counts.withTerm.size);
    }
    read.clear();
  };
  const fresh = sets.filter((set) => found.get(keyOf(set)) === undefined);
  for (let from = 0; from < fresh.length; from += runsAtOnce) {
    const some = fresh.slice(from, from + runsAtOnce);
    const terms = await Promise.all(some.map((set) => termsOfRun(db, set, { numbers, by })));
    for (const [at, set] of some.entries()) read.set(keyOf(set), terms[at]);
    const size = [...read.values()].reduce((sum, { rows }) => sum + rows.terms.length, 0);
    if (size > mostTermsAtOnce) await count();
  }
  if (read.size > 0) await count();
  return sets.map((set) => found.get(keyOf(set)) as RunCounts);
}

async function countedIn(
  compute: Deps['compute'],
  runs: readonly [string, RunTerms][],
  { ontology: { rowIds: _, ...ontology }, signal }: CountedBy,
): Promise<[string, RunCounts][]> {
  const proteomes = runs.map(([, { rows }]) => rows);
  const counts = await compute.run(countProteomesTask, { ontology, proteomes }, { signal });
  return runs.map(([key, { rows: _rows, ...run }], at) => {
    const withTerm = new Map<number, number>();
    counts[at].forEach((proteins, term) => {
      if (proteins > 0) withTerm.set(term, proteins);
    });
    return [key, { ...run, withTerm }];
  });
}

/** Gives the numbers that terms of any snapshot have in the ontology of the matrix. */
class TermNumbers {
  readonly #db: Deps['db'];
  readonly #by: CountedBy;
  /** The numbers of the terms of a snapshot, by its row; a text is a term that the ontology lacks. */
  readonly #ofSnapshot = new Map<string, ReadonlyMap<number, number | string>>();

  constructor(db: Deps['db'], by: CountedBy) {
    this.#db = db;
    this.#by = by;
  }

  of(goId: string): number | string {
    const number = this.#by.graph.liveIndexOf(goId);
    return number < 0 ? goId : number;
  }

  async ofRows(snapshotId: string): Promise<ReadonlyMap<number, number | string>> {
    const known = this.#ofSnapshot.get(snapshotId);
    if (known !== undefined) return known;
    const { ontology } = this.#by;
    const own = snapshotId === this.#by.snapshotId ? ontology : await ontologyColumns(this.#db, snapshotId);
    const made = new Map(Array.from(own.rowIds, (id, at) => [id, this.of(own.termIds[at])]));
    this.#ofSnapshot.set(snapshotId, made);
    return made;
  }
}

interface RunTerms extends Omit<RunCounts, 'withTerm'> {
  rows: TermRows;
}

/** Reads the proteins of a run with the terms of their answers and what is known of them. */
async function termsOfRun(
  db: Deps['db'],
  set: NamedPredictionSetRow,
  { numbers, by }: { numbers: TermNumbers; by: CountedBy },
): Promise<RunTerms> {
  const numberOf = await numbers.ofRows(set.ontology_snapshot_id);
  const [start, terms] = [new GrowingInt32(1024), new GrowingInt32(16_384)];
  start.push(0);
  const leftOut = new Set<number | string>();
  let annotated = 0;
  for await (const page of runTermPages(db, set.number, by.minProbability)) {
    by.signal.throwIfAborted();
    const known = await knownTerms(db, page);
    for (const { known_accession, annotation_set_number, term_ids } of page) {
      const goIds = known.get(annotation_set_number ?? -1)?.get(known_accession ?? '') ?? [];
      const before = terms.length;
      const found = [
        ...term_ids.map((id) => numberOf.get(id) as number | string),
        ...goIds.map((goId) => numbers.of(goId)),
      ];
      for (const term of found)
        if (typeof term === 'number') terms.push(term);
        else leftOut.add(term);
      if (terms.length > before) annotated++;
      start.push(terms.length);
    }
  }
  const rows = { start: start.finish(), terms: terms.finish() };
  return { proteins: rows.start.length - 1, annotated, termsLeftOut: leftOut.size, rows };
}

/** Reads the known terms of the reference proteins that queries are, by annotation set and accession. */
async function knownTerms(
  db: Deps['db'],
  page: readonly RunTermsRow[],
): Promise<ReadonlyMap<number, ReadonlyMap<string, readonly string[]>>> {
  const found = new Map<number, Map<string, readonly string[]>>();
  for (const [set, queries] of groupedBy(page, (query) => query.annotation_set_number ?? -1)) {
    const accessions = queries.flatMap(({ known_accession }) => known_accession ?? []);
    const terms = new Map<string, readonly string[]>();
    for await (const rows of annotatedAmong(db, set, accessions))
      for (const { accession, go_ids } of rows) terms.set(accession, go_ids);
    found.set(set, terms);
  }
  return found;
}
