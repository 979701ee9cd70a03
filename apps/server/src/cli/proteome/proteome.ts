import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Client, Input, Reply } from '@kindred/client';
import { ProblemError } from '@kindred/contracts';
import { embeddingText } from '@kindred/contracts/embedding-text';
import { enrichedColumns } from '@kindred/contracts/resources/enrichment';
import { type exportLine, methodReference, methodText } from '@kindred/contracts/resources/exports';
import { hitsOfSet, hitsText } from '@kindred/contracts/search-hits';
import { notChecked } from '@kindred/contracts/resources/prediction-sets';
import { defaultRunner } from '@kindred/contracts/runner-fields';
import { testsOfReferences } from '@kindred/client/reference-tests';
import { referenceText } from '@kindred/contracts/reference-words';
import { lines, tableText } from '@kindred/kernels/formats';
import type { z } from 'zod';
import { sha256OfFile } from '../../ground/digest.js';
import { productVersion } from '../../ground/version.js';
import { type AccessionOptions, withSequences } from '../accession-queries.js';
import { type AnnotationChoice, explainHint, finishAnnotation, startAnnotation } from '../annotation-run.js';
import { serviceClient } from '../api-client.js';
import type { CalledGenes } from '../gene-finder.js';
import { decorate, maxAnswerLength } from '../feature-annotations.js';
import { endOutput, openOutput, write } from '../output.js';
import { openProgress } from '../progress.js';
import { type GenomeOptions, type QueryFile, readQueries } from '../query-file.js';
import { requireFile } from '../require-file.js';
import { type ServiceOptions, withService } from '../with-service.js';
import { compareOrSayWhy, type Comparison, isCompared, type NotCompared, slimFor } from './comparison.js';
import { type CrateFile, roCrate } from './crate.js';
import { htmlReport, type ReportAbout } from './report.js';
import { openRun, replaceFile, type RunState, saveRun } from './run-state.js';
import { ProteomeSummary } from './summary.js';

export interface ProteomeOptions {
  outDir?: string;
  gff?: string;
  slim?: string;
  resume?: boolean;
  json?: boolean;
}
interface RunOptions
  extends ProteomeOptions,
    AccessionOptions,
    AnnotationChoice,
    GenomeOptions,
    ServiceOptions {
  outDir: string;
  quiet?: boolean;
  all?: boolean;
}
type ExportQuery = Input<'GET', '/embeddings/prediction-sets/:id/export'>['query'];
type Answer = z.infer<typeof exportLine>;
type Slim = Awaited<ReturnType<typeof slimFor>>;
type PredictionSet = Reply<'GET', '/embeddings/prediction-sets/:id'>;

const interrupted = 130;
export const exitCodesHelp = `Exit codes: 0 done; 1 wrong option; 64 a file or a value is wrong; 69 no service answers; 70 the service failed;
75 over a limit, or in conflict with what is there: try later; 77 key missing or role too low; ${interrupted} interrupted (go on with --resume).`;

const files = {
  terms: ['terms.tsv', 'Known and predicted terms, one line each', 'text/tab-separated-values'],
  answers: ['answers.jsonl', 'The answer for each protein', 'application/jsonl'],
  gaf: ['terms.gaf', 'Known annotations and the terms predicted beyond them, as GAF 2.2', 'text/plain'],
  genes: ['genes.gff3', 'The called genes, as their program wrote them', 'text/x-gff3'],
  gff: ['annotated.gff3', 'GFF3 with the terms of each protein', 'text/x-gff3'],
  contradicted: ['contradicted.tsv', 'Terms that something contradicts', 'text/tab-separated-values'],
  leftOut: [
    'left_out.tsv',
    'Proteins and records of the input without a term, and why',
    'text/tab-separated-values',
  ],
  enriched: [
    'enriched.tsv',
    'Terms that the proteome has more or less often than the reference',
    'text/tab-separated-values',
  ],
  slim: ['slim.tsv', 'Proteins with each term of the GO slim', 'text/tab-separated-values'],
  report: ['report.html', 'Report for people', 'text/html'],
} as const;
const manifest = 'ro-crate-metadata.json';

