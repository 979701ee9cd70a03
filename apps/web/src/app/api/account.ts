import { hasStatus, type Input, type Reply } from '@kindred/client';
import { api } from './client.js';

export type Account = Reply<'GET', '/auth/me'>;
/** The fields of the form for a new account. */
export type SignupInput = Record<'email' | 'username' | 'password' | 'intended_use', string> &
  Input<'POST', '/auth/signup'>['body'];

/** The service writes this into the document for a browser that sent no session. Scripts cannot read the cookie of a session. */
const visitorMark = 'data-visitor';

/** Notes whether nobody is signed in from now on, because the document tells only what was so when it was sent. */
export const noteVisitor = (isVisitor: boolean) =>
  document.documentElement.toggleAttribute(visitorMark, isVisitor);

/** Returns the signed-in account, or null. The service is not asked about a visitor, because it would refuse. */
export async function getAccount(): Promise<Account | null> {
  if (document.documentElement.hasAttribute(visitorMark)) return null;
  try {
    return await api.get('/auth/me');
  } catch (error) {
    if (hasStatus(error, 401)) return null;
    throw error;
  }
}

export const signIn = (email: string, password: string) =>
  api.post('/auth/login', { body: { email, password } });
export const signOut = () => api.post('/auth/logout');
export const signUp = (body: SignupInput) => api.post('/auth/signup', { body });

/** The mails that a user can request. */
export type MailKind = 'magic-link' | 'password-reset';
export const requestMail = (kind: MailKind, email: string) =>
  kind === 'magic-link'
    ? api.post('/auth/magic-link/request', { body: { email } })
    : api.post('/auth/password-reset/request', { body: { email } });
export const changePassword = (password: string, newPassword: string) =>
  api.post('/auth/password', { body: { password, new_password: newPassword } });
export const setPassword = (token: string, newPassword: string) =>
  api.post('/auth/password-reset/consume', { body: { token, new_password: newPassword } });
