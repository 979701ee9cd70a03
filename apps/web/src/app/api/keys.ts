import type { AccountRole } from '@kindred/contracts/roles';
import { getPage, post, remove } from './request.js';

export interface ApiKey {
  id: string;
  /** The first characters of the key, to tell keys apart. */
  prefix: string;
  name: string;
  role: AccountRole;
  created_at: string;
  revoked_at: string | null;
  last_used_at: string | null;
}

/** The raw key is in this answer and in no other. */
export interface NewApiKey extends ApiKey {
  key: string;
}

export const listOwnKeys = (after?: string) =>
  getPage<ApiKey>('/auth/me/api-keys', { include_revoked: true, limit: 50, after });
export const makeKey = (name: string) => post<NewApiKey>('/auth/api-keys', { name });
export const revokeKey = (id: string) => remove(`/auth/api-keys/${id}`);
