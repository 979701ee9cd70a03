import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type Role, roleOf } from '@kindred/contracts';
import { jwtVerify, SignJWT } from 'jose';

/**
 * A verified token makes these claims. The role is an upper bound only, because the owner's role in the
 * database bounds it further.
 */
export interface TokenClaims {
  subject: string;
  role: Role;
  jti: string | null;
}

export interface IssuedToken {
  token: string;
  jti: string | null;
  /** The token ends at this time, ISO 8601. */
  expiresAt: string;
}

export interface TokenRequest {
  subject: string;
  role: Role;
  ttlSeconds: number;
  /** A session token carries a jti and the account's status. */
  session?: { status: string };
}

export const sessionSeconds = 30 * 24 * 3600;

/**
 * Makes random bytes in base64url that do not begin with a hyphen, because a command line would take such a
 * value for another option.
 */
export function randomSecret(bytes: number): string {
  const text = randomBytes(bytes).toString('base64url');
  return text.startsWith('-') ? randomSecret(bytes) : text;
}

export async function issueToken(secret: string, request: TokenRequest): Promise<IssuedToken> {
  const now = Math.floor(Date.now() / 1000);
  const expires = now + request.ttlSeconds;
  const jti = request.session === undefined ? null : randomUUID();
  const claims = request.session === undefined ? {} : { status: request.session.status, jti: jti as string };
  const token = await new SignJWT({ role: request.role, ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(request.subject)
    .setIssuedAt(now)
    .setExpirationTime(expires)
    .sign(keyOf(secret));
  return { token, jti, expiresAt: new Date(expires * 1000).toISOString() };
}

/**
 * Gives the claims of a token that is HS256, signed with our secret, not expired and complete; null for any
 * other.
 */
export async function readToken(secret: string, token: string): Promise<TokenClaims | null> {
  try {
    const { payload } = await jwtVerify(token, keyOf(secret), {
      algorithms: ['HS256'],
      requiredClaims: ['sub', 'iat', 'exp'],
      // Tokens from the future are refused, with a tolerance of 60 s for clocks that differ.
      clockTolerance: 0,
    });
    if (typeof payload.sub !== 'string' || typeof payload.iat !== 'number') return null;
    if (payload.iat > Date.now() / 1000 + 60) return null;
    if (payload.jti !== undefined && typeof payload.jti !== 'string') return null;
    return { subject: payload.sub, role: roleOf(payload.role), jti: payload.jti ?? null };
  } catch {
    return null;
  }
}

export function sha256Hex(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

function keyOf(secret: string): Uint8Array {
  return new TextEncoder().encode(secret);
}
