/** This file has the field's own lists: every other list of aspects, categories or evidence codes derives from them. */

/** The aspects of the Gene Ontology in canonical order, as GAF writes them. */
export const aspects = ['P', 'F', 'C'] as const;
export type Aspect = (typeof aspects)[number];
/** The aspects in the order in which a reader asks: what a protein does, what it takes part in, and where. */
export const aspectsAsRead = ['F', 'P', 'C'] as const satisfies readonly Aspect[];
/** The aspects as the CAFA assessments write them, in the same order. */
export const cafaAspects = ['BPO', 'MFO', 'CCO'] as const;
export type CafaAspect = (typeof cafaAspects)[number];
export const cafaAspectOf = { P: 'BPO', F: 'MFO', C: 'CCO' } as const satisfies Record<Aspect, CafaAspect>;
export const aspectOfCafa = { BPO: 'P', MFO: 'F', CCO: 'C' } as const satisfies Record<CafaAspect, Aspect>;
/** The namespaces of the ontology's files. */
export const namespaceOf: Readonly<Record<Aspect, string>> = {
  P: 'biological_process',
  F: 'molecular_function',
  C: 'cellular_component',
};
export const rootOf: Readonly<Record<Aspect, string>> = { P: 'GO:0008150', F: 'GO:0003674', C: 'GO:0005575' };
export const rootTerms: ReadonlySet<string> = new Set(aspects.map((aspect) => rootOf[aspect]));
/** The term `binding`, above all terms that say what a protein touches. */
export const bindingTerm = 'GO:0005488';
/** The term `protein binding` says next to nothing about a protein, and many proteins have it. */
export const proteinBinding = 'GO:0005515';

/** The categories of a protein by what was known before: nothing, nothing in this aspect, something in this aspect. */
export const categories = ['NK', 'LK', 'PK'] as const;
export type Category = (typeof categories)[number];
/** The parts of the truth of an evaluation set: gained terms by category, and the terms known before. */
export const truthCategories = [...categories, 'known'] as const;
export type TruthCategory = (typeof truthCategories)[number];
/** A category as addresses and files write it. */
export type CategoryKey = Lowercase<Category>;
export const categoryKeys = categories.map((category) => category.toLowerCase()) as [
  CategoryKey,
  ...CategoryKey[],
];

/** GO evidence codes by the kind of evidence (http://geneontology.org/docs/guide-go-evidence-codes/). */
export const evidenceGroups = {
  experimental: ['EXP', 'IDA', 'IPI', 'IMP', 'IGI', 'IEP'],
  high_throughput: ['HTP', 'HDA', 'HMP', 'HGI', 'HEP'],
  curator: ['IC', 'TAS'],
  computational: ['ISS', 'ISO', 'ISA', 'ISM', 'IGC', 'IBA', 'IBD', 'IKR', 'IRD', 'RCA'],
  author: ['NAS'],
  electronic: ['IEA'],
  no_data: ['ND'],
} as const;
export type EvidenceGroup = keyof typeof evidenceGroups;
export type EvidenceCode = (typeof evidenceGroups)[EvidenceGroup][number];
/** The evidence that counts as experimental in ground truth, known terms and information accretion. */
export const experimentalEvidence: readonly EvidenceCode[] = [
  ...evidenceGroups.experimental,
  ...evidenceGroups.high_throughput,
  ...evidenceGroups.curator,
];

export { unrecordedEvidence } from './unrecorded-evidence.js';

/** Reasons why a sequence cannot have a meaningful prediction. */
export const emptyReasons = [
  'too_short',
  'unknown_residues',
  'low_complexity',
  'looks_like_dna',
  'no_similar_protein',
] as const;
export type EmptyReason = (typeof emptyReasons)[number];

/** Says whether a qualifier, whose parts `|` separates, has `NOT` in any place and any case. */
export function isNegated(qualifier: string | null): boolean {
  return qualifier !== null && qualifier.split('|').some((word) => word.trim().toUpperCase() === 'NOT');
}

/** The distances that a neighbour search can use. */
export const metrics = ['cosine', 'l2'] as const;
export type Metric = (typeof metrics)[number];
