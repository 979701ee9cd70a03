import type { ProteinRecord, SourceBatch, SourceContext } from '@kindred/contracts';
import { isoformOf, readFasta, type FastaRecord } from '@kindred/kernels/formats';
import type { UniprotParameters } from './parameters.js';
import { pages } from './paging.js';

/** Reads the proteins of a query. @throws ProblemError as `pages` says */
export async function* searchProteins(
  parameters: UniprotParameters,
  context: SourceContext,
): AsyncGenerator<SourceBatch<ProteinRecord>> {
  const format = {
    firstAddress: firstAddress(parameters),
    accept: 'text/plain;format=fasta',
    name: 'FASTA',
    read: (bytes: AsyncIterable<Uint8Array>) => readFasta(bytes),
    keyOf: (record: FastaRecord) => record,
  };
  for await (const batch of pages(format, parameters, context))
    yield { ...batch, records: batch.records.map(toProtein) };
}

function firstAddress(parameters: UniprotParameters): string {
  const url = new URL(parameters.base_url);
  url.searchParams.set('format', 'fasta');
  url.searchParams.set('query', parameters.search_criteria);
  url.searchParams.set('size', String(parameters.page_size));
  if (parameters.include_isoforms) url.searchParams.set('includeIsoform', 'true');
  return url.href;
}

function toProtein(record: FastaRecord): ProteinRecord {
  const { accession, entryName, reviewed, proteinName, geneName, organism, taxonId, sequence } = record;
  const names = { entryName, reviewed, proteinName, geneName, organism, taxonId };
  return { accession, ...isoformOf(accession), ...names, sequence };
}
