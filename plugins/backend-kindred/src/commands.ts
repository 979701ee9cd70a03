import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type PluginCommand, type PluginCommands, ProblemError } from '@kindred/contracts';
import {
  type NetworkRates,
  networkSentences,
  networkTableHead,
  networkTableRows,
  tabbed,
} from '@kindred/contracts/network-table';
import { FormatError, parseFasta } from '@kindred/kernels/formats';
import type { KindredSettings } from './settings.js';

/** A sequence has at most so many residues, as the service takes them by default: longer ones are no proteins. */
const maxResidues = 40_000;

const annotate: PluginCommand<KindredSettings> = {
  name: 'annotate',
  description: 'Write a table of the terms that the network alone gives proteins, without a reference',
  arguments: [{ name: 'file', description: 'FASTA, also packed with gzip' }],
  async run({ file }, { settings }, terminal) {
    const proteins = readProteins(String(file));
    const { openAnnotator } = await import('./annotator.js');
    const { annotate: answerTo, rates } = openAnnotator(settings.native_kernels);
    for (const sentence of networkSentences(rates as NetworkRates)) terminal.remark(`${sentence}\n`);
    terminal.write(tabbed(networkTableHead));
    proteins.forEach(({ accession, sequence }, i) => {
      terminal.write(networkTableRows(accession, answerTo(sequence)).map(tabbed).join(''));
      terminal.progress('Proteins', i + 1, proteins.length);
    });
  },
};

/** @throws ProblemError bad_file, bad_fasta */
function readProteins(file: string): ReturnType<typeof parseFasta> {
  try {
    const bytes = readFileSync(file);
    return parseFasta(bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes, { maxResidues });
  } catch (error) {
    const { message } = error as Error;
    throw error instanceof FormatError
      ? new ProblemError('bad_fasta', `${file}: ${message}`)
      : new ProblemError('bad_file', `${file} cannot be read: ${message}`);
  }
}

/** The commands of `kindred network`. They work without the service. */
export const commands: PluginCommands<KindredSettings> = {
  name: 'network',
  description: 'The sequence network alone: terms from a sequence, without a reference',
  commands: [annotate],
};
