import type { FetchOptions, SourceStream } from '@kindred/contracts';

/** Opens file://, http:// and https:// as byte streams (gzip unpacked), within the operator's limits. */
export interface SourceOpener {
  open(url: string, options: FetchOptions & { signal?: AbortSignal }): Promise<SourceStream>;
}
