import type { DomainMatchRecord, SourceBatch, SourceContext } from '@kindred/contracts';
import {
  detectInterproFormat,
  peekLine,
  readInterproOfGaf,
  readInterproScan,
  readProtein2Ipr,
} from '@kindred/kernels/formats';
import type { InterproParameters } from './parameters.js';

const readers = { interproscan: readInterproScan, protein2ipr: readProtein2Ipr, gaf: readInterproOfGaf };

/** Reads one record for each match, or for each entry that a row of a GAF names. The header's `format` says how the file was read. */
export async function* readMatches(
  { matches_url, format, page_size, timeout_seconds }: InterproParameters,
  context: SourceContext,
): AsyncGenerator<SourceBatch<DomainMatchRecord>> {
  const stream = await context.openStream(matches_url, { timeoutMs: 1000 * timeout_seconds });
  const { head, bytes } = await peekLine(stream.bytes, (line) => detectInterproFormat(line) !== null);
  const chosen = format === 'auto' ? (detectInterproFormat(head) ?? 'interproscan') : format;
  const { keep } = context;
  for await (const batch of readers[chosen](bytes, { batchSize: page_size })) {
    const records = keep ? batch.records.filter((record) => keep(record.accession)) : batch.records;
    const skipped = batch.skipped + batch.records.length - records.length;
    yield { ...batch, records, skipped, total: null, header: { ...batch.header, format: chosen } };
  }
}