/** Annotates all proteins of a file into a folder; a run that was killed continues. */
export async function annotateProteome(proteins: string, options: RunOptions): Promise<void> {
  if (options.genes === true && options.gff !== undefined)
    throw new ProblemError(
      'bad_file',
      `With --genes, --out-dir keeps the called genes as ${files.genes[0]}, and ${files.gff[0]} has their terms: leave --gff out.`,
    );
  const queries = await readQueries(proteins, options);
  const asked = await inputsOf(queries, options);
  await mkdir(options.outDir, { recursive: true }).catch((cause: Error) => {
    throw new ProblemError('bad_file', `${options.outDir} cannot be made: ${cause.message}`, { cause });
  });
  const state = await openRun(options.outDir, asked, options.resume === true);
  const { genes } = queries;
  const genesFile = join(options.outDir, files.genes[0]);
  if (genes !== undefined) await replaceFile(genesFile, (path) => writeFile(path, genes.gff3));
  const withGenes = genes === undefined ? options : { ...options, gff: genesFile };
  const onInterrupt = (): void => {
    process.stderr.write('\nInterrupted; the same command with --resume continues.\n');
    process.exit(interrupted);
  };
  process.once('SIGINT', onInterrupt);
  try {
    await withService(options, async (service) => {
      const client = serviceClient(service);
      const slim = await slimFor(client, options.slim);
      const id = await predictionSetOf(client, { queries, state, options, saved: service.apiKey !== null });
      await writeFiles(serviceClient(service, { waitWhenLimited: true }), id, {
        ...{ state, options: withGenes, slim },
        genes: genes ?? null,
      });
    });
  } finally {
    process.off('SIGINT', onInterrupt);
  }
}

async function inputsOf(
  { name, sha256, genes }: QueryFile,
  options: RunOptions,
): Promise<Pick<RunState, 'input' | 'gff' | 'choice'>> {
  const about = async (path: string) => {
    await requireFile(path);
    return { name: basename(path), sha256: await sha256OfFile(path) };
  };
  const { runner, runnerParameters, neighbours, reference, annotationSet, embedding, aspect, all, slim } =
    options;
  const { sequenceOnly } = options;
  const { evidence, sources, aspects, sourceTaxa, excludeTaxa, badRecords, organism, hits, hitsProgram } =
    options;
  const method = options.method ?? (runner === undefined ? 'combined' : defaultRunner);
  const chosenSources = { evidence, sources, aspects, sourceTaxa, excludeTaxa };
  return {
    input: { name, sha256 },
    gff: options.gff === undefined ? null : await about(options.gff),
    choice: {
      ...{ method, runner, neighbours, reference, annotationSet, embedding },
      runnerParameters: runnerParameters === undefined ? undefined : await sha256OfFile(runnerParameters),
      ...chosenSources,
      ...{ aspect, all: all ?? false, slim },
      ...(badRecords === 'leave_out' && { badRecords }),
      // Genes that another program calls are other queries.
      ...(genes !== undefined && { genes: genes.program, geneticCode: options.geneticCode }),
      ...(organism !== undefined && { organism }),
      ...(sequenceOnly === false && { sequenceOnly }),
      ...(hits !== undefined && { hits: Object.values(await about(hits)).join(', SHA-256 '), hitsProgram }),
    },
  };
}

interface Begun {
  queries: QueryFile;
  state: RunState;
  options: RunOptions;
  saved: boolean;
}

async function predictionSetOf(client: Client, { queries, state, options, saved }: Begun): Promise<string> {
  if (state.predictionSetId !== null) return state.predictionSetId;
  const bar = openProgress(options.quiet === true);
  try {
    if (state.started === null) {
      bar.show('uploading', 0, 1);
      const sent = await withSequences(queries, client, options);
      state.started = await startAnnotation(client, sent, { ...options, saved, key: state.key });
      state.leftOut = sent.leftOut;
    }
    await saveRun(options.outDir, state);
    const { started } = state;
    const onPredict = async (jobId: string): Promise<void> => {
      started.predict_job_id = jobId;
      await saveRun(options.outDir, state);
    };
    state.predictionSetId = await finishAnnotation(client, started, { bar, onPredict });
    await saveRun(options.outDir, state);
    return state.predictionSetId;
  } catch (error) {
    // A job that failed does not continue, so --resume starts another.
    if (error instanceof ProblemError && error.code === 'dependency_failed')
      await saveRun(options.outDir, { ...state, key: randomUUID(), started: null });
    throw error;
  } finally {
    bar.stop();
  }
}

