import type { BackendPlugin } from '@kindred/contracts';
import { z } from 'zod';
import { commands } from './commands.js';
import { settings } from './settings.js';

export const plugin: BackendPlugin<typeof settings> = {
  kind: 'backend',
  name: 'kindred',
  version: '0.1.0',
  description: 'Embeddings of the shipped sequence network, without downloads',
  citations: ['UniProt2023', 'Ashburner2000'],
  parameters: z.strictObject({}),
  settings,
  commands,
  load: async ({ settings: given }) => (await import('./backend.js')).createBackend(given.native_kernels),
};
