import { type AccountRole, atLeast } from '@kindred/contracts/roles';
import { hasStatus } from './problem.js';
import { getJson, post } from './request.js';

export interface Account {
  id: string;
  email: string;
  username: string;
  display_name: string | null;
  role: AccountRole;
}

export interface SignupInput {
  email: string;
  username: string;
  password: string;
  intended_use: string;
}

/** The signed-in account, or null. */
export async function getAccount(): Promise<Account | null> {
  try {
    return await getJson<Account>('/auth/me');
  } catch (error) {
    if (hasStatus(error, 401)) return null;
    throw error;
  }
}

export const signIn = (email: string, password: string) => post<Account>('/auth/login', { email, password });
export const signOut = () => post<void>('/auth/logout');
export const signUp = (input: SignupInput) => post<{ status: string }>('/auth/signup', input);

/** What a mail can be asked for. */
export type MailKind = 'magic-link' | 'password-reset';
export const requestMail = (kind: MailKind, email: string) => post<void>(`/auth/${kind}/request`, { email });
export const setPassword = (token: string, newPassword: string) =>
  post<void>('/auth/password-reset/consume', { token, new_password: newPassword });

/** May cancel jobs, at least his own. */
export function mayCancel(account: Account | null | undefined): boolean {
  return account != null && atLeast(account.role, 'researcher');
}
