import { open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { ProblemError, type ProteinRecord } from '@kindred/contracts';
import { formatFastaRecord } from '@kindred/kernels/formats';
import { SourceSession } from '../../work/operation/source-session.js';
import type { OperationContext } from '../../work/operation/operation.js';

interface Progress {
  /** The checkpoint of the source points to the next page; null at the end. */
  checkpoint: string | null;
  bytes: number;
}

export interface QueriedFasta {
  proteins: number;
  /** All pages belong to this release; null if no page names it. */
  release: string | null;
}

/**
 * Writes the proteins of a search of UniProt into a FASTA file, page by page. A later call continues after
 * the last whole page. If UniProt publishes a release in the middle, the file begins again, so that releases
 * never mix.
 * @throws ProblemError fetch_failed, service_unavailable without the source
 */
export async function downloadQuery(
  { url, query, path }: { url: string; query: string; path: string },
  context: OperationContext,
  onProteins: (done: number) => Promise<void>,
): Promise<QueriedFasta> {
  const { proteins } = await context.plugins.source('uniprot');
  if (proteins === undefined)
    throw new ProblemError(
      'service_unavailable',
      'The installed source plugin "uniprot" offers no proteins.',
    );
  const progress = await begunPart(path);
  const found: QueriedFasta = { proteins: 0, release: null };
  const options = { operation: 'download_reference_files', rowLimit: null, headerLines: 0, sideUrls: [] };
  const session = new SourceSession(context, options);
  const parameters = {
    search_criteria: query,
    base_url: url,
    include_isoforms: false,
    resume: progress.checkpoint,
  };
  const part = await open(path, 'a');
  try {
    for await (const batch of proteins(parameters, session.context)) {
      context.signal.throwIfAborted();
      if (batch.restarted === true) {
        await part.truncate(0);
        progress.bytes = 0;
      }
      const text = Buffer.from(batch.records.map(fastaOf).join(''));
      await part.appendFile(text);
      progress.bytes += text.length;
      progress.checkpoint = batch.checkpoint ?? null;
      await writeFile(stateFile(path), JSON.stringify(progress));
      found.proteins = batch.seen;
      found.release = batch.header['uniprot-release'] ?? found.release;
      await onProteins(batch.seen);
    }
  } finally {
    await part.close();
  }
  return found;
}

/** Reads the state in which an earlier call stopped, and cuts off the rest of an incomplete page. */
async function begunPart(path: string): Promise<Progress> {
  const text = await readFile(stateFile(path), 'utf8').catch(() => null);
  const begun: Progress = text === null ? { checkpoint: null, bytes: 0 } : JSON.parse(text);
  // The last page has no checkpoint, so the whole search runs again.
  const kept = begun.checkpoint === null ? 0 : begun.bytes;
  await writeFile(path, '', { flag: 'a' });
  if ((await stat(path)).size > kept) await truncate(path, kept);
  return { checkpoint: begun.checkpoint, bytes: kept };
}

const stateFile = (path: string) => `${path}.state`;

/** Writes a record with the fields that readers of UniProt's FASTA look for. */
function fastaOf(record: ProteinRecord): string {
  const { accession, entryName, reviewed, proteinName, geneName, organism, taxonId, sequence } = record;
  const token = reviewed === null ? accession : `${reviewed ? 'sp' : 'tr'}|${accession}|${entryName ?? ''}`;
  const header = [
    token,
    proteinName,
    organism && `OS=${organism}`,
    taxonId && `OX=${taxonId}`,
    geneName && `GN=${geneName}`,
  ];
  return formatFastaRecord({ header: header.filter(Boolean).join(' '), sequence });
}
