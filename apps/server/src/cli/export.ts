import type { Input } from '@kindred/client';
import { aspects, ProblemError } from '@kindred/contracts';
import {
  type ExportFormatName,
  exportFormatNames,
  exportFormats,
} from '@kindred/contracts/resources/exports';
import { slimMappings, type SlimMappingName } from '@kindred/contracts/resources/slims';
import { Command, Option } from 'commander';
import { serviceClient } from './api-client.js';
import { checkFeatureFile, decorate } from './feature-annotations.js';
import { bits, fraction, wholeNumber } from './option-values.js';
import { endOutput, openOutput, write } from './output.js';
import { addServiceOptions, type ServiceOptions, withStoredData } from './with-service.js';

type ExportQuery = Input<'GET', '/embeddings/prediction-sets/:id/export'>['query'];

interface ExportOptions extends ServiceOptions {
  format: ExportFormatName;
  output?: string;
  gff?: string;
  minProbability?: number;
  minScore?: number;
  minIc?: number;
  aspect?: (typeof aspects)[number];
  evidence?: string;
  all?: boolean;
  contradicted?: boolean;
  specific?: boolean;
  slim?: string;
  slimTerms?: SlimMappingName;
  database: string;
  taxon?: number;
}

const formatWidth = Math.max(...exportFormatNames.map((name) => name.length));
const formatHelp = Object.entries(exportFormats)
  .map(([name, { description }]) => `  ${name.padEnd(formatWidth)} ${description}`)
  .join('\n');

export function exportCommand(): Command {
  return addServiceOptions(new Command('export'))
    .argument('<prediction-set>', 'id of the set: of its page, or the prediction_set_id of its job')
    .addOption(
      new Option('--format <name>', 'what to write').choices(exportFormatNames).makeOptionMandatory(),
    )
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .option(
      '--gff <file>',
      "with gff3: write this file of the genome, plain or gzip, with terms, name and notes in the proteins' lines",
    )
    .option('--min-probability <share>', 'only terms of at least this probability', fraction)
    .option('--min-score <score>', 'only terms of at least this score, 0 to 1', fraction)
    .option(
      '--min-ic <bits>',
      'only terms of at least this information content in the reference, such as 3',
      bits,
    )
    .addOption(new Option('--aspect <letter>', 'only terms of this aspect').choices(aspects))
    .option('--evidence <codes>', 'only terms whose source has one of these evidence codes, such as IDA,IMP')
    .option('--all', 'also the less certain terms below the end of the answer')
    .option('--specific', 'without terms that another term of the protein implies')
    .option('--contradicted', 'also terms that a taxon constraint or a NOT annotation contradicts')
    .option('--slim <name>', 'give terms of this GO slim (of load_go_slim) instead of the predicted ones')
    .addOption(
      new Option(
        '--slim-terms <kind>',
        'with --slim: the most specific terms of the slim, or all (default: direct)',
      ).choices(slimMappings),
    )
    .option('--database <name>', 'database of accessions that are not of UniProtKB', 'local')
    .option('--taxon <id>', 'NCBI taxon of proteins without one', wholeNumber)
    .addHelpText('after', `\nFormats:\n${formatHelp}`)
    .action((id: string, options: ExportOptions) => exportSet(id, options));
}

async function exportSet(id: string, options: ExportOptions): Promise<void> {
  const { gff, format } = options;
  if (gff !== undefined && format !== 'gff3')
    throw new ProblemError('bad_file', '--gff goes with --format gff3: leave it out, or ask for gff3.');
  if (gff !== undefined) await checkFeatureFile(gff, options.output);
  await withStoredData(options, async (service) => {
    const output = await openOutput(options.output);
    const download = await serviceClient(service).download('/embeddings/prediction-sets/:id/export', {
      params: { id },
      query: queryOf(options, gff === undefined ? format : 'jsonl'),
    });
    const body = download.body as unknown as AsyncIterable<Uint8Array>;
    if (gff === undefined) {
      for await (const chunk of body) await write(output, chunk);
      return endOutput(output);
    }
    const { text } = await decorate(gff, body, output);
    process.stderr.write(text);
  });
}

function queryOf(options: ExportOptions, format: ExportFormatName): ExportQuery {
  return {
    format,
    min_probability: options.minProbability,
    min_score: options.minScore,
    min_ic: options.minIc,
    aspect: options.aspect,
    evidence: options.evidence,
    all: options.all,
    contradicted: options.contradicted,
    specific: options.specific,
    slim: options.slim,
    slim_terms: options.slimTerms,
    database: options.database,
    taxon: options.taxon,
  } as ExportQuery;
}
