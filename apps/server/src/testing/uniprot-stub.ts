import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RecordSource } from '@kindred/contracts';
import { plugin } from '@kindred/source-uniprot';

/**
 * Gives the real plugin with requests redirected to `url`, because operations always ask UniProt's address.
 */
export async function uniprotAt(url: string): Promise<RecordSource> {
  const { proteins, metadata } = (await plugin.load({ dataDir: '', settings: {} })) as Required<RecordSource>;
  const base_url = `${url}/search`;
  return {
    proteins: (parameters, context) => proteins({ ...parameters, base_url }, context),
    metadata: (parameters, context) => metadata({ ...parameters, base_url }, context),
  };
}

export interface Pages {
  url: string;
  /** A page has `size` records, and the answer `total`. */
  size: number;
  total: number;
}

/** Sets the headers of the requested page as UniProt does, and returns the range of its records. */
export function startPage(
  request: IncomingMessage,
  response: ServerResponse,
  { url, size, total }: Pages,
): { start: number; end: number } {
  const start = cursorOf(request);
  const end = Math.min(start + size, total);
  response.setHeader('x-total-results', String(total));
  if (end < total) response.setHeader('link', `<${url}/search?cursor=${end}&size=${size}>; rel="next"`);
  return { start, end };
}

/** Gives the number of the first requested record. */
function cursorOf(request: IncomingMessage): number {
  return Number(new URL(request.url ?? '', 'http://stub').searchParams.get('cursor') ?? 0);
}
