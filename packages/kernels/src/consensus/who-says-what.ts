import type { OntologyGraph } from '../ontology/index.js';

/** A statement of Kindred about a protein and a term: known, predicted, or known not to be so. */
export interface OwnStatement {
  goId: string;
  kind: (typeof ownKinds)[number];
  score: number | null;
  certainty: string | null;
  /** The reason why the predicted term cannot be; null for none. */
  contradiction: string | null;
  /** Whether lists show the term: no other term of the answer implies it with the same certainty. */
  isListed: boolean;
}
export const ownKinds = ['known', 'predicted', 'known_not'] as const;

/** A statement of another program about a protein and a term. */
export interface OtherStatement {
  score: number | null;
  basis: string | null;
}
/** The statements of a program about a protein, by the id of a live term. */
export type OtherStatements = ReadonlyMap<string, OtherStatement>;

export const agreements = ['both', 'only_kindred', 'only_others', 'contradicted'] as const;
export type Agreement = (typeof agreements)[number];

export interface Comparison {
  goId: string;
  agreement: Agreement;
  /** The statement of Kindred that says the term itself or implies it, or that speaks against it; null for none. */
  own: OwnStatement | null;
  /** The statements of programs that say the term itself or imply it, at most one a program, in the order of the programs. */
  others: (OtherStatement & { program: string; goId: string })[];
}

/**
 * Compares what Kindred and other programs say of one protein. A term that one side states counts as said by another side as well
 * where that side states a more specific term. NOT of Kindred speaks against the term and all below it; a contradicted prediction against
 * the term alone.
 *
 * Rows are the terms that Kindred lists, and those of each program that no term of it implies with at least the same score. The cost
 * is linear in the ancestors of the terms.
 *
 * @param programs the statements of each program
 * @returns the rows, and how many statements have none because a more specific one of the same program implies them
 */
export function compareProtein(
  graph: OntologyGraph,
  own: readonly OwnStatement[],
  programs: ReadonlyMap<string, OtherStatements>,
): { rows: Comparison[]; implied: number } {
  const said = new Implied<OwnStatement>(graph);
  const holding = own.filter(({ kind, contradiction }) => kind !== 'known_not' && contradiction === null);
  for (const statement of holding.toSorted(strongerFirst)) said.add(statement.goId, statement);
  const told = [...programs].map(([program, statements]) => saidBy(graph, program, statements));
  const against = new Map(own.filter((one) => !holding.includes(one)).map((one) => [one.goId, one]));

  const rowOf = (goId: string): Comparison => {
    const others = told.flatMap(({ by }) => by.of(goId) ?? []);
    const objection = others.length === 0 ? null : objectionTo(graph, goId, against);
    if (objection !== null) return { goId, agreement: 'contradicted', own: objection, others };
    const mine = said.of(goId);
    if (mine === null) return { goId, agreement: 'only_others', own: null, others };
    return { goId, agreement: others.length === 0 ? 'only_kindred' : 'both', own: mine, others };
  };
  const listed = holding.filter(({ isListed }) => isListed).map(({ goId }) => goId);
  const shown = told.flatMap(({ specific }) => specific);
  const rows = [...new Set([...listed, ...shown])].map(rowOf);
  const stated = [...programs.values()].reduce((sum, { size }) => sum + size, 0);
  return { rows, implied: stated - shown.length };
}

/** Returns what a program says and implies, and its terms that no other of its terms implies with at least the same score. */
function saidBy(graph: OntologyGraph, program: string, statements: OtherStatements) {
  const by = new Implied<OtherStatement & { program: string; goId: string }>(graph);
  for (const [goId, statement] of [...statements].toSorted(([, a], [, b]) => scoreOf(b) - scoreOf(a)))
    by.add(goId, { ...statement, program, goId });
  const specific = [...statements].flatMap(([goId, statement]) =>
    by.isImplied(goId, scoreOf(statement)) ? [] : [goId],
  );
  return { by, specific };
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
