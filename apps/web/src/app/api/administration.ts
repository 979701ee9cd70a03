import type { AccountRole } from '@kindred/contracts/roles';
import { getPage, post } from './request.js';

export const accountStatuses = ['pending', 'active', 'deactivated'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

export interface User {
  id: string;
  email: string;
  username: string;
  display_name: string | null;
  role: AccountRole;
  status: AccountStatus;
  intended_use: string | null;
  created_at: string;
  last_login_at: string | null;
}

export interface AuditEntry {
  id: number;
  actor_user_id: string | null;
  action: string;
  target: string | null;
  payload: Record<string, unknown>;
  occurred_at: string;
}

export const listUsers = (status: AccountStatus | undefined, after?: string) =>
  getPage<User>('/admin/users', { status, limit: 50, after });
export const listAudit = (after?: string) => getPage<AuditEntry>('/admin/audit', { limit: 50, after });

/** What an administrator does to an account. */
export type UserAct =
  | { act: 'approve'; role: AccountRole }
  | { act: 'role'; role: AccountRole }
  | { act: 'deactivate' }
  | { act: 'reactivate' };

export const changeUser = (id: string, { act, ...body }: UserAct) =>
  post<User>(`/admin/users/${id}/${act}`, Object.keys(body).length > 0 ? body : undefined);
