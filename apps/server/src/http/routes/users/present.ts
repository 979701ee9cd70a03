import type { userReply } from '@kindred/contracts/resources/users';
import type { z } from 'zod';
import type { UserRow } from '../../../store/accounts/users.repository.js';
import { presentAccount } from '../auth/present.js';

/** Presents an account as an administrator sees it. */
export function presentUser(user: UserRow): z.infer<typeof userReply> {
  const { intended_use, created_at, last_login_at } = user;
  return { ...presentAccount(user), intended_use, created_at, last_login_at };
}
