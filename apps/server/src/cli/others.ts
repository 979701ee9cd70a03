import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Client } from '@kindred/client';
import { ProblemError } from '@kindred/contracts';
import {
  addToTally,
  comparisonColumns,
  comparisonLines,
  comparisonNotes,
  emptyTally,
  statedTermsNotes,
} from '@kindred/contracts/stated-terms-words';
import { tableText } from '@kindred/kernels/formats';
import { Command } from 'commander';
import { fileForm, serviceClient } from './api-client.js';
import { endOutput, openOutput, write } from './output.js';
import { requireFile } from './require-file.js';
import { addServiceOptions, type ServiceOptions, withStoredData } from './with-service.js';

interface OthersOptions extends ServiceOptions {
  program?: string;
  remove?: string;
  all?: boolean;
  output?: string;
}

export function othersCommand(): Command {
  return addServiceOptions(new Command('others'))
    .argument('<run>', 'prediction set')
    .argument(
      '[file]',
      '.emapper.annotations of eggNOG-mapper, TSV, GFF3 or JSON of InterProScan with GO terms, or predictions in the form of CAFA; plain or gzip. It is kept with the run, where the page shows it (default: the files that the run has)',
    )
    .option('--program <name>', 'name of the program of the file (default: that of the format)')
    .option('--remove <program>', 'remove the file of a program from the run')
    .option('--all', 'compare also with the less certain terms below the end of the answers')
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .action(others);
}

async function others(run: string, path: string | undefined, options: OthersOptions): Promise<void> {
  const { remove, program } = options;
  if (remove !== undefined && path !== undefined)
    throw new ProblemError('bad_file', 'Give a file to add, or --remove, and not both.');
  if (program !== undefined && path === undefined)
    throw new ProblemError(
      'bad_file',
      '--program names the program of a file: give the file, or leave it out.',
    );
  if (path !== undefined) await requireFile(path);
  await withStoredData(options, async (service) => {
    const client = serviceClient(service);
    const querySet = await queriesOf(client, run);
    if (remove !== undefined) {
      await client.delete('/query-sets/:id/stated-terms/:program', {
        params: { id: querySet, program: remove },
      });
      process.stderr.write(`The terms of ${remove} are no longer beside those of the run.\n`);
      return;
    }
    if (path !== undefined) {
      const form = fileForm(
        { name: basename(path), bytes: await readFile(path) },
        program === undefined ? {} : { program },
      );
      const about = await client.post('/query-sets/:id/stated-terms', { params: { id: querySet }, form });
      print(statedTermsNotes(about));
    }
    await compare(client, run, options);
  });
}

/** Gives the query set of a run, which has the files of other programs. */
async function queriesOf(client: Client, run: string): Promise<string> {
  const { query_set_id: id } = await client.get('/embeddings/prediction-sets/:id', { params: { id: run } });
  if (id !== null) return id;
  throw new ProblemError(
    'conflict',
    'The run was not made from an upload, so it has no proteins that another program could name.',
  );
}

/** Writes the table of all programs of the run, page by page. */
async function compare(client: Client, run: string, { all, output: path }: OthersOptions): Promise<void> {
  const output = await openOutput(path);
  const tally = emptyTally();
  for (let after: string | undefined; ; ) {
    const page = await client.get('/embeddings/prediction-sets/:id/stated-terms', {
      params: { id: run },
      query: { after, all: all ? 'true' : undefined },
    });
    if (page.programs.length === 0)
      throw new ProblemError('bad_file', 'The run has no file of another program: give one.');
    const table = tableText(comparisonColumns, page.proteins.flatMap(comparisonLines));
    await write(output, after === undefined ? table : table.slice(table.indexOf('\n') + 1));
    addToTally(tally, page);
    if (page.next === null) break;
    after = page.next;
  }
  await endOutput(output);
  print(comparisonNotes(tally));
}

function print(notes: readonly string[]): void {
  process.stderr.write(notes.map((note) => `${note}\n`).join(''));
}
