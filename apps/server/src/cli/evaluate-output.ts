import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  allTable,
  bestMetrics,
  bestTable,
  type EvaluationFrame,
  summaryMetrics,
  publishedBestMetrics,
  summarise,
  tableDecimals,
} from '@kindred/kernels/evaluation';
import type { EvaluatedMethod } from './evaluate-methods.js';
import type { EvaluateRequest } from './evaluate-request.js';
import { differenceTable, intervalTable } from './evaluate-uncertainty.js';

/** Writes the published tables, the summary and the frame, and returns the file names. */
export async function writeTables(
  request: EvaluateRequest,
  frame: EvaluationFrame,
  methods: readonly EvaluatedMethod[],
): Promise<string[]> {
  const { outDir } = request;
  await mkdir(outDir, { recursive: true });
  const weighted = request.ia !== undefined;
  const rounded = { decimals: tableDecimals(request.thresholdStep) };
  const written: string[] = [];
  const write = async (name: string, lines: Iterable<string>): Promise<void> => {
    await writeLines(join(outDir, name), lines);
    written.push(name);
  };
  await write('evaluation_all.tsv', allTable(methods, weighted, rounded));
  if (request.full) await write('evaluation_all.full.tsv', allTable(methods, weighted, 'shortest'));
  const metrics = request.compatibility === 'corrected' ? bestMetrics : publishedBestMetrics;
  for (const metric of metrics) {
    if (weighted || !metric.endsWith('_w')) {
      await write(`evaluation_best_${metric}.tsv`, bestTable(methods, metric, weighted, rounded));
    }
  }
  await write('evaluation_summary.tsv', summaryTable(methods));
  if (request.bootstrap > 0) {
    await write('evaluation_intervals.tsv', intervalTable(methods));
    await write('evaluation_differences.tsv', differenceTable(methods));
  }
  await writeFile(
    join(outDir, 'evaluation_frame.json'),
    `${JSON.stringify(frameOf(request, frame, methods), null, 2)}\n`,
  );
  return [...written, 'evaluation_frame.json'];
}

async function writeLines(path: string, lines: Iterable<string>): Promise<void> {
  function* blocks(): Generator<string> {
    let block = '';
    for (const line of lines) {
      block += `${line}\n`;
      if (block.length > 1 << 16) {
        yield block;
        block = '';
      }
    }
    yield block;
  }
  await pipeline(Readable.from(blocks()), createWriteStream(path));
}

function* summaryTable(methods: readonly EvaluatedMethod[]): Generator<string> {
  yield ['filename', 'ns', ...summaryMetrics].join('\t');
  for (const { method, namespaces } of methods) {
    for (const evaluation of namespaces) {
      const summary = summarise(evaluation);
      yield [method, evaluation.namespace, ...summaryMetrics.map((name) => summary[name] ?? '')].join('\t');
    }
  }
}

/** Lists all inputs of the figures, so that a table can be reproduced and compared. */
function frameOf(
  request: EvaluateRequest,
  frame: EvaluationFrame,
  methods: readonly EvaluatedMethod[],
): object {
  const { obo, predictions, groundTruth, ia, known, toi, maxTerms } = request;
  return {
    inputs: {
      obo,
      predictions,
      ground_truth: groundTruth,
      ia: ia ?? null,
      known: known ?? null,
      toi: toi ?? null,
    },
    options: {
      prop: request.propagation,
      norm: request.normalisation,
      th_step: request.thresholdStep,
      no_orphans: request.noOrphans,
      max_terms: maxTerms ?? null,
      compat: request.compatibility,
      bootstrap: request.bootstrap,
      seed: request.bootstrap > 0 ? request.seed : null,
    },
    ground_truth: frame.truth.counts,
    namespaces: frame.namespaces.map(({ namespace, rowCount, unweighted, weighted }) => ({
      name: namespace.name,
      terms: namespace.size,
      evaluated_terms: unweighted.weights.reduce((sum, weight) => sum + Number(weight > 0), 0),
      weighted_terms: weighted && weighted.weights.reduce((sum, weight) => sum + Number(weight > 0), 0),
      proteins_with_truth: rowCount,
      proteins: unweighted.divisor,
      proteins_weighted: weighted?.divisor ?? null,
    })),
    methods: methods.map(({ method, counts }) => ({ method, ...counts })),
  };
}
