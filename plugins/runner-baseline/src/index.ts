import type { RunnerPlugin } from '@kindred/contracts';
import { parameters } from './parameters.js';

export const plugin: RunnerPlugin = {
  kind: 'runner',
  name: 'baseline',
  version: '0.2.0',
  description:
    'Naive predictor: the same terms for every query, each scored by its frequency among the references',
  citations: ['Clark2011Analysis'],
  parameters,
  load: async () => (await import('./runner.js')).runner,
};
