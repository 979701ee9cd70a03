import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RecordSource } from '@kindred/contracts';
import { plugin } from '@kindred/source-uniprot';

/** The real plugin, led to `url`: the operations themselves ask UniProt. */
export async function uniprotAt(url: string): Promise<RecordSource> {
  const { proteins, metadata } = (await plugin.load({ dataDir: '', settings: {} })) as Required<RecordSource>;
  const base_url = `${url}/search`;
  return {
    proteins: (parameters, context) => proteins({ ...parameters, base_url }, context),
    metadata: (parameters, context) => metadata({ ...parameters, base_url }, context),
  };
}

export interface Pages {
  /** Of the stub. */
  url: string;
  /** Records of a page, and of all. */
  size: number;
  total: number;
}

/** Sets the headers of the page that is asked for, as UniProt does; returns which records it has. */
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

/** Number of the first record that is asked for. */
function cursorOf(request: IncomingMessage): number {
  return Number(new URL(request.url ?? '', 'http://stub').searchParams.get('cursor') ?? 0);
}
