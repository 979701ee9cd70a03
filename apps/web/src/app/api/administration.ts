import type { Reply } from '@kindred/client';
import type { AccountRole } from '@kindred/contracts/roles';
import type { AuditAction } from '@kindred/contracts/audit-actions';
import type { AccountStatus } from '@kindred/contracts/vocabulary';
import { api } from './client.js';

export {
  type AccountStatus,
  accountStatuses,
} from '@kindred/contracts/vocabulary';

export type User = Reply<'GET', '/admin/users'>[number];
export type AuditEntry = Reply<'GET', '/admin/audit'>[number];

export const listUsers = (status: AccountStatus | undefined, after?: string) =>
  api.page('/admin/users', { query: { status, limit: 50, after } });
export const listAudit = (
  asked: { q?: string | undefined; action?: AuditAction | undefined },
  after?: string,
) => api.page('/admin/audit', { query: { ...asked, limit: 50, after } });
/** Returns the address of the whole log as JSON Lines. */
export const auditExportAddress = () => api.address('/admin/audit/export', {});

/** Sets the password of an account, and returns how many of its sessions ended. */
export const setUserPassword = (id: string, password: string) =>
  api.post('/admin/users/:id/password', { params: { id }, body: { new_password: password } });

/** The acts of an administrator on an account. */
export type UserAct =
  | { act: 'approve'; role: AccountRole }
  | { act: 'role'; role: AccountRole }
  | { act: 'deactivate' }
  | { act: 'reactivate' };

export function changeUser(id: string, change: UserAct): Promise<User> {
  const params = { id };
  switch (change.act) {
    case 'approve':
      return api.post('/admin/users/:id/approve', { params, body: { role: change.role } });
    case 'role':
      return api.post('/admin/users/:id/role', { params, body: { role: change.role } });
    case 'deactivate':
      return api.post('/admin/users/:id/deactivate', { params });
    case 'reactivate':
      return api.post('/admin/users/:id/reactivate', { params });
  }
}
