import type { AuditAction, auditReply } from '@kindred/contracts/resources/audit';
import type { z } from 'zod';
import type { AuditRow } from '../../../store/accounts/audit.repository.js';

export function presentAudit(row: AuditRow): z.infer<typeof auditReply> {
  const { id, actor_user_id, target, occurred_at } = row;
  const payload = row.payload as Record<string, unknown>;
  return { id, actor_user_id, action: row.action as AuditAction, target, payload, occurred_at };
}
