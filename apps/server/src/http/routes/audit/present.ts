import type { auditReply } from '@kindred/contracts/resources/audit';
import type { AuditAction } from '@kindred/contracts/audit-actions';
import type { z } from 'zod';
import { type AuditNames, type AuditRow, userTarget } from '../../../store/accounts/audit.repository.js';

export function presentAudit(row: AuditRow, names: AuditNames): z.infer<typeof auditReply> {
  const { id, actor_user_id, target, occurred_at } = row;
  return {
    id,
    actor_user_id,
    actor: actor_user_id === null ? null : (names.get(userTarget(actor_user_id)) ?? null),
    action: row.action as AuditAction,
    target,
    target_name: target === null ? null : (names.get(target) ?? null),
    payload: row.payload as Record<string, unknown>,
    occurred_at,
  };
}
