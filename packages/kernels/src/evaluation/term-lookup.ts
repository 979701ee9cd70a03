import { ByteIndex } from './byte-index.js';
import type { EvaluationNamespace } from './evaluation-ontology.js';

/**
 * Identifier -> namespace and terms. The first namespace (in ontology order, of those admitted) that knows the
 * identifier holds it; inside it `precedence` says whether canonical or alternative ids are looked at first.
 */
export interface TermLookup {
  ids: ByteIndex;
  /** Per identifier: number of the namespace. */
  namespaces: Int32Array;
  /** Per identifier: targets[targetStart[i] .. targetStart[i + 1]). */
  targetStart: Int32Array;
  targets: Int32Array;
}

export function buildTermLookup(
  ontology: readonly EvaluationNamespace[],
  precedence: 'canonical' | 'alternative',
  admitted: (namespace: number) => boolean = () => true,
): TermLookup {
  const ids = new ByteIndex(ontology.reduce((sum, namespace) => sum + namespace.termIds.length, 16));
  const encoder = new TextEncoder();
  const namespaces: number[] = [];
  const targetStart: number[] = [0];
  const targets: number[] = [];
  const register = (id: string, namespace: number, terms: readonly number[]): void => {
    const known = ids.size;
    if (ids.add(encoder.encode(id)) < known) return;
    namespaces.push(namespace);
    targets.push(...terms);
    targetStart.push(targets.length);
  };
  ontology.forEach((namespace, number) => {
    if (!admitted(number)) return;
    const canonical = (): void => namespace.termIds.forEach((id, term) => register(id, number, [term]));
    if (precedence === 'canonical') canonical();
    for (const [id, terms] of namespace.alternatives) register(id, number, terms);
    if (precedence === 'alternative') canonical();
  });
  return {
    ids,
    namespaces: Int32Array.from(namespaces),
    targetStart: Int32Array.from(targetStart),
    targets: Int32Array.from(targets),
  };
}
