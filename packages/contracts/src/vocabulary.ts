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

/** The acts that the audit log records. */
export const auditActions = [
  'signup',
  'login_ok',
  'login_fail',
  'logout',
  'identity_link',
  'identity_unlink',
  'role_change',
  'user_approve',
  'user_deactivate',
  'user_reactivate',
  'user_delete',
  'api_key_mint',
  'api_key_revoke',
  'admin_session_revoke',
  'webhook_create',
  'webhook_change',
  'webhook_rotate',
  'webhook_delete',
  'webhook_disable',
  'password_reset',
  'db_reset',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** The maximum false discovery rate of a term that is given, and shown as different, by default. */
export const defaultMaxRate = 0.05;
