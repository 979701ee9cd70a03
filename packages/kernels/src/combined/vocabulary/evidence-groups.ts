import { evidenceGroups as vocabulary, experimentalEvidence } from '../../vocabulary/index.js';

/**
 * Groups of evidence that differ in how often experiments confirm them. The position of a group is its bit in a mask of
 * groups.
 */
export const evidenceGroups = [
  'experimental',
  'phylogenetic',
  'similarity',
  'signature',
  'vocabulary',
  'rule',
  'unclassified',
] as const;
export type EvidenceGroup = (typeof evidenceGroups)[number];

/** The evidence that a user may choose: the groups above, and GO's codes except ND, which says that nothing is known. */
export const evidenceChoices = [
  ...evidenceGroups,
  ...vocabulary.experimental,
  ...vocabulary.high_throughput,
  ...vocabulary.curator,
  ...vocabulary.computational,
  ...vocabulary.author,
  ...vocabulary.electronic,
] as const;

export const experimentalBit = 1;
export const unclassifiedBit = 1 << evidenceGroups.indexOf('unclassified');

/** The codes of inference from a family tree. */
const phylogenetic: readonly string[] = ['IBA', 'IBD', 'IKR', 'IRD'];

const groupsOfCodes = new Map<string, EvidenceGroup>([
  ...[...vocabulary.computational, ...vocabulary.author].map((code): [string, EvidenceGroup] => [
    code,
    phylogenetic.includes(code) ? 'phylogenetic' : 'similarity',
  ]),
  ...experimentalEvidence.map((code): [string, EvidenceGroup] => [code, 'experimental']),
]);

/** GO's references for electronic mappings, with the numbers that files before 2012 use. */
const groupsOfReferences: Record<string, EvidenceGroup> = {
  'GO_REF:0000002': 'signature',
  'GO_REF:0000003': 'vocabulary',
  'GO_REF:0000004': 'vocabulary',
  'GO_REF:0000023': 'vocabulary',
  'GO_REF:0000037': 'vocabulary',
  'GO_REF:0000038': 'vocabulary',
  'GO_REF:0000039': 'vocabulary',
  'GO_REF:0000040': 'vocabulary',
  'GO_REF:0000041': 'vocabulary',
  'GO_REF:0000043': 'vocabulary',
  'GO_REF:0000044': 'vocabulary',
  'GO_REF:0000000': 'unclassified',
};

/**
 * Returns the number of the group of an annotation. The groups are experiments and curators' statements; inference from a family tree
 * (IBA); a curator's judgement of similarity (ISS and its like); InterPro signatures; mappings of keywords, subcellular locations, enzyme
 * classes and pathways; other electronic rules. `unclassified` if the reference of an electronic annotation does not identify its method.
 *
 * @param reference `GO_REF:...` as in GAF column 6 (the first of several), or null
 * @returns -1 for ND, which says that nothing is known
 */
export function evidenceGroupOf(code: string, reference: string | null): number {
  if (code === 'ND') return -1;
  let group = groupsOfCodes.get(code) ?? 'unclassified';
  if (code === 'IEA' && reference !== null) {
    const first = reference.split('|', 1)[0];
    group = groupsOfReferences[first] ?? (first.startsWith('GO_REF:') ? 'rule' : 'unclassified');
  }
  return evidenceGroups.indexOf(group);
}
