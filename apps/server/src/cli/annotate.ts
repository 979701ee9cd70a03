import type { Writable } from 'node:stream';
import type { Client, Input } from '@kindred/client';
import { aspects, ProblemError } from '@kindred/contracts';
import { badRecords } from '@kindred/contracts/left-out';
import { sourceChoices, predictionMethods } from '@kindred/contracts/resources/prediction-sets';
import { exportColumns } from '@kindred/contracts/resources/exports';
import type { AnswerLine } from '@kindred/kernels/answer';
import { Command, Option } from 'commander';
import { answerTable, formatTable, isListed, readAnnotations, tableLine } from './annotation-table.js';
import { heldText, ProbabilityNotes, uncalibratedText } from './probability-notes.js';
import { type AccessionOptions, defaultUniProt, withSequences } from './accession-queries.js';
import {
  type AnnotationChoice,
  explainHint,
  finishAnnotation,
  referencesText,
  startAnnotation,
} from './annotation-run.js';
import { type ServiceAccess, serviceClient } from './api-client.js';
import { checkFeatureFile, decorate } from './feature-annotations.js';
import type { CalledGenes } from './gene-finder.js';
import { fraction, wholeNumber } from './option-values.js';
import { endOutput, openOutput, write } from './output.js';
import { openProgress } from './progress.js';
import { annotateProteome, exitCodesHelp, type ProteomeOptions } from './proteome/proteome.js';
import { type GenomeOptions, type QueryFile, readQueries } from './query-file.js';
import { refuseExisting } from './require-file.js';
import { sayingWhatGoesOn } from './until-ended.js';
import { addServiceOptions, type ServiceOptions, withService } from './with-service.js';

type ExportQuery = Input<'GET', '/embeddings/prediction-sets/:id/export'>['query'];

export interface AnnotateOptions extends AccessionOptions, AnnotationChoice, GenomeOptions, ServiceOptions {
  quiet?: boolean;
  /** @default tsv */
  format?: 'tsv' | 'json' | 'table';
  output?: string;
  /** This file of the genome is what is written, with the terms in its lines. */
  gff?: string;
  all?: boolean;
  minScore: number;
  top?: number;
}

const runGoesOn =
  'The run goes on in the service: "kindred runs list" shows it, and "kindred runs remove" ends it.';
const genesHelp =
  'the FASTA is contigs of bacteria, archaea or viruses: call their genes first, by an installed prodigal, pyrodigal or prodigal-gv';
const gffHelp =
  "write this GFF3 file of the genome, plain or gzip, with terms, name and notes in the proteins' lines; with --genes, keep the called genes in this new file first";
const geneticCodeHelp = 'of a GFF3 file that states none (default: 11 for genes of Prodigal, else 1)';

export function annotateCommand(): Command {
  const command = addServiceOptions(new Command('annotate'))
    .argument(
      '<proteins>',
      'FASTA, GenBank, EMBL, GFF3 or a list of UniProt accessions, plain, gzip or zstd; - is standard input',
    )
    .option('--genome <file>', 'FASTA of the genome of a GFF3 file without one')
    .option('--genetic-code <number>', geneticCodeHelp, wholeNumber)
    .option('--genes', genesHelp)
    .addOption(
      new Option(
        '--bad-records <choice>',
        'records that cannot be read: refuse the file, or leave them out and list them',
      )
        .choices(badRecords.options)
        .default('refuse'),
    )
    .option(
      '--uniprot <address>',
      'where the sequences of accessions come from that the service does not have',
      defaultUniProt,
    )
    .addOption(
      new Option('--format <name>', 'what to write (default: tsv)').choices(['tsv', 'json', 'table']),
    )
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .option('--neighbours <k>', 'sources of a protein', wholeNumber)
    .option('--reference <name>', 'reference to predict from: name, or name@version')
    .option('--annotation-set <id>', 'annotations to predict from')
    .option(
      '--embedding <ids>',
      'embedding configuration to find sources with; several, separated by commas, are merged',
    )
    .addOption(
      new Option('--aspect <letter>', 'with combined: only predicted terms of this aspect').choices(aspects),
    )
    .option(
      '--hits <file>',
      "hits of the proteins, or of their structures, by another program (BLAST's table of 12 columns, as DIAMOND, MMseqs2 and Foldseek write it): they join the relatives that the service finds",
    )
    .option('--hits-program <name>', 'the program of --hits, as sources name it')
    .option(
      '--no-sequence-only',
      'with combined: no terms from the sequence alone for proteins without a similar one in the reference',
    )
    .option('--all', 'also the less certain terms below the end of the answer')
    .option('--min-score <score>', 'leave out terms below this score, 0 to 1', fraction, 0)
    .option('--top <n>', 'maximum number of listed terms per protein', wholeNumber)
    .option('-q, --quiet', 'no progress bar')
    .option('--gff <file>', gffHelp)
    .addHelpText('after', `\n${exitCodesHelp}`)
    .action((proteins: string, options: AnnotateOptions & ProteomeOptions) =>
      options.outDir === undefined
        ? annotate(proteins, refuseProteomeOptions(options))
        : annotateProteome(proteins, { ...options, outDir: options.outDir }),
    );
  return addSourceOptions(addMethodOptions(addOrganismOption(addFolderOptions(command))));
}

