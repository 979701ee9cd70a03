import type { AuditAction } from '@kindred/contracts/audit-actions';
import type { AuditEntry } from '../../app/api/administration.js';
import { plural } from '../../shared/format.js';

export const auditWords: Readonly<Record<AuditAction, string>> = {
  signup: 'Account requested',
  login_ok: 'Signed in',
  login_fail: 'Sign-in refused',
  logout: 'Signed out',
  identity_link: 'Institution linked',
  identity_unlink: 'Institution unlinked',
  passkey_add: 'Passkey added',
  passkey_remove: 'Passkey removed',
  role_change: 'Role changed',
  user_approve: 'Account approved',
  user_deactivate: 'Account deactivated',
  user_reactivate: 'Account reactivated',
  user_delete: 'Account deleted',
  api_key_mint: 'Key made',
  api_key_revoke: 'Key revoked',
  admin_session_revoke: 'Signed out everywhere',
  webhook_create: 'Webhook added',
  webhook_change: 'Webhook changed',
  webhook_rotate: 'Webhook secret changed',
  webhook_delete: 'Webhook deleted',
  webhook_disable: 'Webhook disabled',
  password_reset: 'Password changed',
  db_reset: 'Database emptied',
};

const kinds: Readonly<Record<string, string>> = { user: 'account', api_key: 'key', webhook: 'webhook' };

/** Names the target of an act: `ada`, `key browser key (abcdefgh…)`. Without a name only the kind of the target is known. */
export function targetWords({
  target,
  target_name: name,
}: Pick<AuditEntry, 'target' | 'target_name'>): string {
  if (target === null) return '';
  const kind = kinds[target.split(':', 1)[0] ?? ''] ?? 'object';
  if (name === null) return `${kind} that is gone`;
  return kind === 'account' ? name : `${kind} ${name}`;
}

const reasons: Readonly<Record<string, string>> = {
  invalid_credentials: 'wrong e-mail or password',
  too_many_failures: 'too many wrong passwords',
  account_pending_approval: 'not approved yet',
  account_deactivated: 'the account is deactivated',
  link_invalid: 'the link was used or is over',
};

/** Writes the facts of an act that people ask for. The other facts are in the entry as recorded. */
export function detailWords({ payload }: Pick<AuditEntry, 'payload'>): string {
  const parts: string[] = [];
  const text = (key: string) => (typeof payload[key] === 'string' ? String(payload[key]) : undefined);
  const count = (key: string, noun: string) => {
    const found = payload[key];
    if (typeof found === 'number' && found > 0) parts.push(`${plural(found, noun)} revoked`);
  };
  const [from, to, role, by, reason] = ['from', 'to', 'role', 'by', 'reason'].map(text);
  if (from !== undefined && to !== undefined) parts.push(`from ${from} to ${to}`);
  if (role !== undefined) parts.push(`as ${role}`);
  if (by !== undefined) parts.push(`by the ${by === 'bootstrap' ? 'first start' : by}`);
  if (reason !== undefined) parts.push(reasons[reason] ?? reason.replaceAll('_', ' '));
  count('sessions_revoked', 'session');
  count('keys_revoked', 'key');
  return parts.join(', ');
}
