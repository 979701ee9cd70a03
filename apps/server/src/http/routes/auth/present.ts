import { type AccountRole, roleOf } from '@kindred/contracts';
import type { accountReply, signupReply } from '@kindred/contracts/resources/auth';
import type { z } from 'zod';
import type { UserRow, UserStatus } from '../../../store/accounts/users.repository.js';

export function presentSignup(user: UserRow): z.infer<typeof signupReply> {
  return { id: user.id, email: user.email, username: user.username, status: user.status as UserStatus };
}

/** `role` is what the credential may do now, which can be less than the account's role. */
export function presentAccount(user: UserRow, role = roleOf(user.role)): z.infer<typeof accountReply> {
  return { ...presentSignup(user), display_name: user.display_name, role: role as AccountRole };
}

/**
 * Every caller has this account if SVC_AUTHN_REQUIRED is false, so that programs and the page offer what it
 * may do.
 */
export const developmentAccount: z.infer<typeof accountReply> = {
  id: '00000000-0000-0000-0000-000000000000',
  email: 'nobody@localhost',
  username: 'development',
  status: 'active',
  display_name: 'Anybody on this machine',
  role: 'admin',
};
