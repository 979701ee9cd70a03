import type { RunnerPlugin } from '@kindred/contracts';
import { z } from 'zod';

export const plugin: RunnerPlugin = {
  kind: 'runner',
  name: 'knn',
  version: '0.1.0',
  description:
    'Transfers the terms of the nearest neighbours; the score falls with the distance of the nearest source',
  citations: [],
  parameters: z.strictObject({}),
  load: async () => (await import('./runner.js')).runner,
};
