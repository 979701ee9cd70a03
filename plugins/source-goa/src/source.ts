import type { RecordSource } from '@kindred/contracts';
import { readGafOrGpad } from './annotations.js';
import { parameters } from './parameters.js';

export const source: RecordSource = {
  annotations: (given, context) => readGafOrGpad(parameters.parse(given), context),
};
