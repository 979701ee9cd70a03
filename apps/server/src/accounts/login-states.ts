import { createHmac } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';

/** The state of a login that has begun travels in a cookie of the browser, signed. */
export class LoginStates {
  readonly #key: Uint8Array;

  /** @param kind the kind of login: each has a key of its own, so that no other token of ours passes for its states */
  constructor(secret: string, kind: string) {
    this.#key = createHmac('sha256', secret).update(kind).digest();
  }

  /** @param audience who or what the state is for */
  sign(audience: string, facts: Record<string, unknown>, seconds: number): Promise<string> {
    return new SignJWT(facts)
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience(audience)
      .setExpirationTime(`${seconds}s`)
      .sign(this.#key);
  }

  /** @throws Error of jose if the state is missing, expired, for another audience, or lacks one of the facts */
  async read(audience: string, state: string | undefined, facts: string[]): Promise<Record<string, unknown>> {
    const { payload } = await jwtVerify(state ?? '', this.#key, {
      algorithms: ['HS256'],
      audience,
      requiredClaims: ['exp', ...facts],
    });
    return payload;
  }
}
