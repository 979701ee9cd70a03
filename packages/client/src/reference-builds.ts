import { finalStatuses } from '@kindred/contracts/vocabulary';
import type { PublishedFile } from '@kindred/contracts/resources/reference-downloads';
import type { Client } from './client.js';
import type { Reply } from './types.js';

type Reference = Reply<'GET', '/references/:reference'>;
type Job = Reply<'GET', '/jobs/:id'>;
export type BuildStep = Pick<
  Job,
  'operation' | 'status' | 'progress_current' | 'progress_total' | 'error_message'
>;

/** A build has vectors of this model where nothing else is asked for. */
export const defaultModel = 'kmer-1024';

/** A build has to take in this amount of data. */
export interface BuildSize {
  proteins: number;
  /** The files have this number of rows of annotations. */
  rows: number;
  /** The sizes of all files are counted as they are sent, and unpacked. */
  sentBytes: number;
  unpackedBytes: number;
  dimension: number;
  model: string;
}

/**
 * Estimates the bytes of disk that a build needs: the files that are sent, twice their unpacked content (rows
 * with their indexes), 7 bytes for each number of a vector (2 in the database, 5 in the bank), and room for
 * the log of the database.
 */
export function bytesNeeded({ proteins, sentBytes, unpackedBytes, dimension }: BuildSize): number {
  return sentBytes + 2 * unpackedBytes + 7 * dimension * proteins + databaseLogBytes;
}
const databaseLogBytes = 256 * 2 ** 20;

/**
 * The times are seconds on two cores, measured on 516,371 proteins with 4.5 million rows: proteins and bank,
 * annotations, vectors of k-mers.
 */
const secondsPerProtein = (27 + 42) / 516_371;
const secondsPerRow = 13 / 4_500_000;
const secondsPerKmerVector = 98 / 516_371;

function durationText(seconds: number): string {
  return seconds < 90
    ? `${Math.max(5, Math.ceil(seconds / 5) * 5)} seconds`
    : `${Math.ceil(seconds / 60)} minutes`;
}

/** Says in a sentence how much the build takes in, and for how long. */
export function estimateText(size: BuildSize, freeBytes: number | null): string {
  const { proteins, rows, model } = size;
  const ofKmers = model.startsWith('kmer-');
  const seconds =
    proteins * (secondsPerProtein + (ofKmers ? secondsPerKmerVector : 0)) + rows * secondsPerRow;
  const more = ofKmers ? '' : `, and the vectors of ${model} ("kindred models check" measures a protein)`;
  const room = freeBytes === null ? '' : ` of ${gigabytes(freeBytes)} GB that are free`;
  return `${count(proteins)} proteins, ${count(rows)} annotation rows: about ${gigabytes(bytesNeeded(size))} GB of disk${room}, and ${durationText(seconds)} on two cores${more}.`;
}

const count = (n: number): string => n.toLocaleString('en');
export const gigabytes = (bytes: number): string => (Math.ceil(bytes / 1e8) / 10).toFixed(1);

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** Says how much is downloaded, and how long that takes. */
export function downloadSentence(files: readonly PublishedFile[]): string {
  const bytes = files.reduce((sum, { size_bytes }) => sum + (size_bytes ?? 0), 0);
  const unknown = files.some(({ size_bytes }) => size_bytes === null);
  const more = unknown ? ' and what the searches find' : '';
  return `To download: ${megabytes(bytes)}${more}, at 10 MB/s about ${durationText(bytes / 1e7)}.`;
}

/** UniProt publishes these vectors: one for each protein, the mean over its residues. */
export const publishedVectors = {
  model_name: 'uniprot-prott5',
  model_backend: 'imported',
  dimension: 1024,
  normalize: false,
} as const;

/** Makes a name from the selection if the user gives none. */
export function nameOfSelections(selections: readonly string[]): string {
  return selections
    .map((selection) => selection.replace(':', '-').toLowerCase())
    .join('_')
    .slice(0, 64);
}

/** Makes the parts of a request from the downloaded files of a plan. */
export function partsOfPublished(files: readonly PublishedFile[]) {
  const of = (kind: PublishedFile['kind']) => files.filter((file) => file.kind === kind).map(sourceOf);
  // The plan has the files in this order.
  const [only_in, never_in, unions] = of('taxon_constraints');
  return {
    ontology: of('ontology')[0],
    proteins: of('proteins'),
    annotations: of('annotations'),
    interpro_mapping: of('interpro_mapping')[0],
    ...(only_in === undefined || never_in === undefined || unions === undefined
      ? {}
      : { taxon_constraints: { only_in, never_in, unions } }),
    ...(of('vectors').length === 0 ? {} : { vectors: of('vectors') }),
  };
}

