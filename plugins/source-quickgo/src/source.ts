import type { RecordSource } from '@kindred/contracts';
import { downloadAnnotations } from './download.js';
import { currentRelease } from './release.js';
import { parameters } from './parameters.js';

export const source: RecordSource = {
  release: (given, context) => currentRelease(parameters.parse(given), context),
  annotations: (given, context) => downloadAnnotations(parameters.parse(given), context),
};
