import type { SourcePlugin } from '@kindred/contracts';
import { parameters } from './parameters.js';

export const plugin: SourcePlugin = {
  kind: 'source',
  name: 'goa',
  version: '1.0.0',
  description: 'GO annotations from the files of GOA and other groups (GAF, GPAD)',
  citations: [],
  parameters,
  load: async () => (await import('./source.js')).source,
};
