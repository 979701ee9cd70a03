import { createWriteStream } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { ProblemError } from '@kindred/contracts';
import cliProgress from 'cli-progress';
import { Command, Option } from 'commander';
import { type AnnotationLine, annotationColumns, formatTable, readAnnotations } from './annotation-table.js';
import { ApiClient, type JobView, type ServiceAccess } from './api-client.js';
import { withService } from './with-service.js';

export interface AnnotateOptions {
  url?: string;
  apiKey?: string;
  format: 'tsv' | 'json' | 'table';
  output?: string;
  neighbours?: string;
  minScore: string;
  top?: string;
  quiet?: boolean;
}

export function annotateCommand(): Command {
  return new Command('annotate')
    .description('Annotate the proteins of a FASTA file with GO terms')
    .argument('<fasta>', 'FASTA file, plain or gzip')
    .option('--url <address>', 'service to use (default: the one on this machine, started if need be)')
    .option('--api-key <key>', 'credential of that service (or SVC_API_KEY)')
    .addOption(
      new Option('--format <name>', 'what to write').choices(['tsv', 'json', 'table']).default('tsv'),
    )
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .option('--neighbours <k>', 'nearest proteins per aspect to transfer from')
    .option('--min-score <score>', 'leave out terms below this score, 0 to 1', '0')
    .option('--top <n>', 'at most so many terms per protein')
    .option('-q, --quiet', 'no progress bar')
    .action((fasta: string, options: AnnotateOptions) => annotate(fasta, options));
}

export async function annotate(fasta: string, options: AnnotateOptions): Promise<void> {
  await access(fasta).catch(() => {
    throw new ProblemError('bad_file', `There is no file ${fasta}, or it may not be read.`);
  });
  await withService(options, async (service) => {
    const lines = await runAnnotation(fasta, service, options);
    const output = options.output === undefined ? process.stdout : createWriteStream(options.output);
    await writeLines(output, lines, options);
  });
}

/** Submits, waits with a progress bar, and gives the terms: best first within each protein. */
export async function runAnnotation(
  fasta: string,
  service: ServiceAccess,
  options: Pick<AnnotateOptions, 'neighbours' | 'minScore' | 'top' | 'quiet'>,
): Promise<AsyncIterable<AnnotationLine>> {
  const client = new ApiClient(service);
  const bar = progressBar(options.quiet === true);
  try {
    const saved = service.apiKey === null ? 'false' : 'true';
    const automatic = options.neighbours === undefined;
    const started = await client.upload<AnnotateReply>(
      `/v1/annotate?save_history=${saved}&auto_predict=${automatic}`,
      fasta,
      {
        name: `kindred annotate ${fasta.split('/').at(-1)}`,
      },
    );
    await client.finish(started.embedding_job_id, bar.show('embedding'));
    const predictJob = automatic
      ? (started.predict_job_id as string)
      : (
          await client.post<{ id: string }>('/v1/embeddings/predict', {
            ...started.predict_payload,
            limit_per_entry: Number(options.neighbours),
          })
        ).id;
    const predicted = await client.finish(predictJob, bar.show('searching'));
    const tsv = await client.text(
      `/v1/embeddings/prediction-sets/${predicted.result?.prediction_set_id}/predictions.tsv`,
    );
    return limited(
      readAnnotations(tsv as unknown as AsyncIterable<Uint8Array>),
      Number(options.minScore),
      Number(options.top ?? Infinity),
    );
  } finally {
    bar.stop();
  }
}

interface AnnotateReply {
  embedding_job_id: string;
  predict_job_id: string | null;
  predict_payload: Record<string, unknown>;
}

async function* limited(
  lines: AsyncIterable<AnnotationLine>,
  minScore: number,
  top: number,
): AsyncIterable<AnnotationLine> {
  let protein = '';
  let count = 0;
  for await (const line of lines) {
    if (line.protein !== protein) {
      protein = line.protein;
      count = 0;
    }
    if (line.score >= minScore && count++ < top) yield line;
  }
}

function progressBar(quiet: boolean): { show(step: string): (job: JobView) => void; stop(): void } {
  if (quiet) return { show: () => () => {}, stop: () => {} };
  const bar = new cliProgress.SingleBar(
    {
      format: '{step} [{bar}] {percentage}% {note}',
      stream: process.stderr,
      noTTYOutput: !process.stderr.isTTY,
      notTTYSchedule: 2000,
      clearOnComplete: true,
    },
    cliProgress.Presets.shades_classic,
  );
  bar.start(1, 0, { step: 'uploading', note: '' });
  return {
    show: (step) => (job) => {
      bar.setTotal(Math.max(1, job.progress_total ?? 1));
      const note = job.queue_position ? `waiting, ${job.queue_position} before it` : '';
      bar.update(job.status === 'SUCCEEDED' ? Math.max(1, job.progress_total ?? 1) : job.progress_current, {
        step: step.padEnd(9),
        note,
      });
    },
    stop: () => bar.stop(),
  };
}

async function writeLines(
  output: Writable,
  lines: AsyncIterable<AnnotationLine>,
  options: AnnotateOptions,
): Promise<void> {
  if (options.format === 'tsv') {
    await write(output, `${annotationColumns.join('\t')}\n`);
    for await (const line of lines)
      await write(output, `${annotationColumns.map((column) => line[column]).join('\t')}\n`);
  } else {
    const all: AnnotationLine[] = [];
    for await (const line of lines) all.push(line);
    await write(
      output,
      `${options.format === 'json' ? JSON.stringify(all, null, 1) : formatTable(all, Number(options.top ?? 5))}\n`,
    );
  }
  if (output !== process.stdout) await new Promise<void>((resolve) => output.end(() => resolve()));
}

async function write(output: Writable, text: string): Promise<void> {
  if (!output.write(text)) await new Promise((resolve) => output.once('drain', resolve));
}
