/** The letters of GAF for GO's aspects: biological process, molecular function, cellular component. */
export const ontologyAspects = ['P', 'F', 'C'] as const;
export type OntologyAspect = (typeof ontologyAspects)[number];
