import { ProblemError } from '@kindred/contracts/problems';
import {
  type Compatibility,
  compatibilities,
  EvaluationInputError,
  type Normalisation,
  normalisations,
  type Propagation,
  propagations,
} from '@kindred/kernels/evaluation';
import { SingleBar } from 'cli-progress';
import { Command, InvalidArgumentError, Option } from 'commander';
import { evaluateFile, type EvaluatedMethod, notesOn, prepareFrame } from './evaluate-methods.js';
import { writeTables } from './evaluate-output.js';
import { type EvaluateRequest, findMethods, type MethodFile } from './evaluate-request.js';
import { evaluateOnThreads, threadsFor } from './evaluate-threads.js';

interface Flags {
  obo: string;
  predictions: string;
  groundTruth: string;
  ia?: string;
  known?: string;
  toi?: string;
  prop: Propagation;
  norm: Normalisation;
  thStep: number;
  orphans: boolean;
  maxTerms?: number;
  threads: number;
  compat?: Compatibility;
  outDir: string;
  full: boolean;
  bootstrap: number;
  seed: number;
}

/**
 * The command `kindred evaluate` runs the community's evaluation on the community's files, without the
 * service.
 */
export function evaluateCommand(): Command {
  const command = new Command('evaluate')
    .requiredOption('--obo <file>', 'ontology, OBO format')
    .requiredOption('--predictions <folder>', 'one file per method, recursively: protein, term, score')
    .requiredOption('--ground-truth <file>', 'protein, term')
    .option('--ia <file>', 'information accretion (term, value): adds the weighted columns')
    .option('--known <file>', 'terms known before (protein, term): ignored in the scores')
    .option('--toi <file>', 'terms of interest, one id per line: only these are evaluated')
    .addOption(
      new Option('--prop <how>', 'scores of ancestors: the largest below, or only where none was predicted')
        .choices(propagations)
        .default('max'),
    )
    .addOption(
      new Option('--norm <how>', 'proteins that sums are divided by').choices(normalisations).default('cafa'),
    )
    .option('--th-step <number>', 'step between thresholds, between 0 and 1', thresholdStep, 0.01)
    .option('--no-orphans', 'leave terms without a parent (roots) out of the unweighted figures')
    .option('--max-terms <number>', 'terms per protein and namespace, the first in the file', wholeNumber)
    .option('--threads <number>', 'methods scored at the same time; 0: one per CPU', wholeNumber, 1)
    .addOption(
      new Option(
        '--compat <program>',
        'reproduce a published evaluator, defects and protein population included',
      ).choices(compatibilities.filter((name) => name !== 'corrected')),
    )
    .option('--out-dir <folder>', 'where the tables go', 'results')
    .option('--full', 'write evaluation_all.full.tsv too, with unrounded numbers', false)
    .option(
      '--bootstrap <number>',
      'resamples of the proteins for intervals and paired differences, for instance 1000',
      wholeNumber,
      0,
    )
    .option('--seed <number>', 'seed of the bootstrap', wholeNumber, 1);
  return command.action(async (flags: Flags) => {
    try {
      await evaluate(requestOf(flags));
    } catch (fault) {
      if (fault instanceof EvaluationInputError)
        throw new ProblemError('validation_failed', fault.message, { cause: fault });
      throw fault;
    }
  });
}

function requestOf(flags: Flags): EvaluateRequest {
  const { obo, predictions, groundTruth, ia, known, toi, maxTerms, threads, outDir, full, bootstrap, seed } =
    flags;
  return {
    obo,
    predictions,
    groundTruth,
    ia,
    known,
    toi,
    maxTerms,
    threads,
    outDir,
    full,
    noOrphans: !flags.orphans,
    propagation: flags.prop,
    normalisation: flags.norm,
    thresholdStep: flags.thStep,
    compatibility: flags.compat ?? 'corrected',
    bootstrap,
    seed,
  };
}

async function evaluate(request: EvaluateRequest): Promise<void> {
  const files = findMethods(request.predictions);
  const { frame, notes } = await prepareFrame(request);
  const methods = await evaluateAll(request, files, (file) => evaluateFile(frame, request, file));
  for (const note of [...notes, ...methods.flatMap(notesOn)]) process.stderr.write(`note: ${note}\n`);
  const written = await writeTables(request, frame, methods);
  if (
    methods.every(({ namespaces }) =>
      namespaces.every(({ unweighted }) => !unweighted.cov.some((c) => c > 0)),
    )
  ) {
    throw new ProblemError(
      'bad_file',
      `no method has a usable prediction for a protein of ${request.groundTruth}; the tables in ${request.outDir} are empty`,
    );
  }
  process.stdout.write(`${methods.length} methods, ${written.length} files in ${request.outDir}\n`);
}

async function evaluateAll(
  request: EvaluateRequest,
  files: readonly MethodFile[],
  evaluateOne: (file: MethodFile) => Promise<EvaluatedMethod>,
): Promise<EvaluatedMethod[]> {
  const bar = new SingleBar({
    format: 'methods {bar} {value}/{total}',
    stream: process.stderr,
    clearOnComplete: true,
  });
  if (files.length > 1 && process.stderr.isTTY) bar.start(files.length, 0);
  try {
    if (threadsFor(request.threads, files.length) > 1) {
      return await evaluateOnThreads(request, files, () => bar.increment());
    }
    const methods: EvaluatedMethod[] = [];
    for (const file of files) {
      methods.push(await evaluateOne(file));
      bar.increment();
    }
    return methods;
  } finally {
    bar.stop();
  }
}

function thresholdStep(text: string): number {
  const step = Number(text);
  if (!(step > 0 && step < 1)) throw new InvalidArgumentError('expected a number between 0 and 1.');
  return step;
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('expected a whole number from 0.');
  return Number(text);
}
