import type { supportReply } from '@kindred/contracts/resources/support';
import type { z } from 'zod';
import type { SupportEntryRow } from '../../../store/records/support.repository.js';

export function presentSupport(count: number, rows: SupportEntryRow[]): z.infer<typeof supportReply> {
  return {
    count,
    comments: rows.map(({ id, comment, created_at }) => ({ id, comment: comment ?? '', created_at })),
  };
}
