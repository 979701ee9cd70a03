import type { FetchOptions, SourceStream } from '@kindred/contracts';

export interface FetchRetry {
  /** Number of the repetition, from 1. */
  attempt: number;
  waitMs: number;
  reason: string;
}

export interface OpenOptions extends FetchOptions {
  signal?: AbortSignal;
  /** Bytes as they are sent: gzip is not unpacked. */
  packed?: boolean;
  /** Form to send by POST, without retries: a second attempt might repeat the action. Redirects are refused. */
  form?: Record<string, string>;
  /** Called before each pause. */
  onRetry?: (retry: FetchRetry) => void | Promise<void>;
}

/** Opens file://, http://, https:// and sent files (upload:) as byte streams (gzip unpacked), within the operator's limits. */
export interface SourceOpener {
  /**
   * Resolves with the first bytes. Until then it retries 429, 500, 502, 503, 504 and network errors; afterwards a cut
   * or short body makes the stream throw, it never ends early silently.
   * @throws ProblemError address_refused, fetch_failed, bad_file (broken gzip), decompressed_too_large
   */
  open(url: string, options: OpenOptions): Promise<SourceStream>;
}

/** Says without opening anything whether an address may be opened. */
export interface AddressCheck {
  /**
   * @throws ProblemError address_refused (rules, import folder, not an address), fetch_failed (a file that is not in the
   * import folder; only where this machine has the folder)
   */
  check(url: string): Promise<void>;
}
