import { integer } from './schemas.js';
import type { SettingRow, SliceOf } from './setting-row.js';

const days = (fallback: number) => integer(1, 36_500, fallback);

/** How long workers keep rows that only grow. */
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
  visitDays: {
    env: 'SVC_RETENTION_VISIT_DAYS',
    yaml: 'retention.visit_days',
    schema: days(30),
    example: '7',
    description: 'Days that single visits are kept; then a count by day remains',
  },
} as const satisfies Record<string, SettingRow>;
export type RetentionSlice = SliceOf<typeof retentionSettingRows>;
