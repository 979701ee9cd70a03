export * from '@kindred/kernels/vocabulary';

/** The states of a job. */
export const jobStatuses = ['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
export type JobStatus = (typeof jobStatuses)[number];
export const finalStatuses: readonly JobStatus[] = ['SUCCEEDED', 'FAILED', 'CANCELLED'];

/** The relations between terms in the releases of the Gene Ontology. */
export const goRelations = [
  'is_a',
  'part_of',
  'has_part',
  'regulates',
  'positively_regulates',
  'negatively_regulates',
  'occurs_in',
  'happens_during',
  'starts_during',
  'ends_during',
] as const;

/** The people who find an upload and its results in lists. Everyone who has the id may read it. */
export const visibilities = ['link', 'listed'] as const;
export type Visibility = (typeof visibilities)[number];

export const eventLevels = ['info', 'warning', 'error'] as const;
export type EventLevel = (typeof eventLevels)[number];

/** The states of an account. */
export const accountStatuses = ['pending', 'active', 'deactivated'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

/** The maximum false discovery rate of a term that is given, and shown as different, by default. */
export const defaultMaxRate = 0.05;
