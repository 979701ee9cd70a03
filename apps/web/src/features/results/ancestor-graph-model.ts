import type { Ancestry } from '../../app/api/reference-data.js';
import type { Standing } from '../../shared/standing.js';
import { ancestors, parentsOf } from './ancestry.js';

/** The kind of a box of the graph: predicted, known, both, or a term above them. */
export type BoxKind = 'predicted' | 'known' | 'both' | 'above';

export interface GraphBox {
  goId: string;
  name: string;
  kind: BoxKind;
  /** How certain the term is; null for one that is only above others. */
  standing: Standing | null;
}

export interface AncestorGraphModel {
  boxes: GraphBox[];
  /** The lines from the broader to the more specific term. */
  lines: { from: string; to: string; partOf: boolean }[];
}

/** The maximum number of predicted terms in a graph that can be read on a slide. */
export const mostPredicted = 5;
export const mostKnown = 5;

/** A predicted term; without a certainty it is not calibrated. */
export interface PredictedTerm {
  go_id: string;
  certainty: 'strong' | 'likely' | 'possible' | 'weak' | null;
}

/**
 * Makes the graph of the first predicted terms and of the first known terms that no other known one implies, with all terms above them.
 */
export function ancestorGraph(
  predicted: readonly PredictedTerm[],
  known: readonly string[],
  { names, edges }: Ancestry,
): AncestorGraphModel {
  const parents = parentsOf(edges);
  const implied = new Set(known.flatMap((id) => ancestors(id, parents)));
  const had = new Set(known.filter((id) => !implied.has(id)).slice(0, mostKnown));
  const chosen = new Map(
    predicted
      .slice(0, mostPredicted)
      .map(({ go_id, certainty }): [string, Standing] => [go_id, certainty ?? 'uncalibrated']),
  );
  const ids = new Set([...chosen.keys(), ...had].flatMap((id) => [id, ...ancestors(id, parents)]));
  const kindOf = (id: string): BoxKind => {
    if (chosen.has(id)) return had.has(id) ? 'both' : 'predicted';
    return had.has(id) ? 'known' : 'above';
  };
  const lines = new Map(
    edges
      .filter(({ source, target }) => ids.has(source) && ids.has(target))
      .map(({ source, target, relation_type }) => [
        `${target} ${source}`,
        { from: target, to: source, partOf: relation_type === 'part_of' },
      ]),
  );
  return {
    boxes: [...ids].map((goId) => ({
      goId,
      name: (names.get(goId) ?? goId).replaceAll('_', ' '),
      kind: kindOf(goId),
      standing: had.has(goId) ? 'known' : (chosen.get(goId) ?? null),
    })),
    lines: [...lines.values()],
  };
}

/**
 * Divides a name into lines of at most `most` letters. A longer word keeps its line, and a text that does not fit in `lines` ends in an
 * ellipsis.
 */
export function wrapped(name: string, most: number, lines: number): string[] {
  const rows: string[] = [];
  for (const word of name.split(' ')) {
    const last = rows.at(-1);
    if (last !== undefined && last.length + word.length < most) rows[rows.length - 1] = `${last} ${word}`;
    else rows.push(word);
  }
  const cut = rows.slice(0, lines).map((row) => (row.length > most + 2 ? `${row.slice(0, most + 1)}…` : row));
  return rows.length > lines ? [...cut.slice(0, -1), `${cut.at(-1)} …`] : cut;
}
