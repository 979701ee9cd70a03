import type { RecordSource, SourcePlugin } from '@kindred/contracts';
import { downloadAnnotations } from './download.js';
import { currentRelease } from './release.js';
import { parameters } from './parameters.js';

export const plugin: SourcePlugin = {
  kind: 'source',
  name: 'quickgo',
  version: '1.0.0',
  description: 'GO annotations from the QuickGO download service (TSV)',
  citations: [],
  parameters,
  load: async () => source,
};

const source: RecordSource = {
  release: (given, context) => currentRelease(parameters.parse(given), context),
  annotations: (given, context) => downloadAnnotations(parameters.parse(given), context),
};