function addFolderOptions(command: Command): Command {
  return command
    .option(
      '--out-dir <folder>',
      'write tables, GAF, GFF3, a report and a manifest of the run into this folder',
    )
    .option(
      '--slim <name>',
      'with --out-dir: GO slim of the report (default: goslim_generic, else the one that was loaded last)',
    )
    .option('--resume', 'with --out-dir: continue the run that was begun in it')
    .option('--json', 'with --out-dir: print what was written as JSON');
}

function addOrganismOption(command: Command): Command {
  return command.option(
    '--organism <name>',
    'NCBI taxon or scientific name of sequences without OX= in their header',
  );
}

function addMethodOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--method <name>',
        'combined: votes, own annotations and a model; knn: the nearest sources (default: combined; with --runner, knn)',
      ).choices(predictionMethods),
    )
    .option(
      '--runner <name>',
      'plugin that scores the terms of the nearest sources; GET /runners lists those installed',
    )
    .option('--runner-parameters <file>', 'JSON file with parameters of the runner');
}

function addSourceOptions(command: Command): Command {
  for (const [name, { description }] of Object.entries(sourceChoices))
    command.option(`--${name.replace('_', '-')} <list>`, `${description}; separated by commas`);
  return command;
}

/** Options of whole proteomes mean nothing without a folder. */
function refuseProteomeOptions<T extends ProteomeOptions>(options: T): T {
  for (const [name, value] of Object.entries({
    slim: options.slim,
    resume: options.resume,
    json: options.json,
  }))
    if (value !== undefined)
      throw new ProblemError('bad_file', `--${name} goes with --out-dir: name a folder, or leave it out.`);
  return options;
}

export async function annotate(proteins: string, options: AnnotateOptions): Promise<void> {
  const { gff } = options;
  if (gff !== undefined) await checkGff(gff, options);
  const queries = await readQueries(proteins, options);
  if (queries.genes !== undefined) await keepGenes(queries.genes, options);
  await withService(options, async (service) => {
    const output = await openOutput(options.output);
    if (gff !== undefined)
      return writeGff({ ...options, gff }, output, await annotatedSet(queries, service, options));
    const lines = await runAnnotation(queries, service, options);
    const notes = new ProbabilityNotes();
    const leftOut = await writeLines(output, notes.counted(lines), options);
    // --quiet does not hide this, because it hides only progress.
    if (leftOut > 0)
      process.stderr.write(`${leftOut} less certain or contradicted terms are left out; --all shows them.\n`);
    if (notes.areHeld) process.stderr.write(heldText);
    if (
      notes.uncalibrated > 0 &&
      (options.method ?? 'combined') === 'combined' &&
      options.runner === undefined
    )
      process.stderr.write(uncalibratedText(notes.uncalibrated));
  });
}

/** Refuses what has no meaning for a file of features, before anything is computed. */
async function checkGff(gff: string, { format, top, output, genes }: AnnotateOptions): Promise<void> {
  const stray = format !== undefined ? '--format' : top !== undefined ? '--top' : null;
  if (stray !== null)
    throw new ProblemError('bad_file', `--gff writes a GFF3 file: leave ${stray} out, or --gff.`);
  if (genes === true) await refuseExisting(gff);
  await checkFeatureFile(gff, output, genes === true);
}

