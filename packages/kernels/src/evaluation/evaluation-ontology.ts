import type { ByteIndex } from './byte-index.js';
import { Int32Buffer } from './growing-list.js';
import { EvaluationInputError } from './options.js';
import { type TermRecord, type TermStatements, TermTable } from './term-table.js';

/** The graph of one namespace (aspect): terms are numbered 0 .. size - 1 in file order. All arrays int32. */
export interface EvaluationNamespace {
  name: string;
  size: number;
  /** Term -> number of its identifier. */
  idOf: Int32Array;
  /** Number of an identifier -> the term of that canonical id, -1 for none. */
  termOf: Int32Array;
  /** Alternative ids: alternativeIds[i] is one of term alternativeTerms[i]; may lead to several terms. */
  alternativeIds: Int32Array;
  alternativeTerms: Int32Array;
  /** Parents of term t, each once: parents[parentStart[t] .. parentStart[t + 1]). */
  parentStart: Int32Array;
  parents: Int32Array;
}

export interface EvaluationOntology {
  /** Every identifier of the ontology, canonical or alternative, of live terms or not. */
  ids: ByteIndex;
  namespaces: EvaluationNamespace[];
}

/** The ontology of terms at hand, see `linkOntology`. */
export function buildEvaluationOntology(records: Iterable<TermRecord>): EvaluationOntology {
  const table = new TermTable();
  for (const record of records) table.add(record);
  return linkOntology(table.statements());
}

/**
 * One graph per namespace, in order of first appearance. Links are kept between live terms of one namespace only; a
 * parent elsewhere, obsolete or unknown is left out, and a parent stated twice counts once. A term given twice in a
 * namespace: the last statement holds. Cost: linear in terms and links.
 *
 * @throws EvaluationInputError for a cycle, naming a term of it or above it, or when there is no term
 */
export function linkOntology(statements: TermStatements): EvaluationOntology {
  const order = [...new Set(statements.namespaceOf)].filter((namespace) => namespace >= 0);
  if (order.length === 0) throw new EvaluationInputError('the ontology has no live term with a namespace');
  const namespaces = order.map((namespace) => linkNamespace(statements, namespace));
  return { ids: statements.ids, namespaces };
}

function linkNamespace(statements: TermStatements, number: number): EvaluationNamespace {
  const { ids, idOf, namespaceOf } = statements;
  const termOf = new Int32Array(ids.size).fill(-1);
  const statementOf: number[] = [];
  for (let s = 0; s < idOf.length; s++) {
    if (namespaceOf[s] !== number) continue;
    if (termOf[idOf[s]] < 0) termOf[idOf[s]] = statementOf.push(s) - 1;
    else statementOf[termOf[idOf[s]]] = s;
  }
  const size = statementOf.length;
  const parentStart = new Int32Array(size + 1);
  const parents = new Int32Buffer();
  const alternativeIds = new Int32Buffer();
  const alternativeTerms = new Int32Buffer();
  const seenAt = new Int32Array(ids.size);
  for (let term = 0; term < size; term++) {
    const s = statementOf[term];
    // Odd stamps for parents, even ones for alternatives: each is taken once per term.
    for (let i = statements.parentStart[s]; i < statements.parentStart[s + 1]; i++) {
      const parent = statements.parents[i];
      if (termOf[parent] >= 0 && seenAt[parent] !== 2 * term + 1) parents.push(termOf[parent]);
      seenAt[parent] = 2 * term + 1;
    }
    parentStart[term + 1] = parents.length;
    for (let i = statements.alternativeStart[s]; i < statements.alternativeStart[s + 1]; i++) {
      const id = statements.alternatives[i];
      if (seenAt[id] === 2 * term + 2) continue;
      seenAt[id] = 2 * term + 2;
      alternativeIds.push(id);
      alternativeTerms.push(term);
    }
  }
  const namespace: EvaluationNamespace = {
    name: statements.namespaces.textOf(number),
    size,
    idOf: Int32Array.from(statementOf, (s) => idOf[s]),
    termOf,
    alternativeIds: alternativeIds.view(),
    alternativeTerms: alternativeTerms.view(),
    parentStart,
    parents: parents.view(),
  };
  refuseCycle(namespace, ids);
  return namespace;
}

function refuseCycle({ size, idOf, parentStart, parents }: EvaluationNamespace, ids: ByteIndex): void {
  const openChildren = new Int32Array(size);
  for (const parent of parents) openChildren[parent]++;
  const ready = new Int32Array(size);
  let found = 0;
  for (let term = 0; term < size; term++) if (openChildren[term] === 0) ready[found++] = term;
  for (let done = 0; done < found; done++) {
    for (let e = parentStart[ready[done]]; e < parentStart[ready[done] + 1]; e++) {
      if (--openChildren[parents[e]] === 0) ready[found++] = parents[e];
    }
  }
  if (found === size) return;
  const stuck = openChildren.findIndex((count) => count > 0);
  throw new EvaluationInputError(
    `the ontology has a cycle of is_a and part_of links at or below ${ids.textOf(idOf[stuck])}`,
  );
}

/** True where a term has no parent inside its namespace: roots, and terms whose parents were all left out. */
export function isOrphan(namespace: EvaluationNamespace, term: number): boolean {
  return namespace.parentStart[term] === namespace.parentStart[term + 1];
}
