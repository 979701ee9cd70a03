import type { OntologyGraph } from '@kindred/kernels/ontology';

/** A statement of Kindred about a protein and a term: known, predicted, or known not to be so. */
export interface OwnStatement {
  goId: string;
  kind: 'known' | 'predicted' | 'known_not';
  score: number | null;
  certainty: string | null;
  /** The reason why the predicted term cannot be; null for none. */
  contradiction: string | null;
  /** Whether lists show the term: no other term of the answer implies it with the same certainty. */
  isListed: boolean;
}

/** A statement of the other program about a protein and a term. */
export interface OtherStatement {
  score: number | null;
  basis: string | null;
}

export const agreements = ['both', 'only_kindred', 'only_tool', 'contradicted'] as const;
export type Agreement = (typeof agreements)[number];

export interface Comparison {
  goId: string;
  agreement: Agreement;
  /** The statement of Kindred that says the term itself or implies it, or that speaks against it; null for none. */
  own: OwnStatement | null;
  /** The term of the other program that is the term itself or implies it, with its statement; null for none. */
  other: (OtherStatement & { goId: string }) | null;
}

/**
 * Compares what Kindred and another program say of one protein. A term that one side states counts as said by the other side as well
 * where that side states a more specific term. NOT of Kindred speaks against the term and all below it; a contradicted prediction against
 * the term alone.
 *
 * Rows are the terms that Kindred lists, and those of the other program that no term of it implies with at least the same score. The cost
 * is linear in the ancestors of the terms.
 *
 * @param others statements by the id of a live term of the graph
 */
export function compareProtein(
  graph: OntologyGraph,
  own: readonly OwnStatement[],
  others: ReadonlyMap<string, OtherStatement>,
): { rows: Comparison[]; implied: number } {
  const said = new Implied<OwnStatement>(graph);
  const holding = own.filter(({ kind, contradiction }) => kind !== 'known_not' && contradiction === null);
  for (const statement of holding.toSorted(strongerFirst)) said.add(statement.goId, statement);
  const told = new Implied<OtherStatement & { goId: string }>(graph);
  for (const [goId, statement] of [...others].toSorted(([, a], [, b]) => scoreOf(b) - scoreOf(a)))
    told.add(goId, { ...statement, goId });
  const against = new Map(own.filter((one) => !holding.includes(one)).map((one) => [one.goId, one]));

  const rowOf = (goId: string): Comparison => {
    const other = told.of(goId);
    const objection = other === null ? null : objectionTo(graph, goId, against);
    const mine = objection ?? said.of(goId);
    if (objection !== null) return { goId, agreement: 'contradicted', own: mine, other };
    if (mine === null) return { goId, agreement: 'only_tool', own: null, other };
    return { goId, agreement: other === null ? 'only_kindred' : 'both', own: mine, other };
  };
  const shown = [...others.keys()].filter(
    (goId) => !told.isImplied(goId, scoreOf(others.get(goId) as OtherStatement)),
  );
  const listed = holding.filter(({ isListed }) => isListed).map(({ goId }) => goId);
  const rows = [...new Set([...listed, ...shown])].map(rowOf);
  return { rows, implied: others.size - shown.length };
}

/** A program without scores says each of its terms with the same certainty. */
const scoreOf = ({ score }: OtherStatement): number => score ?? 1;

function strongerFirst(a: OwnStatement, b: OwnStatement): number {
  return Number(b.kind === 'known') - Number(a.kind === 'known') || (b.score ?? 0) - (a.score ?? 0);
}

/** The terms above a term, without itself. */
function above(graph: OntologyGraph, term: number): Int32Array {
  const { start, terms } = graph.ancestorClosure();
  return terms.subarray(start[term], start[term + 1]) as Int32Array;
}

function objectionTo(
  graph: OntologyGraph,
  goId: string,
  against: ReadonlyMap<string, OwnStatement>,
): OwnStatement | null {
  const itself = against.get(goId);
  if (itself !== undefined) return itself;
  if (against.size === 0) return null;
  for (const term of above(graph, graph.liveIndexOf(goId))) {
    const found = against.get(graph.termIds[term]);
    if (found?.kind === 'known_not') return found;
  }
  return null;
}

/** The first statement that says each term or a more specific one; a statement of the term itself goes before others. */
class Implied<T extends { score: number | null }> {
  readonly #graph: OntologyGraph;
  readonly #itself = new Map<string, T>();
  readonly #below = new Map<number, T>();

  constructor(graph: OntologyGraph) {
    this.#graph = graph;
  }

  add(goId: string, statement: T): void {
    if (!this.#itself.has(goId)) this.#itself.set(goId, statement);
    const own = this.#graph.liveIndexOf(goId);
    if (own < 0) return;
    for (const term of above(this.#graph, own))
      if (term !== own && !this.#below.has(term)) this.#below.set(term, statement);
  }

  of(goId: string): T | null {
    return this.#itself.get(goId) ?? this.#below.get(this.#graph.liveIndexOf(goId)) ?? null;
  }

  /** Whether a more specific term has at least this score. */
  isImplied(goId: string, score: number): boolean {
    const below = this.#below.get(this.#graph.liveIndexOf(goId));
    return below !== undefined && (below.score ?? 1) >= score;
  }
}
