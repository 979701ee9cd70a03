import type { EvaluationOntology } from './evaluation-ontology.js';

/** The namespace and the terms of each identifier, by the identifier's number. */
export interface TermLookup {
  /** The number of each identifier's namespace; -1 if it has none. int32 */
  namespaces: Int32Array;
  /** The start of each identifier's terms: those of identifier i are targets[targetStart[i] .. targetStart[i + 1]). int32 */
  targetStart: Int32Array;
  targets: Int32Array;
}

/**
 * Chooses terms for identifiers. If several admitted namespaces have an identifier, ground truth takes the first namespace in ontology
 * order, and predictions the last. Inside a namespace, ground truth prefers canonical ids, and predictions alternative ids. The rule
 * matters only in unusual ontologies; it is that of the published evaluators.
 */
export function buildTermLookup(
  ontology: EvaluationOntology,
  role: 'truth' | 'predictions',
  admitted: (namespace: number) => boolean = () => true,
): TermLookup {
  const size = ontology.ids.size;
  const namespaces = new Int32Array(size).fill(-1);
  const found: (number | number[])[] = Array.from({ length: size }, () => -1);
  const order = [...ontology.namespaces.keys()].filter(admitted);
  if (role === 'predictions') order.reverse();
  for (const number of order) {
    const { idOf, alternativeIds, alternativeTerms } = ontology.namespaces[number];
    const canonical = (): void => {
      idOf.forEach((id, term) => {
        if (namespaces[id] >= 0) return;
        namespaces[id] = number;
        found[id] = term;
      });
    };
    if (role === 'truth') canonical();
    const byAlternative = new Map<number, number[]>();
    for (const id of alternativeIds) if (namespaces[id] < 0) byAlternative.set(id, []);
    alternativeIds.forEach((id, i) => byAlternative.get(id)?.push(alternativeTerms[i]));
    for (const [id, terms] of byAlternative) {
      namespaces[id] = number;
      found[id] = terms;
    }
    if (role === 'predictions') canonical();
  }
  const targetStart = new Int32Array(size + 1);
  const targets: number[] = [];
  found.forEach((terms, id) => {
    if (typeof terms !== 'number') targets.push(...terms);
    else if (terms >= 0) targets.push(terms);
    targetStart[id + 1] = targets.length;
  });
  return { namespaces, targetStart, targets: Int32Array.from(targets) };
}
