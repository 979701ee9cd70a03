import type { RecordSource, SourcePlugin } from '@kindred/contracts';
import { searchMetadata } from './metadata.js';
import { searchProteins } from './search.js';
import { parameters } from './parameters.js';

export const plugin: SourcePlugin = {
  kind: 'source',
  name: 'uniprot',
  version: '1.0.0',
  description: 'Proteins and their metadata, by query from the UniProt REST API, page by page',
  citations: [],
  parameters,
  load: async () => source,
};

const source: RecordSource = {
  proteins: (given, context) => searchProteins(parameters.parse(given), context),
  metadata: (given, context) => searchMetadata(parameters.parse(given), context),
};
