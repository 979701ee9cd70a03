import { flag, integer } from './schemas.js';
import type { SettingRow, SliceOf } from './setting-row.js';

const days = (fallback: number) => integer(1, 36_500, fallback);

/** The rows say how long workers keep rows that only grow. */
export const retentionSettingRows = {
  eventDays: {
    env: 'SVC_RETENTION_EVENT_DAYS',
    yaml: 'retention.event_days',
    schema: days(90),
    example: '30',
    description: 'Days that the timeline of an ended job is kept; its last event stays with the job',
  },
  batchDays: {
    env: 'SVC_RETENTION_BATCH_DAYS',
    yaml: 'retention.batch_days',
    schema: days(30),
    example: '7',
    description: 'Days that the batches of an ended job are kept',
  },
  anonymousJobDays: {
    env: 'SVC_RETENTION_ANONYMOUS_JOB_DAYS',
    yaml: 'retention.anonymous_job_days',
    schema: days(7),
    example: '2',
    description:
      'Days that an ended annotation of a caller without an account is kept after its upload is gone (SVC_EPHEMERAL_TTL_HOURS)',
  },
  webhookDeliveryDays: {
    env: 'SVC_RETENTION_WEBHOOK_DELIVERY_DAYS',
    yaml: 'retention.webhook_delivery_days',
    schema: days(7),
    example: '30',
    description: 'Days that ended deliveries of webhooks are kept',
  },
  unreferencedArtifactDays: {
    env: 'SVC_RETENTION_UNREFERENCED_ARTIFACT_DAYS',
    yaml: 'retention.unreferenced_artifact_days',
    schema: integer(2, 36_500, 30),
    example: '7',
    description:
      'Days after which an object in the artifact store that the service wrote, and that nothing refers to, is deleted',
  },
  sweepBucket: {
    env: 'SVC_RETENTION_SWEEP_BUCKET',
    yaml: 'retention.sweep_bucket',
    schema: flag(false),
    example: 'true',
    description:
      'Whether such objects are deleted in a bucket, too: only where no other Kindred keeps its artifacts under the same prefix',
  },
  auditDays: {
    env: 'SVC_RETENTION_AUDIT_DAYS',
    yaml: 'retention.audit_days',
    schema: integer(365, 36_500, 730),
    example: '1825',
    description:
      'Days that the audit log stays in the database, at least 365; months that are older move into files under audit/ of the artifact store, which stay',
  },
  visitDays: {
    env: 'SVC_RETENTION_VISIT_DAYS',
    yaml: 'retention.visit_days',
    schema: days(30),
    example: '7',
    description: 'Days that single visits are kept; then a count by day remains',
  },
} as const satisfies Record<string, SettingRow>;
export type RetentionSlice = SliceOf<typeof retentionSettingRows>;
