import type { RecordSource } from '@kindred/contracts';
import { searchMetadata } from './metadata.js';
import { searchProteins } from './search.js';
import { parameters } from './parameters.js';

export const source: RecordSource = {
  proteins: (given, context) => searchProteins(parameters.parse(given), context),
  metadata: (given, context) => searchMetadata(parameters.parse(given), context),
};
