import type { SourcePlugin } from '@kindred/contracts';
import { parameters } from './parameters.js';

export const plugin: SourcePlugin = {
  kind: 'source',
  name: 'uniprot',
  version: '1.0.0',
  description: 'Proteins and their metadata, by query from the UniProt REST API, page by page',
  citations: [],
  parameters,
  load: async () => (await import('./source.js')).source,
};