/** Keeps the called genes in the file of --gff, or else beside the results. */
async function keepGenes(
  { gff3 }: CalledGenes,
  { gff, output }: Pick<AnnotateOptions, 'gff' | 'output'>,
): Promise<void> {
  const path = gff ?? (output === undefined ? null : `${output}.genes.gff3`);
  if (path === null) {
    process.stderr.write('The called genes are not kept: -o, --gff or --out-dir says where to.\n');
    return;
  }
  const file = await openOutput(path);
  await write(file, gff3);
  await endOutput(file);
  process.stderr.write(`The called genes are in ${path}.\n`);
}

async function writeGff(
  { gff, all, minScore }: AnnotateOptions & { gff: string },
  output: Writable,
  { client, set }: AnnotatedSet,
): Promise<void> {
  const { body } = await client.download('/embeddings/prediction-sets/:id/export', {
    params: { id: set },
    query: { format: 'jsonl', all, min_score: minScore } as ExportQuery,
  });
  const { text } = await decorate(gff, body as unknown as AsyncIterable<Uint8Array>, output);
  process.stderr.write(text);
}

type RunOptions = Omit<AnnotateOptions, 'format' | 'output' | 'gff' | 'url' | 'apiKey'>;

interface AnnotatedSet {
  client: Client;
  /** The prediction set has this id. */
  set: string;
}

/**
 * Submits, waits with a progress bar, and gives the answers: the known terms of each protein first, then its
 * best predicted ones.
 */
export async function runAnnotation(
  queries: QueryFile,
  service: ServiceAccess,
  options: RunOptions,
): Promise<AsyncIterable<AnswerLine>> {
  const { client, set } = await annotatedSet(queries, service, options);
  const tsv = await answerTable(client, set, { all: options.all ?? false });
  return limited(readAnnotations(tsv), options.minScore, options.top ?? Infinity);
}

async function annotatedSet(
  queries: QueryFile,
  service: ServiceAccess,
  options: RunOptions,
): Promise<AnnotatedSet> {
  const client = serviceClient(service);
  const bar = openProgress(options.quiet === true);
  bar.show('uploading', 0, 1);
  try {
    const started = await startAnnotation(client, await withSequences(queries, client, options), {
      ...options,
      saved: service.apiKey !== null,
    });
    if (options.quiet !== true) process.stderr.write(referencesText(started));
    const set = await sayingWhatGoesOn(runGoesOn, () => finishAnnotation(client, started, { bar }));
    if (options.quiet !== true) process.stderr.write(`${explainHint(set)}\n`);
    return { client, set };
  } finally {
    bar.stop();
  }
}

async function* limited(
  lines: AsyncIterable<AnswerLine>,
  minScore: number,
  top: number,
): AsyncIterable<AnswerLine> {
  let protein = '';
  let count = 0;
  for await (const line of lines) {
    if (line.protein !== protein) {
      protein = line.protein;
      count = 0;
    }
    if (line.kind !== 'predicted') yield line;
    else if ((line.score ?? 0) >= minScore && (top === Infinity || (isListed(line) && count++ < top)))
      yield line;
  }
}

async function writeLines(
  output: Writable,
  lines: AsyncIterable<AnswerLine>,
  options: AnnotateOptions,
): Promise<number> {
  let leftOut = 0;
  let protein = '';
  const counted = (line: AnswerLine): AnswerLine => {
    // Every line of a protein has the count.
    if (line.protein !== protein) {
      protein = line.protein;
      leftOut += line.left_out;
    }
    return line;
  };
  if ((options.format ?? 'tsv') === 'tsv') {
    await write(output, `${exportColumns.join('\t')}\n`);
    for await (const line of lines) await write(output, tableLine(counted(line)));
  } else {
    const all: AnswerLine[] = [];
    for await (const line of lines) all.push(counted(line));
    await write(
      output,
      `${options.format === 'json' ? JSON.stringify(all, null, 1) : formatTable(all, options.top ?? 5)}\n`,
    );
  }
  await endOutput(output);
  return leftOut;
}
