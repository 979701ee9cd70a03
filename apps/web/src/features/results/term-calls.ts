import type { Aspect } from '@kindred/contracts';
import type { Prediction } from '../../app/api/predictions.js';
import type { SubgraphEdge } from '../../app/api/reference-data.js';
import { ancestors, parentsOf } from './ancestry.js';

/** One predicted term of a protein with all donors that have it. */
export interface TermCall {
  goId: string;
  name: string;
  aspect: Aspect;
  score: number;
  /** Nearest first. */
  donors: [Prediction, ...Prediction[]];
  /** Neighbours (distinct sequences) whose annotation has the term. */
  supporters: number;
}

export interface FoldedCall extends TermCall {
  /** Predicted terms that this one implies, highest score first. */
  broader: TermCall[];
  /** A more specific predicted term implies this one. */
  isBroader: boolean;
  /** Terms above it in the ontology; the more, the more specific. */
  ancestorCount: number;
}

/** Puts the rows of one protein together by term; highest score first, then more supporters, then the GO id. */
export function groupByTerm(predictions: readonly Prediction[]): TermCall[] {
  const rows = new Map<string, Prediction[]>();
  for (const row of predictions) {
    const present = rows.get(row.go_id);
    if (present === undefined) rows.set(row.go_id, [row]);
    else present.push(row);
  }
  return [...rows.values()].map(callOf).sort(byScore);
}

function callOf(rows: Prediction[]): TermCall {
  const donors = [...rows].sort(
    (a, b) =>
      Number(b.is_nearest) - Number(a.is_nearest) ||
      compareDistances(a.distance, b.distance) ||
      compare(a.source_id ?? '', b.source_id ?? ''),
  );
  const [nearest, ...others] = donors as [Prediction, ...Prediction[]];
  const { go_id: goId, name, aspect, score, vote_count } = nearest;
  return { goId, name, aspect, score, donors: [nearest, ...others], supporters: vote_count ?? donors.length };
}

/** Unmeasured distances come last. */
function compareDistances(a: number | null, b: number | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a - b;
}

function byScore(a: TermCall, b: TermCall): number {
  return b.score - a.score || b.supporters - a.supporters || compare(a.goId, b.goId);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Tells specific from broader terms: a term is broader when another predicted term has it as an ancestor. Highest score
 * first; of equal scores, which one donor gives to all its terms, the more specific first. Edges lead from child to parent.
 * Cost: one walk upwards per term.
 */
export function foldBroader(calls: readonly TermCall[], edges: readonly SubgraphEdge[]): FoldedCall[] {
  const parents = parentsOf(edges);
  const byId = new Map(calls.map((call) => [call.goId, call]));
  const implied = new Set<string>();
  const folded = calls.map((call) => {
    const above = ancestors(call.goId, parents);
    const broader = above.flatMap((id) => byId.get(id) ?? []);
    for (const term of broader) implied.add(term.goId);
    return { ...call, broader: broader.sort(byScore), ancestorCount: above.length };
  });
  return folded
    .map((call) => ({ ...call, isBroader: implied.has(call.goId) }))
    .sort((a, b) => b.score - a.score || b.ancestorCount - a.ancestorCount || byScore(a, b));
}

export function countByAspect(calls: readonly TermCall[]): Record<Aspect, number> {
  const counts = { P: 0, F: 0, C: 0 };
  for (const call of calls) counts[call.aspect] += 1;
  return counts;
}
