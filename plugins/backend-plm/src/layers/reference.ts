import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { ProblemError } from '@kindred/contracts';
import { Random } from '@kindred/kernels/arrays';
import {
  AnnotationCollector,
  buildFrame,
  type EvaluationFrame,
  EvaluationInputError,
  linkOntology,
} from '@kindred/kernels/evaluation';
import { FormatError, lines, readFasta, readGaf } from '@kindred/kernels/formats';
import { ontologyColumns, readObo } from '@kindred/kernels/ontology';
import { experimentalEvidence } from '@kindred/kernels/vocabulary';

/** Proteins with known terms, each of which is predicted from the others. */
export interface LayerReference {
  accessions: string[];
  sequences: string[];
  /** The GO ids of the terms. */
  terms: string[];
  /** The start of each protein's terms: those of protein p are term[start[p]] to term[start[p + 1] - 1], as places in `terms`. */
  start: Int32Array;
  term: Int32Array;
  /** The annotations as ground truth. */
  frame: EvaluationFrame;
}
export interface ReferenceFiles {
  fasta: string;
  /** The file of annotations: a GAF, of which experimental annotations count, or lines that begin with accession and term. */
  annotations: string;
  obo: string;
  /** The maximum number of proteins, which are a random sample of those that have a sequence and a term. */
  maxProteins: number;
  seed: number;
}

/** @throws ProblemError bad_file, which names the file; nothing_loaded if fewer than two proteins have a sequence and a term */
export async function readReference(files: ReferenceFiles): Promise<LayerReference> {
  const sequences = await readSequences(files.fasta);
  const termsOf = await readAnnotations(files.annotations, new Set(sequences.keys()));
  const usable = [...sequences.keys()].filter((accession) => termsOf.has(accession)).sort();
  if (usable.length < 2)
    throw new ProblemError(
      'nothing_loaded',
      `Only ${usable.length} proteins of ${files.fasta} have annotations in ${files.annotations}: the accessions must be the same in both`,
    );
  const accessions = sampled(usable, files).sort();
  const frame = await frameOf(files.obo, accessions, termsOf);
  const terms = [...new Set(accessions.flatMap((accession) => [...(termsOf.get(accession) ?? [])]))].sort();
  const numbers = new Map(terms.map((term, number) => [term, number]));
  const start = new Int32Array(accessions.length + 1);
  const term: number[] = [];
  accessions.forEach((accession, protein) => {
    for (const id of termsOf.get(accession) ?? []) term.push(numbers.get(id) as number);
    start[protein + 1] = term.length;
  });
  return {
    accessions,
    sequences: accessions.map((accession) => sequences.get(accession) as string),
    terms,
    start,
    term: Int32Array.from(term),
    frame,
  };
}

function sampled(accessions: string[], { maxProteins, seed }: ReferenceFiles): string[] {
  const random = new Random(seed);
  const count = Math.min(maxProteins, accessions.length);
  for (let i = 0; i < count; i++) {
    const j = i + random.integer(accessions.length - i);
    [accessions[i], accessions[j]] = [accessions[j], accessions[i]];
  }
  return accessions.slice(0, count);
}

async function readSequences(path: string): Promise<Map<string, string>> {
  const sequences = new Map<string, string>();
  await reading(path, async () => {
    for await (const { records, rejected } of readFasta(bytesOf(path))) {
      if (rejected.length > 0) throw new FormatError(rejected[0]);
      for (const { accession, sequence } of records) sequences.set(accession, sequence);
    }
  });
  return sequences;
}

async function readAnnotations(path: string, wanted: ReadonlySet<string>): Promise<Map<string, Set<string>>> {
  const termsOf = new Map<string, Set<string>>();
  const add = (accession: string, term: string) => {
    const terms = termsOf.get(accession) ?? new Set();
    termsOf.set(accession, terms.add(term));
  };
  await reading(path, async () => {
    if (!/\.gaf(\.gz)?$/i.test(path)) {
      for await (const line of lines(bytesOf(path))) {
        const [accession, term] = line.split(/\s+/, 2);
        if (term?.startsWith('GO:') && wanted.has(accession)) add(accession, term);
      }
      return;
    }
    const counted: ReadonlySet<string> = new Set(experimentalEvidence);
    for await (const { records, rejected } of readGaf(bytesOf(path), { keep: (one) => wanted.has(one) })) {
      if (rejected.length > 0) throw new FormatError(rejected[0]);
      for (const { accession, goId, negated, evidenceCode } of records)
        if (!negated && counted.has(evidenceCode)) add(accession, goId);
    }
  });
  return termsOf;
}

async function frameOf(
  path: string,
  accessions: readonly string[],
  termsOf: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<EvaluationFrame> {
  return reading(path, async () => {
    const ontology = linkOntology(ontologyColumns(await readObo(bytesOf(path), { allowUnversioned: true })));
    const truth = new AnnotationCollector(ontology);
    for (const accession of accessions)
      for (const term of termsOf.get(accession) ?? []) truth.add(accession, term);
    return buildFrame({ ontology, truth: truth.end(), noOrphans: true });
  });
}

async function reading<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ProblemError) throw cause;
    if (cause instanceof FormatError || cause instanceof EvaluationInputError)
      throw new ProblemError('bad_file', `${path}: ${cause.message}`, { cause });
    if (typeof (cause as NodeJS.ErrnoException).code === 'string')
      throw new ProblemError('bad_file', `${path} cannot be read: ${(cause as Error).message}`, { cause });
    throw cause;
  }
}

const bytesOf = (path: string): AsyncIterable<Uint8Array> => {
  const bytes = createReadStream(path);
  if (!path.endsWith('.gz')) return bytes;
  const unpacked = createGunzip();
  bytes.on('error', (error) => unpacked.destroy(error));
  return bytes.pipe(unpacked);
};
