/** The kinds of evidence, which addresses of pages name. Their meanings are in another file, because every page loads this one. */
export const evidenceKinds = ['experiment', 'curator', 'electronic', 'unknown'] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];
