import type { SourcePlugin } from '@kindred/contracts';
import { parameters } from './parameters.js';

export const plugin: SourcePlugin = {
  kind: 'source',
  name: 'interpro',
  version: '1.0.0',
  description: 'Matches of InterPro entries in proteins (InterProScan, protein2ipr.dat, GAF)',
  citations: [],
  parameters,
  load: async () => (await import('./source.js')).source,
};
