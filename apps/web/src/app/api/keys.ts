import type { Reply } from '@kindred/client';
import { api } from './client.js';

export type ApiKey = Reply<'GET', '/auth/me/api-keys'>[number];

export const listOwnKeys = (after?: string) =>
  api.page('/auth/me/api-keys', { query: { include_revoked: true, limit: 50, after } });
/** Makes a key. The raw key is in this reply and in no other one. */
export const makeKey = (name: string) => api.post('/auth/api-keys', { body: { name } });
export const revokeKey = (id: string) => api.delete('/auth/api-keys/:id', { params: { id } });
