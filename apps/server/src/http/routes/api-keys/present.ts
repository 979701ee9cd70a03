import type { AccountRole } from '@kindred/contracts';
import type { keyReply } from '@kindred/contracts/resources/api-keys';
import type { z } from 'zod';
import type { ApiKeyRow } from '../../../store/accounts/api-keys.repository.js';

export function presentKey(key: ApiKeyRow): z.infer<typeof keyReply> {
  const { id, user_id, prefix, name, created_at, revoked_at, last_used_at } = key;
  return { id, user_id, prefix, name, role: key.role as AccountRole, created_at, revoked_at, last_used_at };
}
