import type { RecordSource, SourcePlugin } from '@kindred/contracts';
import { readMatches } from './matches.js';
import { parameters } from './parameters.js';

const source: RecordSource = {
  domainMatches: (given, context) => readMatches(parameters.parse(given), context),
};

export const plugin: SourcePlugin = {
  kind: 'source',
  name: 'interpro',
  version: '1.0.0',
  description: 'Matches of InterPro entries in proteins (InterProScan, protein2ipr.dat, GAF)',
  citations: [],
  parameters,
  load: async () => source,
};
