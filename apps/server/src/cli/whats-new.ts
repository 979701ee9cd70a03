import { mostNewAnnotations } from '@kindred/contracts/resources/whats-new';
import { whatsNewColumns, whatsNewNotes } from '@kindred/contracts/whats-new-words';
import { tableText } from '@kindred/kernels/formats';
import { Command, Option } from 'commander';
import { serviceClient } from './api-client.js';
import { endOutput, openOutput, write } from './output.js';
import { wholeNumber } from './option-values.js';
import { addServiceOptions, type ServiceOptions, withStoredData } from './with-service.js';

const formats = ['tsv', 'json'] as const;

interface WhatsNewOptions extends ServiceOptions {
  since?: string;
  electronic: boolean;
  limit: number;
  format: (typeof formats)[number];
  output?: string;
}

export function whatsNewCommand(): Command {
  return addServiceOptions(new Command('whats-new'))
    .argument('<run>', 'prediction set')
    .option('--since <day>', 'YYYY-MM-DD (default: a year before the newest annotation of these proteins)')
    .option('--no-electronic', 'without annotations by a program')
    .option('--limit <number>', 'at most so many annotations, the newest', wholeNumber, mostNewAnnotations)
    .addOption(
      new Option('--format <name>', 'tsv: a table; json: as the API gives it')
        .choices(formats)
        .default('tsv'),
    )
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .action(whatsNew);
}

async function whatsNew(run: string, options: WhatsNewOptions): Promise<void> {
  const { since, electronic, limit, format } = options;
  await withStoredData(options, async (service) => {
    const output = await openOutput(options.output);
    const found = await serviceClient(service).get('/embeddings/prediction-sets/:id/whats-new', {
      params: { id: run },
      query: { since, electronic: electronic ? undefined : 'false', limit },
    });
    const isTable = format === 'tsv';
    await write(
      output,
      isTable ? tableText(whatsNewColumns, found.rows) : `${JSON.stringify(found, null, 2)}\n`,
    );
    await endOutput(output);
    process.stderr.write(
      whatsNewNotes(found)
        .map((note) => `${note}\n`)
        .join(''),
    );
  });
}
