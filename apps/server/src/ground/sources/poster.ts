import { ProblemError } from '@kindred/contracts';
import { FetchGuard, type ResolveAll } from './fetch-guard.js';
import { postOnce, TransientError } from './http-fetch.js';

const setting = 'SVC_WEBHOOK_ALLOWED_HOSTS';

export interface PosterSettings {
  /** SVC_WEBHOOK_ALLOWED_HOSTS lists these hosts; null allows every host whose addresses are public. */
  allowedHosts: readonly string[] | null;
  userAgent: string;
  /** A message may take this many milliseconds. The default is 15,000. */
  timeoutMs?: number;
  resolve?: ResolveAll;
}

export interface Poster {
  /** @throws ProblemError address_refused */
  check(address: string): void;
  post(address: string, message: { headers: Record<string, string>; json: string }): Promise<PostOutcome>;
}
/** The user who gave the address reads `error`, so it names no address of the server's network. */
export type PostOutcome = { status: number; error: null } | { status: null; error: string };

/** Sends JSON to addresses that users gave, if the operator allows them. */
export function createPoster({ allowedHosts, userAgent, timeoutMs, resolve }: PosterSettings): Poster {
  const guard = new FetchGuard(allowedHosts ?? ['*'], resolve, setting);

  function check(address: string): URL {
    if (!URL.canParse(address))
      throw new ProblemError(
        'address_refused',
        `${JSON.stringify(address.slice(0, 200))} must be an https://... URL`,
      );
    const url = new URL(address);
    const permission = guard.check(url);
    if (url.protocol === 'http:' && permission !== 'explicit')
      throw new ProblemError(
        'address_refused',
        `Use https for ${url.host}; only a host that ${setting} names in full may use http.`,
      );
    return url;
  }

  async function post(
    address: string,
    { headers, json }: { headers: Record<string, string>; json: string },
  ): Promise<PostOutcome> {
    try {
      const url = check(address);
      const status = await postOnce(url, {
        guard,
        headers: { 'user-agent': userAgent, ...headers },
        timeoutMs: timeoutMs ?? 15_000,
        post: { contentType: 'application/json', body: json },
      });
      return { status, error: null };
    } catch (error) {
      return { status: null, error: reasonFor(error) };
    }
  }
  return { check, post };
}

function reasonFor(error: unknown): string {
  if (error instanceof ProblemError)
    return `The service may not contact this address: ask an operator about ${setting}.`;
  if (!(error instanceof TransientError)) throw error;
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  return code === undefined ? `No connection: ${message}.` : `No connection (${code}).`;
}
