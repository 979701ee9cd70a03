import { type AccountRole, atLeast, ProblemError } from '@kindred/contracts';
import type { LoginOutcome } from '@kindred/contracts/institutions';
import * as openid from 'openid-client';
import { LoginStates } from './login-states.js';
import type { InstitutionSettings } from './settings.js';

/** The facts that an institution tells about a person who signed in there. */
export interface Person {
  issuer: string;
  subject: string;
  email: string | null;
  /** Proposals for a user name, the best first. */
  names: readonly string[];
  displayName: string | null;
  /** The role by the settings' table; null where the settings have no table for this institution. */
  role: AccountRole | null;
}

/** A login that has begun: the state travels in a cookie of the browser. */
export interface BegunLogin {
  address: string;
  state: string;
}

/** The login at institutions by OpenID Connect, as the settings describe them. */
export interface Institutions {
  /** In the order of the settings. */
  readonly listed: readonly { name: string; title: string }[];
  /**
   * Returns the address at the institution.
   * @param userId the account that the institution is linked to; null for a login
   * @throws ProblemError not_found; LoginFailure
   */
  begin(name: string, userId: string | null): Promise<BegunLogin>;
  /**
   * Checks what the institution answered, by the state that `begin` made.
   * @throws ProblemError not_found; LoginFailure
   */
  finish(name: string, query: URLSearchParams, state: string | undefined): Promise<FinishedLogin>;
  /** Returns the address that ends the session at the institution; null if it has none or cannot be reached. */
  logoutAddress(name: string): Promise<string | null>;
}

export interface FinishedLogin {
  person: Person;
  /** The account to link, or null for a login. */
  userId: string | null;
}

/** A login that ends without a session; the page says why. */
export class LoginFailure extends Error {
  override name = 'LoginFailure';
  constructor(
    readonly outcome: LoginOutcome,
    options?: ErrorOptions,
  ) {
    super(outcome, options);
  }
}

export const stateSeconds = 600;
/** The settings of an institution (its endpoints and keys) are asked again after this time. */
const discoveredMs = 3_600_000;
const timeoutSeconds = 10;

interface InstitutionsOptions {
  institutions: readonly InstitutionSettings[];
  jwtSecret: string;
  /** The address of the page, without a slash at its end. */
  baseUrl: string;
}

export function createInstitutions({ institutions, jwtSecret, baseUrl }: InstitutionsOptions): Institutions {
  const states = new LoginStates(jwtSecret, 'login at an institution');
  const known = new Map(institutions.map((one) => [one.name, new Institution(one, states, baseUrl)]));
  const named = (name: string) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    throw new ProblemError('not_found', `No institution ${name} is set up here (SVC_OIDC_PROVIDERS).`);
  };
  return {
    listed: institutions.map(({ name, title }) => ({ name, title })),
    begin: (name, userId) => named(name).begin(userId),
    finish: (name, query, state) => named(name).finish(query, state),
    logoutAddress: async (name) => (await known.get(name)?.logoutAddress()) ?? null,
  };
}

class Institution {
  readonly #settings: InstitutionSettings;
  readonly #states: LoginStates;
  readonly #callback: string;
  readonly #home: string;
  #found: { at: number; configuration: openid.Configuration } | null = null;

  constructor(settings: InstitutionSettings, states: LoginStates, baseUrl: string) {
    this.#settings = settings;
    this.#states = states;
    this.#home = `${baseUrl}/sign-in`;
    this.#callback = `${baseUrl}/v1/auth/institutions/${settings.name}/callback`;
  }

  async begin(userId: string | null): Promise<BegunLogin> {
    const configuration = await this.#configuration();
    const verifier = openid.randomPKCECodeVerifier();
    const [state, nonce] = [openid.randomState(), openid.randomNonce()];
    const address = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#callback,
      scope: this.#settings.scope,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    const facts = { state, nonce, verifier, userId };
    const kept = await this.#states.sign(this.#settings.name, facts, stateSeconds);
    return { address: address.href, state: kept };
  }

  async finish(query: URLSearchParams, kept: string | undefined): Promise<FinishedLogin> {
    const { state, nonce, verifier, userId } = await this.#stateOf(kept);
    const configuration = await this.#configuration();
    try {
      const tokens = await openid.authorizationCodeGrant(
        configuration,
        new URL(`${this.#callback}?${query}`),
        { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
      );
      const claims: Record<string, unknown> & { sub: string; iss: string } = { ...tokens.claims() } as never;
      const { userinfo_endpoint: more } = configuration.serverMetadata();
      // Many institutions tell e-mail and names only here.
      if (more !== undefined)
        Object.assign(claims, await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub));
      return { person: this.#personOf(claims), userId };
    } catch (cause) {
      throw new LoginFailure('refused', { cause });
    }
  }

  async logoutAddress(): Promise<string | null> {
    try {
      const configuration = await this.#configuration();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
      return openid.buildEndSessionUrl(configuration, { post_logout_redirect_uri: this.#home }).href;
    } catch {
      return null;
    }
  }

  async #configuration(): Promise<openid.Configuration> {
    if (this.#found !== null && Date.now() - this.#found.at < discoveredMs) return this.#found.configuration;
    const { issuer, clientId, clientSecret } = this.#settings;
    try {
      const configuration = await openid.discovery(
        new URL(issuer),
        clientId,
        clientSecret ?? undefined,
        clientSecret === null ? openid.None() : undefined,
        // The settings refuse an issuer without encryption on another machine.
        {
          timeout: timeoutSeconds,
          execute: issuer.startsWith('http:') ? [openid.allowInsecureRequests] : [],
        },
      );
      this.#found = { at: Date.now(), configuration };
      return configuration;
    } catch (cause) {
      throw new LoginFailure('unreachable', { cause });
    }
  }

  async #stateOf(kept: string | undefined) {
    try {
      const facts = await this.#states.read(this.#settings.name, kept, ['state', 'nonce', 'verifier']);
      return facts as { state: string; nonce: string; verifier: string; userId: string | null };
    } catch (cause) {
      throw new LoginFailure('refused', { cause });
    }
  }

  #personOf(claims: Record<string, unknown> & { sub: string; iss: string }): Person {
    const textOf = (name: string) => {
      const value = claims[name];
      return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
    };
    const email = textOf('email')?.toLowerCase() ?? null;
    const names = [textOf('preferred_username'), textOf('name'), email?.split('@')[0] ?? null];
    return {
      issuer: claims.iss,
      subject: claims.sub,
      email,
      names: names.filter((name) => name !== null),
      displayName: textOf('name')?.slice(0, 255) ?? null,
      role: this.#roleOf(claims),
    };
  }

  /** Gives the highest role that the table has for the person's values; without one, that of a new account. */
  #roleOf(claims: Record<string, unknown>): AccountRole | null {
    const { roleClaim, roles } = this.#settings;
    if (roleClaim === null) return null;
    const value = roleClaim
      .split('.')
      .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], claims);
    const found = (Array.isArray(value) ? value : [value])
      .filter((one): one is string => typeof one === 'string' && Object.hasOwn(roles, one))
      .map((one) => roles[one]);
    if (found.length === 0) return newRole;
    return found.reduce((best, role) => (atLeast(role, best) ? role : best));
  }
}

/** The role of who asks for an account. */
export const newRole = 'researcher' satisfies AccountRole;
