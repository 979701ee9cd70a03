import type { SourcePlugin } from '@kindred/contracts';
import { parameters } from './parameters.js';

export const plugin: SourcePlugin = {
  kind: 'source',
  name: 'quickgo',
  version: '1.0.0',
  description: 'GO annotations from the QuickGO download service (TSV)',
  citations: [],
  parameters,
  load: async () => (await import('./source.js')).source,
};