/** Writes everything again: the prediction set decides the files, so a resumed run writes the same bytes. */
async function writeFiles(
  client: Client,
  id: string,
  {
    state,
    options,
    slim,
    genes,
  }: { state: RunState; options: RunOptions; slim: Slim; genes: CalledGenes | null },
): Promise<void> {
  const folder = options.outDir;
  const set = await client.get('/embeddings/prediction-sets/:id', { params: { id } });
  const all = options.all === true;
  const download = async (query: ExportQuery) =>
    (await client.download('/embeddings/prediction-sets/:id/export', { params: { id }, query }))
      .body as unknown as AsyncIterable<Uint8Array>;
  const save = async ([name]: readonly [string, string, string], query: ExportQuery) =>
    replaceFile(join(folder, name), async (path) => pipeline(await download(query), createWriteStream(path)));
  const summarised = async () =>
    summarise(folder, await download({ format: 'jsonl', all, contradicted: true } as ExportQuery));
  // The files are written side by side, so the database reads for one while the API writes the others.
  const writing = [
    summarised(),
    save(files.terms, { format: 'tsv', all } as ExportQuery),
    save(files.gaf, { format: 'gaf', all } as ExportQuery),
  ] as const;
  // All files are closed before the first error ends the command.
  await Promise.allSettled(writing);
  const [summary] = await Promise.all(writing);
  const unplaced = await writeFeatures(folder, options, () =>
    save(files.gff, { format: 'gff3', all } as ExportQuery),
  );
  for (const protein of unplaced)
    summary.leftOut.push({
      protein,
      reason: 'no_feature',
      sentence: 'The GFF3 file has no line of this protein.',
    });
  summary.leftOut.push(...(state.leftOut ?? []));
  await writeTable(folder, files.leftOut[0], ['protein', 'reason', 'sentence'], summary.leftOut);
  const compared = await compareOrSayWhy(client, set, { slim, isCalibrated: summary.isCalibrated });
  const tables = await writeComparison(folder, compared);
  const tests = await testsOfReferences(client, set, isAbsent);
  const about = { ...aboutRun(state, { set, tests }, summary), genes };
  const html = htmlReport(summary, compared, about);
  await replaceFile(join(folder, files.report[0]), (path) => writeFile(path, html));
  const names = await writeCrate(folder, { state, set, about, tables });
  report(options, { id, set, summary, compared, genes, names });
}

/** Writes the manifest, and gives the names of all files that the run has. */
async function writeCrate(
  folder: string,
  {
    state,
    set,
    about,
    tables,
  }: {
    state: RunState;
    set: PredictionSet;
    about: ReportAbout;
    tables: readonly (readonly string[])[];
  },
): Promise<string[]> {
  const isWritten = (file: readonly string[]) =>
    compares(file) ? tables.includes(file) : file !== files.genes || about.genes !== null;
  const outputs: CrateFile[] = Object.values(files)
    .filter(isWritten)
    .map(([name, description, mediaType]) => ({ name, description, mediaType }));
  const crate = await roCrate(folder, {
    name: about.title,
    created: set.created_at,
    inputs: [
      { ...state.input, description: about.genes === null ? 'Protein sequences' : 'Contigs' },
      ...(state.gff === null ? [] : [{ ...state.gff, description: 'Features of the genome' }]),
    ],
    parameters: about.facts,
    outputs,
  });
  await replaceFile(join(folder, manifest), (path) => writeFile(path, crate));
  return [...outputs.map(({ name }) => name), manifest];
}

const comparisons = [files.enriched, files.slim] as const;
const compares = (file: readonly string[]) => comparisons.some((one) => one === file);

/**
 * Lists the tables of the comparison that exist afterwards; an empty table would say that nothing differs.
 */
async function writeComparison(
  folder: string,
  compared: Comparison | NotCompared | null,
): Promise<readonly (readonly string[])[]> {
  if (compared !== null && !isCompared(compared)) {
    for (const [name] of comparisons) await rm(join(folder, name), { force: true });
    return [];
  }
  await writeTable(folder, files.enriched[0], enrichedColumns, compared?.enriched ?? []);
  await writeTable(folder, files.slim[0], enrichedColumns, compared?.slim?.terms ?? []);
  return comparisons;
}

/** Writes the features, and gives the proteins without a line in the genome's file, if one was given. */
async function writeFeatures(
  folder: string,
  { gff }: RunOptions,
  download: () => Promise<void>,
): Promise<string[]> {
  if (gff === undefined) {
    await download();
    return [];
  }
  const { unplaced, text } = await replaceFile(join(folder, files.gff[0]), (path) =>
    decorate(gff, createReadStream(join(folder, files.answers[0])), createWriteStream(path)),
  );
  process.stderr.write(text);
  return unplaced;
}

/** Writes the answers, and in a separate file the contradicted terms. */
async function summarise(folder: string, jsonl: AsyncIterable<Uint8Array>): Promise<ProteomeSummary> {
  const summary = new ProteomeSummary();
  const rows: Record<string, unknown>[] = [];
  await replaceFile(join(folder, files.answers[0]), async (path) => {
    const output = await openOutput(path);
    for await (const line of lines(jsonl, { maxLineLength: maxAnswerLength })) {
      const answer = JSON.parse(line) as Answer;
      summary.add(answer);
      const against = answer.terms.filter((term) => term.contradiction !== null);
      for (const term of against) rows.push({ protein: answer.accession, ...term });
      await write(output, `${JSON.stringify(withoutTerms(answer, against.length))}\n`);
    }
    await endOutput(output);
  });
  const columns = ['protein', 'go_id', 'name', 'aspect', 'score', 'probability', 'contradiction'];
  await writeTable(folder, files.contradicted[0], columns, rows);
  return summary;
}

