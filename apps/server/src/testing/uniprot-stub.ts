import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RecordSource } from '@kindred/contracts';
import { plugin } from '@kindred/source-uniprot';

/** The real plugin with requests redirected to `url`: operations always ask UniProt's address. */
export async function uniprotAt(url: string): Promise<RecordSource> {
  const { proteins, metadata } = (await plugin.load({ dataDir: '', settings: {} })) as Required<RecordSource>;
  const base_url = `${url}/search`;
  return {
    proteins: (parameters, context) => proteins({ ...parameters, base_url }, context),
    metadata: (parameters, context) => metadata({ ...parameters, base_url }, context),
  };
}

export interface Pages {
  /** Address of the stub. */
  url: string;
  /** Records per page, and in total. */
  size: number;
  total: number;
}

/** Sets the headers of the requested page as UniProt does; returns the range of its records. */
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

/** Number of the first requested record. */
function cursorOf(request: IncomingMessage): number {
  return Number(new URL(request.url ?? '', 'http://stub').searchParams.get('cursor') ?? 0);
}
