import type { Client, Input } from '@kindred/client';
import { ProblemError } from '@kindred/contracts';
import { publishedAddresses } from '@kindred/contracts/resources/reference-downloads';
import { type FastaRecord, readFasta, type TextSource, writeFasta } from '@kindred/kernels/formats';
import type { QueryFile } from './query-file.js';

type ProteinQuery = Input<'GET', '/proteins'>['query'];

export interface AccessionOptions {
  /** UniProt's REST service, or a mirror of it, has this address. */
  uniprot?: string;
}

export const defaultUniProt = publishedAddresses.parse({}).uniprot_rest;
/** The service takes 500 at once, and UniProt 1,000; with this number, addresses stay below 2,000 letters. */
const accessionsPerRequest = 100;
const shownAccessions = 10;
const notFound = 404;

/**
 * Gives the queries with their sequences. Those of accessions come from the service, or from UniProt if the
 * service lacks them. Standard error names accessions that neither has.
 *
 * @throws ProblemError service_unavailable if UniProt does not answer; bad_file if no accession has a
 * sequence
 */
export async function withSequences(
  queries: QueryFile,
  client: Client,
  { uniprot = defaultUniProt }: AccessionOptions,
): Promise<QueryFile> {
  const { accessions, ...file } = queries;
  if (accessions === undefined) return queries;
  const found = new Map<string, FastaRecord>();
  const take = async (text: TextSource) => {
    for await (const { records } of readFasta(text))
      for (const record of records) found.set(record.accession, record);
  };
  const isMissing = (accession: string) => !found.has(accession);
  for (const group of groupsOf(accessions)) {
    const query = { accessions: group.join(','), format: 'fasta' } as ProteinQuery;
    const { body } = await client.download('/proteins', { query });
    await take(body as unknown as AsyncIterable<Uint8Array>);
  }
  const absent = accessions.filter(isMissing);
  for (const path of uniProtPaths(absent)) {
    const text = await uniProtText(`${uniprot}/uniprotkb/${path}`, absent);
    await take([Buffer.from(text)]);
  }
  const missing = accessions.filter(isMissing);
  const sentence = `${missing.length} of ${accessions.length} accessions have no sequence in this service or in UniProt: ${namesOf(missing)}.`;
  if (missing.length === accessions.length) throw new ProblemError('bad_file', sentence);
  // --quiet does not hide this, because it is a loss.
  if (missing.length > 0) process.stderr.write(`${sentence} They are left out.\n`);
  const records = accessions.flatMap((accession) => found.get(accession) ?? []);
  const leftOut = missing.map((protein) => ({
    protein,
    reason: 'no_sequence',
    sentence: 'Neither this service nor UniProt has a sequence of this accession.',
  }));
  return {
    ...file,
    bytes: Buffer.from([...writeFasta(records)].join('')),
    leftOut: [...file.leftOut, ...leftOut],
  };
}

function* groupsOf(accessions: readonly string[]): Generator<string[]> {
  for (let at = 0; at < accessions.length; at += accessionsPerRequest)
    yield accessions.slice(at, at + accessionsPerRequest);
}

/**
 * Makes paths for canonical sequences, many at once, and for isoforms, one by one, because UniProt's lists
 * have none.
 */
function uniProtPaths(accessions: readonly string[]): string[] {
  const isIsoform = (accession: string) => accession.includes('-');
  const canonical = accessions.filter((accession) => !isIsoform(accession));
  return [
    ...[...groupsOf(canonical)].map(
      (group) => `accessions?accessions=${group.join(',')}&format=fasta&size=${accessionsPerRequest}`,
    ),
    ...accessions.filter(isIsoform).map((accession) => `${accession}.fasta`),
  ];
}

async function uniProtText(address: string, absent: readonly string[]): Promise<string> {
  const fault = (why: string, cause?: unknown) =>
    new ProblemError(
      'service_unavailable',
      `${absent.length} accessions are not in this service (${namesOf(absent)}), and UniProt gives no sequence: ${why}. Load them into the service, give FASTA, or name a mirror with --uniprot.`,
      { cause },
    );
  const response = await fetch(address).catch((cause: Error) => {
    throw fault(cause.message, cause);
  });
  if (response.status === notFound) return '';
  if (!response.ok) throw fault(`${address} answers ${response.status}`);
  return response.text();
}

function namesOf(accessions: readonly string[]): string {
  const more = accessions.length - shownAccessions;
  return accessions.slice(0, shownAccessions).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
