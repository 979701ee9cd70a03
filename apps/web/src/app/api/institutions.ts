import type { Reply } from '@kindred/client';
import { api } from './client.js';

export type Identity = Reply<'GET', '/auth/identities'>[number];

export const listInstitutions = () => api.get('/auth/institutions');
export const listIdentities = () => api.get('/auth/identities');
export const removeIdentity = (id: string) => api.delete('/auth/identities/:id', { params: { id } });

/** Returns the address that leads to the page of the institution, to sign in or to link it to the own account. */
export const institutionAddress = (name: string, { link = false } = {}) =>
  api.address('/auth/institutions/:institution/login', {
    params: { institution: name },
    query: link ? { link: 'true' } : {},
  });
