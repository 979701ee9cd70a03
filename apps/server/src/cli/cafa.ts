import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Input } from '@kindred/client';
import { ProblemError } from '@kindred/contracts';
import { lines } from '@kindred/kernels/formats';
import { Command } from 'commander';
import { sha256OfFile } from '../ground/digest.js';
import { finishAnnotation, startAnnotation } from './annotation-run.js';
import { type ServiceAccess, serviceClient } from './api-client.js';
import { annotationsAsGaf } from './cafa-annotations.js';
import { openOutput } from './output.js';
import { openProgress } from './progress.js';
import { readQueries } from './query-file.js';
import { defaultModel } from '@kindred/client/reference-builds';
import { buildFromFiles } from './reference-build.js';
import { referenceName } from './reference-text.js';
import { requireFile } from './require-file.js';
import { addServiceOptions, type ServiceOptions, withService } from './with-service.js';

type ExportQuery = Input<'GET', '/embeddings/prediction-sets/:id/export'>['query'];

/** The names of the options are those of the benchmark's interface for containers. */
interface CafaOptions extends ServiceOptions {
  query_file: string;
  output_file: string;
  train_sequences?: string;
  annot_file?: string;
  graph?: string;
}

/** The files from which the benchmark wants the predictions made. */
interface Training {
  sequences: string;
  annotations: string;
  ontology: string;
}

export function cafaCommand(): Command {
  return addServiceOptions(new Command('cafa'))
    .requiredOption('-q, --query_file <file>', 'proteins to predict for, FASTA, plain or gzip')
    .requiredOption(
      '-o, --output_file <file>',
      'protein, term and score without a header; gzip if it ends in .gz',
    )
    .option('--train_sequences <file>', 'proteins to predict from, FASTA, plain or gzip')
    .option('-a, --annot_file <file>', 'their annotations: GAF, GPAD, or a table of EntryID, term and aspect')
    .option('--graph <file>', 'Gene Ontology (.obo), plain or gzip')
    .addHelpText(
      'after',
      '\nWithout the last three, the service predicts from the references that it has.\nA service that the command starts for them keeps the reference in SVC_DATA_DIR.',
    )
    .action(predict);
}

async function predict(options: CafaOptions): Promise<void> {
  const training = trainingOf(options);
  for (const path of [options.query_file, ...Object.values(training ?? {})]) await requireFile(path);
  const queries = await readQueries(options.query_file, { badRecords: 'leave_out' });
  if (queries.accessions !== undefined)
    throw new ProblemError(
      'bad_file',
      '--query_file is a list of accessions: give their sequences as FASTA.',
    );
  const output = await openOutput(options.output_file);
  const predicted = async (service: ServiceAccess) => {
    const client = serviceClient(service);
    const reference = training === null ? undefined : await referenceOf(service, training);
    const bar = openProgress(false);
    try {
      const started = await startAnnotation(client, queries, { saved: service.apiKey !== null, reference });
      const id = await finishAnnotation(client, started, { bar });
      const set = await client.get('/embeddings/prediction-sets/:id', { params: { id } });
      const { body } = await client.download('/embeddings/prediction-sets/:id/export', {
        params: { id },
        query: { format: 'cafa' } as ExportQuery,
      });
      bar.stop();
      await writeSubmission(body as unknown as AsyncIterable<Uint8Array>, output, {
        isPacked: options.output_file.endsWith('.gz'),
        queryCount: set.query_count ?? set.protein_count,
      });
    } finally {
      bar.stop();
    }
  };
  // A service that is started for these files needs no other reference.
  await withService(options, predicted, training === null ? {} : { SVC_LOAD_EXAMPLES: 'none' });
}

/** Gives the files to predict from; null if none is named. @throws ProblemError bad_file where some are named and others are not */
function trainingOf({ train_sequences, annot_file, graph }: CafaOptions): Training | null {
  const named = { '--train_sequences': train_sequences, '--annot_file': annot_file, '--graph': graph };
  const missing = Object.entries(named).flatMap(([name, path]) => (path === undefined ? [name] : []));
  if (missing.length === Object.keys(named).length) return null;
  if (train_sequences !== undefined && annot_file !== undefined && graph !== undefined)
    return { sequences: train_sequences, annotations: annot_file, ontology: graph };
  throw new ProblemError(
    'bad_file',
    `To predict from files, name ${missing.join(' and ')}, too; to predict from the references of the service, name none of ${Object.keys(named).join(', ')}.`,
  );
}

/** Builds a reference from the files, or finds that of an earlier call; its version is the digest of the files. */
async function referenceOf(service: ServiceAccess, training: Training): Promise<string> {
  const { sequences, annotations, ontology } = training;
  const digest = createHash('sha256');
  for (const path of [sequences, annotations, ontology]) digest.update(await sha256OfFile(path));
  const folder = await mkdtemp(join(tmpdir(), 'kindred-cafa-'));
  try {
    const built = await buildFromFiles(service, {
      name: 'cafa',
      version: digest.digest('hex').slice(0, 12),
      evidence: 'all',
      model: defaultModel,
      fasta: [sequences],
      gaf: [await annotationsAsGaf(annotations, join(folder, 'annotations.gaf'))],
      obo: ontology,
    });
    return referenceName(built);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes the lines, and says of how many proteins they are. */
async function writeSubmission(
  body: AsyncIterable<Uint8Array>,
  output: Writable,
  { isPacked, queryCount }: { isPacked: boolean; queryCount: number },
): Promise<void> {
  const counted = { lines: 0, proteins: 0 };
  await pipeline(
    Readable.from(countedLines(body, counted)),
    isPacked ? createGzip() : new PassThrough(),
    output,
  );
  process.stderr.write(`${counted.lines} predictions of ${counted.proteins} of ${queryCount} proteins.\n`);
}

/** A submission has the lines of a protein together. */
async function* countedLines(
  body: AsyncIterable<Uint8Array>,
  counted: { lines: number; proteins: number },
): AsyncGenerator<string> {
  let last = '';
  for await (const line of lines(body)) {
    const protein = line.slice(0, line.indexOf('\t'));
    counted.lines++;
    if (protein !== last) counted.proteins++;
    last = protein;
    yield `${line}\n`;
  }
}
