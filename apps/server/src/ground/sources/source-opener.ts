import type { FetchOptions, SourceStream } from '@kindred/contracts';

export interface FetchRetry {
  /** Repetitions are numbered from 1. */
  attempt: number;
  waitMs: number;
  reason: string;
}

export interface OpenOptions extends FetchOptions {
  signal?: AbortSignal;
  /** The bytes arrive as they were sent: gzip is not unpacked. */
  packed?: boolean;
  /**
   * The form is sent by POST, without retries, because a second attempt might repeat the action. Redirects
   * are refused.
   */
  form?: Record<string, string>;
  /** The opener calls this function before each pause. */
  onRetry?: (retry: FetchRetry) => void | Promise<void>;
}

/**
 * Opens file://, http://, https:// and sent files (upload:) as byte streams, within the operator's limits.
 * Gzip is unpacked.
 */
export interface SourceOpener {
  /**
   * Resolves with the first bytes. Until then, 429, 500, 502, 503, 504 and network errors are retried.
   * Afterwards, a cut or short body makes the stream throw; the stream never ends early in silence.
   * @throws ProblemError address_refused, fetch_failed, bad_file (broken gzip), decompressed_too_large
   */
  open(url: string, options: OpenOptions): Promise<SourceStream>;
}

/** Says whether an address may be opened, without opening anything. */
export interface AddressCheck {
  /**
   * @throws ProblemError address_refused (by a rule, outside the import folder, or without a valid address),
   * fetch_failed (a file is missing in the import folder; only if this machine has the folder)
   */
  check(url: string): Promise<void>;
}
