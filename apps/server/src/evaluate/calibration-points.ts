import { type Aspect, aspects } from '@kindred/contracts';
import { GrowingFloat64, GrowingInt32, GrowingUint8 } from '@kindred/kernels/arrays';
import type { CalibrationPoints } from '@kindred/kernels/calibration';
import type { ProbabilityCurve } from '@kindred/kernels/combined';
import { holdoutCategories, type HoldoutCategory } from '@kindred/kernels/holdout';
import type { ScoredTermRow } from '../store/evaluation/evaluation-predictions.repository.js';
import type { TruthColumns } from '../store/evaluation/evaluation-truth.repository.js';
import type { StoredOntology } from '../store/ontology/ontology-columns.repository.js';
import type { CalibrationQueryRow } from '../store/evaluation/calibration.repository.js';

/** A curve belongs to one method, aspect and kind of proteins. */
export interface CurveKey {
  method: 'combined' | 'untrained';
  aspect: Aspect;
  known: ProbabilityCurve['known'];
}

export interface KeyedPoints extends CurveKey {
  points: CalibrationPoints;
}

const knowledge: Record<HoldoutCategory, ProbabilityCurve['known']> = {
  NK: 'nothing',
  LK: 'other aspects',
  PK: 'same aspect',
};

class GrowingPoints {
  readonly score = new GrowingFloat64();
  readonly isRight = new GrowingUint8();
  readonly protein = new GrowingInt32();
}

/** Holds the true terms by number, for proteins and aspects that have any, and the terms known before. */
export class CalibrationTruth {
  readonly #gains = new Map<string, { category: HoldoutCategory; terms: Set<number> }>();
  readonly #known = new Set<string>();
  readonly #ontology: StoredOntology;
  readonly #numberOf: Map<string, number>;
  readonly #isRoot: Uint8Array;

  constructor(
    ontology: StoredOntology,
    { truth, known }: { truth: Record<HoldoutCategory, TruthColumns>; known: TruthColumns },
  ) {
    this.#ontology = ontology;
    this.#numberOf = new Map(ontology.termIds.map((id, term) => [id, term]));
    ontology.altIds.forEach((id, i) => {
      if (!this.#numberOf.has(id)) this.#numberOf.set(id, ontology.altTerms[i]);
    });
    this.#isRoot = new Uint8Array(ontology.termIds.length).fill(1);
    for (const child of ontology.edgeChild) this.#isRoot[child] = 0;
    for (const category of holdoutCategories)
      eachPair(truth[category], (protein, id) => {
        const term = this.#numberOf.get(id);
        if (term === undefined) return;
        const key = `${protein} ${this.#aspectOf(term)}`;
        const gain = this.#gains.get(key) ?? { category, terms: new Set<number>() };
        gain.terms.add(term);
        this.#gains.set(key, gain);
      });
    eachPair(known, (protein, id) => this.#known.add(`${protein} ${id}`));
  }

  #aspectOf(term: number): Aspect {
    return aspects[this.#ontology.namespace[term]];
  }

  /**
   * Gives the known outcome of a prediction; null for a root, a term known before, or an aspect without
   * truth.
   */
  outcomeOf(
    accession: string,
    goId: string,
  ): { category: HoldoutCategory; aspect: Aspect; isRight: boolean } | null {
    const term = this.#numberOf.get(goId);
    if (term === undefined || this.#isRoot[term] === 1) return null;
    const aspect = this.#aspectOf(term);
    const gain = this.#gains.get(`${accession} ${aspect}`);
    if (gain === undefined || this.#known.has(`${accession} ${goId}`)) return null;
    return { category: gain.category, aspect, isRight: gain.terms.has(term) };
  }
}

function eachPair(
  { proteins, terms, protein, term }: TruthColumns,
  visit: (accession: string, goId: string) => void,
): void {
  for (let i = 0; i < protein.length; i++) visit(proteins[protein[i]], terms[term[i]]);
}

/**
 * Gives the points of every curve. Queries that are proteins of the reference got the trained combination,
 * and the others got the untrained votes. Curves of votes use only proteins without earlier experiments,
 * because other categories say nothing about a bare sequence.
 *
 * @param queries lacks those without an answer; a point's protein is a query's place in the list
 */
export async function calibrationPoints(
  pages: AsyncIterable<readonly ScoredTermRow[]>,
  { truth, queries }: { truth: CalibrationTruth; queries: readonly CalibrationQueryRow[] },
  signal: AbortSignal,
): Promise<KeyedPoints[]> {
  const placeOf = new Map(queries.map(({ accession }, place) => [accession, place]));
  const found = new Map<string, CurveKey & { columns: GrowingPoints }>();
  for await (const page of pages) {
    signal.throwIfAborted();
    for (const { protein_accession, go_id, score } of page) {
      const place = placeOf.get(protein_accession);
      const outcome = truth.outcomeOf(protein_accession, go_id);
      if (place === undefined || outcome === null) continue;
      const { category, aspect, isRight } = outcome;
      const method = queries[place].is_known ? 'combined' : 'untrained';
      if (method === 'untrained' && category !== 'NK') continue;
      const key = { method, aspect, known: knowledge[category] } as const;
      const name = Object.values(key).join(' ');
      const entry = found.get(name) ?? { ...key, columns: new GrowingPoints() };
      found.set(name, entry);
      entry.columns.score.push(score);
      entry.columns.isRight.push(Number(isRight));
      entry.columns.protein.push(place);
    }
  }
  return [...found.values()].map(({ columns, ...key }) => ({
    ...key,
    points: {
      score: columns.score.finish(),
      isRight: columns.isRight.finish(),
      protein: columns.protein.finish(),
    },
  }));
}
