import type { RunnerPlugin } from '@kindred/contracts';
import { parameters } from './parameters.js';

export const plugin: RunnerPlugin = {
  kind: 'runner',
  name: 'lightgbm',
  version: '0.1.0',
  description:
    'Scores the terms of the nearest neighbours by a LightGBM model over distances, votes and frequencies',
  citations: ['Ke2017LightGBM'],
  parameters,
  load: async () => (await import('./runner.js')).runner,
};
