import { hash, verify } from '@node-rs/argon2';
import { maxPasswordLength } from '@kindred/contracts/resources/auth';

// OWASP recommends these values for argon2id: 19 MiB, two passes, one lane.
const parameters = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export async function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFC'), parameters);
}

let decoy: Promise<string> | undefined;

/**
 * The check takes as long for an account that does not exist (`stored` undefined) as for a wrong password.
 */
export async function passwordMatches(stored: string | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword('no account has this password');
  const matches = await verify(stored ?? (await decoy), password.normalize('NFC'));
  return matches && stored !== undefined;
}

/** Gives a sentence that says why the password is refused, or null. */
export function passwordFault(
  password: string,
  account: { email: string; username: string },
  minLength: number,
): string | null {
  if (password.length < minLength) return `must have at least ${minLength} characters`;
  if (password.length > maxPasswordLength) return `must have at most ${maxPasswordLength} characters`;
  const lower = password.toLowerCase();
  if (lower === account.email.toLowerCase() || lower === account.username.toLowerCase()) {
    return 'must not be the e-mail address or the user name';
  }
  return null;
}
