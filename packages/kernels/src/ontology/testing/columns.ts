import type { OntologyAspect } from '../obo-document.js';
import type { OntologyColumns } from '../ontology-columns.js';

/** The relations of the small ontologies that tests make. */

export const relationNames = ['is_a', 'part_of', 'regulates'];
const namespaces = ['biological_process', 'molecular_function', 'cellular_component'];

export type Edge = readonly [child: number, parent: number, relation: number];

/** Makes terms T0, T1, ... of GO's aspects; the relations are 0 is_a, 1 part_of, 2 regulates. */
export function columnsOf(
  aspects: readonly OntologyAspect[],
  edges: readonly Edge[],
  more: { termIds?: string[]; obsolete?: readonly number[]; altIds?: readonly [string, number][] } = {},
): OntologyColumns {
  const { termIds = aspects.map((_, i) => `T${i}`), obsolete = aspects.map(() => 0), altIds = [] } = more;
  return {
    termIds,
    namespaces,
    namespace: Uint8Array.from(aspects, (aspect) => 'PFC'.indexOf(aspect)),
    obsolete: Uint8Array.from(obsolete),
    edgeChild: Int32Array.from(edges, ([child]) => child),
    edgeParent: Int32Array.from(edges, ([, parent]) => parent),
    edgeRelation: Uint8Array.from(edges, ([, , relation]) => relation),
    relationNames,
    altIds: altIds.map(([id]) => id),
    altTerms: Int32Array.from(altIds, ([, term]) => term),
  };
}

export interface TermRecord {
  id: string;
  namespace: string;
  alternativeIds?: readonly string[];
  parentIds?: readonly string[];
}

/** Makes terms of any namespaces, with parents by is_a. Missing parents are left out. */
export function columnsOfRecords(records: readonly TermRecord[]): OntologyColumns {
  const names = [...new Set(records.map(({ namespace }) => namespace))];
  const numberOf = new Map(records.map(({ id }, i) => [id, i]));
  const edges = records.flatMap(({ parentIds = [] }, child) =>
    parentIds.flatMap((id) => (numberOf.has(id) ? [[child, numberOf.get(id) as number] as const] : [])),
  );
  const altIds = records.flatMap(({ alternativeIds = [] }, i) =>
    alternativeIds.map((id) => [id, i] as const),
  );
  return {
    termIds: records.map(({ id }) => id),
    namespaces: names,
    namespace: Uint8Array.from(records, ({ namespace }) => names.indexOf(namespace)),
    obsolete: new Uint8Array(records.length),
    edgeChild: Int32Array.from(edges, ([child]) => child),
    edgeParent: Int32Array.from(edges, ([, parent]) => parent),
    edgeRelation: new Uint8Array(edges.length),
    relationNames: ['is_a'],
    altIds: altIds.map(([id]) => id),
    altTerms: Int32Array.from(altIds, ([, term]) => term),
  };
}
