/** Kinds of evidence, which addresses of pages name; their meanings are apart, since every page reads this. */
export const evidenceKinds = ['experiment', 'curator', 'electronic', 'unknown'] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];