/** Gives the answer in the form of an export without contradicted terms. */
function withoutTerms(answer: Answer, contradicted: number): Answer {
  if (contradicted === 0) return answer;
  const terms = answer.terms
    .filter((term) => term.contradiction === null)
    .map((term, at) => ({ ...term, place: at + 1 }));
  return { ...answer, terms, left_out: { ...answer.left_out, terms: answer.left_out.terms + contradicted } };
}

async function writeTable(
  folder: string,
  name: string,
  columns: readonly string[],
  rows: readonly object[],
): Promise<void> {
  await replaceFile(join(folder, name), (path) => writeFile(path, tableText(columns, rows)));
}

const isAbsent = (error: unknown): boolean => error instanceof ProblemError && error.code === 'not_found';

function aboutRun(
  state: RunState,
  { set, tests }: { set: PredictionSet; tests: readonly (readonly [string, string])[] },
  { reasons }: ProteomeSummary,
) {
  const embedding = embeddingText(set);
  const hits = hitsOfSet(set.parameters);
  const method = methodText(set);
  const chosen = Object.entries(state.choice).filter(([, value]) => value !== undefined && value !== false);
  return {
    title: `Gene Ontology annotation of ${state.input.name}`,
    created: set.created_at,
    method,
    reference: methodReference(set.method),
    version: productVersion,
    notChecked: notChecked(set),
    namesAreCompared: set.statistics.namesakes !== null,
    explainHint: explainHint(set.id),
    tests,
    facts: [
      ['Sequences', `${state.input.name}, SHA-256 ${state.input.sha256}`],
      ['Ontology', set.ontology_snapshot_version],
      ...[set.reference, ...set.more_references].flatMap((one) =>
        one === null ? [] : [['Reference', referenceText(one)] as const],
      ),
      ...tests.map(([name, text]) => [`Test of ${name}`, text] as const),
      ...(set.annotation_set_label === null ? [] : [['Annotations', set.annotation_set_label] as const]),
      ...(embedding === null ? [] : [['Embedding', embedding] as const]),
      ...(hits === null ? [] : [['Hits', hitsText(hits)] as const]),
      ['Method', `${method} (${methodReference(set.method).id})`],
      ['Prediction set', `${set.id}, made at ${set.created_at}`],
      ['Left out', [...reasons].map(([reason, count]) => `${count} ${reason}`).join(', ') || 'nothing'],
      ...chosen.map(([name, value]) => [`Option ${name}`, String(value)] as const),
    ] as const,
  };
}

function report(
  { outDir, json, quiet }: RunOptions,
  run: {
    id: string;
    set: PredictionSet;
    summary: ProteomeSummary;
    compared: Comparison | NotCompared | null;
    genes: CalledGenes | null;
    names: readonly string[];
  },
): void {
  const { id, set, summary, compared, genes, names } = run;
  const found = isCompared(compared) ? compared : null;
  const notCompared = compared === null || isCompared(compared) ? null : compared.notCompared;
  const withTerms = summary.proteins - (summary.byCertainty.get('no term') ?? 0);
  if (json === true) {
    const said = {
      prediction_set_id: id,
      folder: outDir,
      files: names,
      genes: genes === null ? null : { program: genes.program, called: genes.genes, cut: genes.cut },
      proteins: summary.proteins,
      known: summary.known,
      namesakes: set.statistics.namesakes === null ? null : summary.namesakes,
      with_terms: withTerms,
      terms: summary.terms,
      by_certainty: Object.fromEntries(summary.byCertainty),
      sequence_only: summary.sequenceOnly,
      left_out: summary.leftOut.length,
      left_out_reasons: Object.fromEntries(summary.reasons),
      // Other methods do not check for contradictions.
      contradicted: set.method === 'combined' ? summary.contradictedCount : null,
      not_checked: notChecked(set),
      enriched: found?.enriched.length ?? null,
      slim: found?.slim?.name ?? null,
      not_compared: notCompared,
    };
    process.stdout.write(`${JSON.stringify(said, null, 1)}\n`);
    return;
  }
  // --quiet hides progress, but not a loss.
  if (notCompared !== null) process.stderr.write(`Not compared with the reference: ${notCompared}\n`);
  if (quiet !== true)
    process.stderr.write(
      `${withTerms} of ${summary.proteins} proteins have terms; ${join(outDir, files.report[0])} shows them.\n`,
    );
}
