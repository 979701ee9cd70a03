import type { RecordSource } from '@kindred/contracts';
import { readMatches } from './matches.js';
import { parameters } from './parameters.js';

export const source: RecordSource = {
  domainMatches: (given, context) => readMatches(parameters.parse(given), context),
};
