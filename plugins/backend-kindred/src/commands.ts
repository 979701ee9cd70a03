import type { PluginCommand, PluginCommands } from '@kindred/contracts';
import type { NetworkRates } from '@kindred/contracts/network-table';
import type { KindredSettings } from './settings.js';

const annotate: PluginCommand<KindredSettings> = {
  name: 'annotate',
  description: 'Write a table of the terms that the network alone gives proteins, without a reference',
  arguments: [{ name: 'file', description: 'FASTA, also packed with gzip' }],
  async run({ file }, { settings }, terminal) {
    const { readProteins } = await import('./read-proteins.js');
    const proteins = readProteins(String(file));
    const { openAnnotator } = await import('./annotator.js');
    const { networkSentences, networkTableHead, networkTableRows, tabbed } = await import(
      '@kindred/contracts/network-table'
    );
    const { annotate: answerTo, rates } = openAnnotator(settings.native_kernels);
    for (const sentence of networkSentences(rates as NetworkRates)) terminal.remark(`${sentence}\n`);
    terminal.write(tabbed(networkTableHead));
    proteins.forEach(({ accession, sequence }, i) => {
      terminal.write(networkTableRows(accession, answerTo(sequence)).map(tabbed).join(''));
      terminal.progress('Proteins', i + 1, proteins.length);
    });
  },
};

/** The commands of `kindred network`. They work without the service. */
export const commands: PluginCommands<KindredSettings> = {
  name: 'network',
  description: 'The sequence network alone: terms from a sequence, without a reference',
  commands: [annotate],
};
