import type { Reply } from '@kindred/client';
import { type Aspect, ProblemError } from '@kindred/contracts';
import {
  drawnRows,
  matrixNotes,
  matrixPicture,
  matrixTable,
  mostDrawnRows,
} from '@kindred/contracts/proteome-matrix-words';
import { mostMatrixRows } from '@kindred/contracts/resources/proteome-matrix';
import { aspects } from '@kindred/contracts/vocabulary';
import { tableText } from '@kindred/kernels/formats';
import { Command, Option } from 'commander';
import { serviceClient } from './api-client.js';
import { fraction, wholeNumber } from './option-values.js';
import { endOutput, openOutput, write } from './output.js';
import { addServiceOptions, type ServiceOptions, withStoredData } from './with-service.js';

type Matrix = Reply<'POST', '/embeddings/prediction-sets/matrix'>;

const formats = ['tsv', 'json', 'svg'] as const;

interface MatrixOptions extends ServiceOptions {
  slim?: string;
  aspect?: Aspect;
  minProbability?: number;
  minProteins: number;
  limit?: number;
  format: (typeof formats)[number];
  output?: string;
}

export function matrixCommand(): Command {
  return addServiceOptions(new Command('matrix'))
    .argument('<runs...>', 'two prediction sets or more, a proteome each')
    .option('--slim <name>', 'count as the terms of this GO slim of the service, and those alone')
    .addOption(new Option('--aspect <aspect>', 'only terms of this aspect').choices(aspects))
    .option('--min-probability <share>', 'only predictions of at least this probability', fraction)
    .option(
      '--min-proteins <number>',
      'only terms of at least so many proteins of all together',
      wholeNumber,
      1,
    )
    .option(
      '--limit <number>',
      `at most so many terms, those that differ most surely (default: all, up to ${mostMatrixRows}; ${drawnRows} for svg)`,
      wholeNumber,
    )
    .addOption(
      new Option('--format <name>', 'tsv: a table; json: as the API gives it; svg: a clustered heat map')
        .choices(formats)
        .default('tsv'),
    )
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .action(matrix);
}

async function matrix(runs: string[], options: MatrixOptions): Promise<void> {
  const { format, slim, aspect = null, minProbability = null, minProteins } = options;
  const limit = options.limit ?? (format === 'svg' ? drawnRows : mostMatrixRows);
  if (format === 'svg' && limit > mostDrawnRows)
    throw new ProblemError(
      'bad_file',
      `A heat map has at most ${mostDrawnRows} rows: give --limit ${mostDrawnRows}, or --slim, or --format tsv.`,
    );
  await withStoredData(options, async (service) => {
    const output = await openOutput(options.output);
    const found = await serviceClient(service).post('/embeddings/prediction-sets/matrix', {
      body: {
        ...{ prediction_set_ids: runs as never, slim, aspect, limit },
        ...{ min_probability: minProbability, min_proteins: minProteins },
      },
    });
    await write(output, textOf[format](found));
    await endOutput(output);
    process.stderr.write(
      matrixNotes(found)
        .map((note) => `${note}\n`)
        .join(''),
    );
  });
}

const textOf: Record<MatrixOptions['format'], (found: Matrix) => string> = {
  tsv: (found) => {
    const { columns, rows } = matrixTable(found);
    return tableText(columns, rows);
  },
  json: (found) => `${JSON.stringify(found, null, 2)}\n`,
  svg: (found) => matrixPicture(found, mostDrawnRows),
};
