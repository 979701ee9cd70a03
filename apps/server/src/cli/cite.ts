import { bibTex, methodsSentence } from '@kindred/contracts/citation';
import { Command } from 'commander';
import { productVersion } from '../ground/version.js';
import { serviceClient } from './api-client.js';
import { addServiceOptions, type ServiceOptions, withStoredData } from './with-service.js';

export function citeCommand(): Command {
  return addServiceOptions(new Command('cite'))
    .argument('<run>', 'prediction set')
    .option('--bibtex', 'only the entries of BibTeX, for a file')
    .action(cite);
}

async function cite(run: string, options: ServiceOptions & { bibtex?: boolean }): Promise<void> {
  await withStoredData(options, async (service) => {
    const set = await serviceClient(service).get('/embeddings/prediction-sets/:id', { params: { id: run } });
    const entries = bibTex(productVersion, set.created_at.slice(0, 4));
    const text = options.bibtex === true ? entries : `${methodsSentence(set, productVersion)}\n\n${entries}`;
    process.stdout.write(text);
  });
}
