import { fieldProblem, ProblemError } from '@kindred/contracts';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { appendAudit, userTarget } from '../store/accounts/audit.repository.js';
import {
  deletePasskey,
  findPasskey,
  insertPasskey,
  mostPasskeys,
  type PasskeyRow,
  passkeysOf,
  usePasskey,
} from '../store/accounts/passkeys.repository.js';
import { findUser, type UserRow } from '../store/accounts/users.repository.js';
import { type Database, inTransaction } from '../store/postgres/db.js';
import { openSession, type RefusedLogin, refuseLogin, type SessionRequest } from './login.js';
import { LoginStates } from './login-states.js';

/** The library is loaded by the first passkey: most starts of the service need none. */
const library = () => import('@simplewebauthn/server');

/** A browser has this long to ask its owner and to answer. */
export const passkeySeconds = 300;

/** Options for the browser, and the state that travels in a cookie until it answers. */
export interface BegunPasskey {
  options: { challenge: string };
  state: string;
}

/** An answer of the browser with the state that it belongs to, and the address that it was given at. */
export interface PasskeyAnswer<Credential> {
  credential: Credential;
  state: string | undefined;
  origin: string;
}

/**
 * Begins to make a passkey. It names its account itself, so that a login asks for no e-mail, and wants the owner's finger, face or PIN.
 * @throws ProblemError conflict at the limit
 */
export async function beginPasskey(
  db: Database,
  secret: string,
  { user, origin }: { user: UserRow; origin: string },
): Promise<BegunPasskey> {
  const known = await passkeysOf(db, user.id);
  if (known.length >= mostPasskeys)
    throw new ProblemError('conflict', `An account has at most ${mostPasskeys} passkeys. Remove one first.`);
  const host = hostOf(origin);
  const options = await (await library()).generateRegistrationOptions({
    rpName: 'Kindred',
    rpID: host,
    userName: user.email,
    userDisplayName: user.display_name ?? user.username,
    userID: new Uint8Array(Buffer.from(user.id.replaceAll('-', ''), 'hex')),
    timeout: passkeySeconds * 1000,
    excludeCredentials: known
      .filter((one) => one.host === host)
      .map(({ credential_id: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return { options, state: await stateOf(secret, `make ${user.id}`, options.challenge) };
}

/** @throws ProblemError validation_failed if the answer is not that of a passkey that was begun here; conflict */
export async function addPasskey(
  db: Database,
  secret: string,
  answer: PasskeyAnswer<RegistrationResponseJSON> & { user: UserRow; name: string },
): Promise<PasskeyRow> {
  const { user, name, origin } = answer;
  const made = await madeBy(secret, answer).catch(() => undefined);
  if (made === undefined) throw fieldProblem('/credential', notConfirmed);
  return inTransaction(db, async (trx) => {
    const { id, publicKey, counter, transports = [] } = made.credential;
    const row = await insertPasskey(trx, {
      ...{ user_id: user.id, name, host: hostOf(origin), credential_id: id },
      ...{ public_key: Buffer.from(publicKey), counter, transports },
    });
    if (row === undefined) throw new ProblemError('conflict', 'This passkey belongs to an account already.');
    await appendAudit(trx, {
      actorUserId: user.id,
      action: 'passkey_add',
      target: userTarget(user.id),
      payload: { name },
    });
    return row;
  });
}

/** Checks what the browser says of a new passkey; throws, or gives undefined, if it is not right. */
async function madeBy(
  secret: string,
  { user, credential, state, origin }: PasskeyAnswer<RegistrationResponseJSON> & { user: UserRow },
) {
  const { challenge } = await readState(secret, `make ${user.id}`, state);
  const { registrationInfo } = await (await library()).verifyRegistrationResponse({
    response: credential,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: hostOf(origin),
  });
  return registrationInfo;
}

/** @throws ProblemError not_found */
export async function removePasskey(
  db: Database,
  { id, userId }: { id: string; userId: string },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const removed = await deletePasskey(trx, { id, userId });
    if (removed === undefined) throw new ProblemError('not_found', `Your account has no passkey ${id}.`);
    await appendAudit(trx, {
      actorUserId: userId,
      action: 'passkey_remove',
      target: userTarget(userId),
      payload: { name: removed.name },
    });
  });
}

/** Begins a login. It names no account, so that nobody learns from it which accounts have passkeys. */
export async function beginPasskeyLogin(secret: string, origin: string): Promise<BegunPasskey> {
  const options = await (await library()).generateAuthenticationOptions({
    rpID: hostOf(origin),
    userVerification: 'required',
    timeout: passkeySeconds * 1000,
  });
  return { options, state: await stateOf(secret, 'login', options.challenge) };
}

/**
 * Opens a session for the owner of a passkey.
 * @throws ProblemError invalid_credentials, account_pending_approval, account_deactivated
 */
export async function logInByPasskey(
  db: Database,
  secret: string,
  {
    credential,
    state,
    origin,
    request,
  }: PasskeyAnswer<AuthenticationResponseJSON> & { request: SessionRequest },
): Promise<{ user: UserRow; token: string }> {
  const passkey = await findPasskey(db, credential.id);
  const user = passkey && (await findUser(db, passkey.user_id));
  const refuse = (reason: RefusedLogin['reason'], words?: string) =>
    refuseLogin(db, user, request, { reason, words });
  if (passkey === undefined || user === undefined)
    return refuse('invalid_credentials', 'No account here has this passkey. Sign in with your password.');
  const used = await signatureOf(secret, passkey, { credential, state, origin }).catch(() => null);
  if (used === null) return refuse('invalid_credentials', notConfirmed);
  if (user.status === 'pending') return refuse('account_pending_approval');
  if (user.status !== 'active') return refuse('account_deactivated');
  const opened = await inTransaction(db, async (trx) =>
    (await usePasskey(trx, passkey.id, used))
      ? openSession(trx, secret, user.id, { ...request, by: `passkey ${passkey.name}` })
      : null,
  );
  return opened ?? refuse('invalid_credentials', notConfirmed);
}

/** Checks the signature of a login; throws or returns null if it is not right. */
async function signatureOf(
  secret: string,
  passkey: PasskeyRow,
  { credential, state, origin }: PasskeyAnswer<AuthenticationResponseJSON>,
) {
  const { challenge, begunAt } = await readState(secret, 'login', state);
  const { verified, authenticationInfo } = await (await library()).verifyAuthenticationResponse({
    response: credential,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: passkey.host,
    credential: {
      id: passkey.credential_id,
      publicKey: new Uint8Array(passkey.public_key),
      counter: passkey.counter,
      transports: passkey.transports,
    },
  });
  return verified ? { counter: authenticationInfo.newCounter, begunAt } : null;
}

const notConfirmed = 'The browser did not confirm the passkey, or took longer than five minutes. Try again.';

/** Browsers bind passkeys to a host name, whatever its port. */
const hostOf = (origin: string) => new URL(origin).hostname;

const statesOf = (secret: string) => new LoginStates(secret, 'passkey');

const stateOf = (secret: string, purpose: string, challenge: string) =>
  statesOf(secret).sign(purpose, { challenge, begun: Date.now() }, passkeySeconds);

async function readState(secret: string, purpose: string, state: string | undefined) {
  const facts = await statesOf(secret).read(purpose, state, ['challenge', 'begun']);
  const { challenge, begun } = facts as { challenge: string; begun: number };
  return { challenge, begunAt: new Date(begun) };
}
