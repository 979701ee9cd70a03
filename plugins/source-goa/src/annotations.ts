import type { AnnotationRecord, SourceBatch, SourceContext } from '@kindred/contracts';
import { peekLine, readGaf, readGpad } from '@kindred/kernels/formats';
import { detectFormat } from './detect-format.js';

export interface GoaParameters {
  gaf_url: string;
  format: 'auto' | 'gaf' | 'gpad';
  page_size: number;
  timeout_seconds: number;
}

/** Passes texts on unchanged. Rows that `context.keep` rejects are skipped without parsing. */
export async function* readGafOrGpad(
  parameters: GoaParameters,
  context: SourceContext,
): AsyncGenerator<SourceBatch<AnnotationRecord>> {
  const stream = await context.openStream(parameters.gaf_url, {
    timeoutMs: 1000 * parameters.timeout_seconds,
  });
  const { head, bytes } = await peekLine(stream.bytes, (line) => detectFormat(line) !== null);
  const format = parameters.format === 'auto' ? (detectFormat(head) ?? 'gaf') : parameters.format;
  const { keep } = context;
  const options = {
    batchSize: parameters.page_size,
    ...(keep && { keep: (accession: string) => keep(accession) }),
  };
  const batches = format === 'gaf' ? readGaf(bytes, options) : readGpad(bytes, options);
  // The rows of both readers have all fields of a record, and more.
  for await (const batch of batches) yield { ...batch, total: null };
}