function sourceOf({ sha256, file_name, origin, release, url, licence, citation }: PublishedFile) {
  const publisher = release === null ? origin : `${origin} ${release}`;
  return { url: `upload:${sha256}`, file_name, origin: `${publisher}, ${url}`, licence, citation };
}

/** Estimates the size of the download; the exact share of the chosen proteins is known only after reading. */
export function sizeOfPublished(files: readonly PublishedFile[], model: string): BuildSize {
  let [proteins, rows, bytes] = [0, 0, 0];
  for (const { kind, proteins: counted, size_bytes } of files) {
    const size = size_bytes ?? (counted ?? 0) * fastaBytes;
    bytes += size;
    if (kind === 'proteins') proteins += counted ?? Math.round(size / packedFastaBytes);
    if (kind === 'annotations') rows += Math.round(size / rowBytes);
  }
  // A file of all proteins is read whole, but only the rows of the chosen ones are kept.
  rows = Math.min(rows, rowsPerProtein * proteins);
  const unpackedBytes = fastaBytes * proteins + rowBytes * rows;
  // The artifact store holds a file while it also has its download, so both count.
  return {
    proteins,
    rows,
    sentBytes: 2 * bytes,
    unpackedBytes,
    dimension: model === publishedVectors.model_name ? publishedVectors.dimension : dimensionOf(model),
    model,
  };
}
/**
 * The sizes were measured on Swiss-Prot and GOA's E. coli: bytes of a protein in a FASTA file, plain and
 * packed, and of a row of a GAF.
 */
const fastaBytes = 430;
const packedFastaBytes = 165;
const rowBytes = 176;
const rowsPerProtein = 15;

/** Unknown models are assumed to have vectors of this length, as large models do. */
const defaultDimension = 1280;

export function dimensionOf(model: string): number {
  return Number(/^kmer-(\d+)$/.exec(model)?.[1] ?? defaultDimension);
}

/** The steps of a build have these shares in the whole, measured on 516,000 proteins. */
const shares: Record<string, number> = {
  load_ontology_snapshot: 3,
  load_taxonomy: 5,
  load_interpro_go_mapping: 1,
  load_taxon_constraints: 1,
  load_reference_proteins: 27,
  load_reference_annotations: 13,
  compute_embeddings: 98,
  import_embeddings: 98,
  build_reference: 42,
  measure_reference: 30,
};
const stepWords: Record<string, string> = {
  load_ontology_snapshot: 'ontology',
  load_taxonomy: 'taxonomy',
  load_interpro_go_mapping: 'InterPro mapping',
  load_taxon_constraints: 'taxon constraints',
  load_reference_proteins: 'proteins',
  load_reference_annotations: 'annotations',
  compute_embeddings: 'vectors',
  import_embeddings: 'vectors',
  build_reference: 'bank',
  measure_reference: 'reliability',
};

/** Fetches where a build is: its last job, the steps before it, and the reference. */
export async function stateOfBuild(client: Client, { job_id, name, version }: Reference) {
  const id = job_id as string;
  const end = await client.get('/jobs/:id', { params: { id } });
  const steps = await client.get('/jobs', { query: { parent_job_id: id, limit: 50 } });
  const reference = await client.get('/references/:reference', {
    params: { reference: `${name}@${version}` },
  });
  return { end, steps, reference };
}

/** Says whether a reference is complete, and no test of it goes on. */
export const isBuilt = (reference: Reference, steps: readonly BuildStep[]): boolean =>
  reference.status === 'complete' &&
  steps.every(({ operation, status }) => operation !== 'measure_reference' || finalStatuses.includes(status));

/** Finds the step that ended the build. A reference is complete without its test. */
export const failedStepOf = <S extends BuildStep>(steps: readonly S[]): S | undefined =>
  steps.find(
    ({ operation, status }) =>
      operation !== 'measure_reference' && (status === 'FAILED' || status === 'CANCELLED'),
  );

/** Says why a build ended without a reference. */
export function failureText({ operation, error_message }: BuildStep, { error }: Reference): string {
  const why = error_message ?? error ?? 'the build was cancelled.';
  return `The reference was not built (${stepWords[operation] ?? operation}): ${why}`;
}

/** Says what a build does now, and how much of it is done. */
export function progressOfBuild(steps: readonly BuildStep[]): { doing: string; done: number; total: number } {
  let done = 0;
  let total = 0;
  for (const step of steps) {
    const share = shares[step.operation] ?? 1;
    total += share;
    if (step.status === 'SUCCEEDED') done += share;
    else if (step.progress_total) done += share * Math.min(1, step.progress_current / step.progress_total);
  }
  const running = steps
    .filter(({ status }) => status === 'RUNNING')
    .map(({ operation }) => stepWords[operation]);
  return {
    doing: running.join(' and ') || 'waiting for a worker',
    done: Math.round(1000 * done),
    total: 1000 * total,
  };
}
