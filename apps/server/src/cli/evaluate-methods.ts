import {
  AnnotationCollector,
  type AnnotationTable,
  type BootstrapSeries,
  bootstrapSeries,
  buildFrame,
  type EvaluationFrame,
  type EvaluationOntology,
  linkOntology,
  type MethodEvaluation,
  MethodEvaluator,
  type PredictionCounts,
  PublishedOboReader,
  TermListCollector,
  TermWeightCollector,
} from '@kindred/kernels/evaluation';
import { namelessTerm, ontologyColumns, readObo } from '@kindred/kernels/ontology';
import { faultIn, readFileInto, readFileWith } from './evaluate-files.js';
import type { EvaluateRequest, MethodFile } from './evaluate-request.js';
import { LeftOutLines } from './left-out-lines.js';

/** A request has a frame, and the contents of its files. */
export interface PreparedFrame {
  frame: EvaluationFrame;
  notes: string[];
}

/**
 * Reads ontology, truth, known terms, terms of interest and weights.
 * @throws ProblemError bad_file
 */
export async function prepareFrame(request: EvaluateRequest): Promise<PreparedFrame> {
  const notes: string[] = [];
  const ontology = await readOntology(request, notes);
  const annotations = async (path: string): Promise<AnnotationTable> => {
    const table = await readFileInto(path, new AnnotationCollector(ontology));
    const { unknownTerms, lines } = table.counts;
    if (unknownTerms > 0)
      notes.push(`${path}: ${unknownTerms} of ${lines} lines name a term that the ontology lacks; left out`);
    return table;
  };
  const { ia } = request;
  const weights = ia ? await readFileInto(ia, new TermWeightCollector(ontology)) : undefined;
  if (weights && !weights.ofId.some((value) => value > 0)) {
    notes.push(
      `${ia}: no term of the ontology has an information accretion above 0; the weighted figures are all 0`,
    );
  }
  const frame = buildFrame({
    ontology,
    weights,
    truth: await annotations(request.groundTruth),
    known: request.known ? await annotations(request.known) : undefined,
    termsOfInterest: request.toi
      ? await readFileInto(request.toi, new TermListCollector(ontology))
      : undefined,
    noOrphans: request.noOrphans,
    compatibility: request.compatibility,
  });
  for (const { namespace, rowCount, unweighted } of frame.namespaces) {
    if (rowCount === 0) notes.push(`${namespace.name}: no ground truth; not evaluated`);
    else if (unweighted.divisor === 0)
      notes.push(`${namespace.name}: no protein has ground truth among the evaluated terms`);
  }
  return { frame, notes };
}

async function readOntology(request: EvaluateRequest, notes: string[]): Promise<EvaluationOntology> {
  const unreadable = new LeftOutLines(request.obo);
  const columns =
    request.compatibility === 'corrected'
      ? await readFileWith(request.obo, async (bytes) => {
          const document = await readObo(bytes, { allowUnversioned: true });
          unreadable.add(document.rejected.filter(({ reason }) => reason !== namelessTerm));
          return ontologyColumns(document);
        })
      : await readFileInto(request.obo, new PublishedOboReader());
  if (unreadable.sentence !== null) notes.push(unreadable.sentence);
  try {
    return linkOntology(columns);
  } catch (cause) {
    throw faultIn(request.obo, cause);
  }
}

/** A method has its figures, and the counts of its used and skipped lines. */
export interface EvaluatedMethod extends MethodEvaluation {
  counts: PredictionCounts;
  /** How often the file was read. */
  readings: number;
  /** Each namespace has one series if a bootstrap was requested. */
  series: BootstrapSeries[];
}

/** @throws ProblemError bad_file */
export async function evaluateFile(
  frame: EvaluationFrame,
  request: EvaluateRequest,
  file: MethodFile,
): Promise<EvaluatedMethod> {
  const { bootstrap: resamples, seed, normalisation, maxTerms } = request;
  const evaluator = new MethodEvaluator(frame, request, { maxTerms, contributions: resamples > 0 });
  while (!(await readFileInto(file.path, evaluator)));
  const { namespaces, counts, readings } = evaluator.result();
  const series =
    resamples > 0
      ? namespaces.map((found) => bootstrapSeries(found, { resamples, seed, normalisation }))
      : [];
  return {
    method: file.method,
    namespaces: namespaces.map((found) => ({ ...found, contributions: null })),
    counts,
    readings,
    series,
  };
}

/** Warns about a method's lines; empty if all were used. */
export function notesOn({ method, namespaces, counts, readings }: EvaluatedMethod): string[] {
  const said: [number, string][] = [
    [counts.unknownTerms, 'name a term that the ontology lacks, or of a namespace without ground truth'],
    [counts.withoutTruth, 'are about a protein without ground truth in the namespace'],
    [counts.withoutScore, 'have a score of 0, below 0 or NaN, the same as no prediction'],
    [counts.shortLines, 'have fewer than three columns'],
    [counts.beyondLimit, 'are beyond the limit of terms per protein'],
  ];
  const notes = said
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${method}: ${count} of ${counts.lines} lines ${what}; left out`);
  if (counts.aboveOne > 0)
    notes.push(
      `${method}: ${counts.aboveOne} of ${counts.lines} lines have a score above 1, which counts as 1: divide the scores so that they are from 0 to 1`,
    );
  if (readings > 1)
    notes.push(
      `${method}: read ${readings} times, because lines of one protein are far apart; the figures are the same. Sort the file by protein to have it read once`,
    );
  if (counts.used === 0) notes.push(`${method}: no usable prediction; it has no rows`);
  else {
    for (const { namespace, unweighted } of namespaces) {
      if (!unweighted.cov.some((coverage) => coverage > 0))
        notes.push(`${method}: no prediction in ${namespace}; it has no rows there`);
    }
  }
  return notes;
}
