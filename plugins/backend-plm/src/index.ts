import type { BackendPlugin } from '@kindred/contracts';
import { z } from 'zod';
import { commands } from './commands.js';
import { modelPlace, settings } from './settings.js';

export const plugin: BackendPlugin<typeof settings> = {
  kind: 'backend',
  name: 'plm',
  version: '0.1.0',
  description:
    'Protein language models (ESM-1b, ESM-2, ESM C, E1, ProtT5, ProstT5, Ankh, Ankh3, ProtBERT) from their published weights',
  citations: [
    'Rives2021',
    'Lin2023',
    'ESMC2024',
    'Jain2025',
    'Elnaggar2022',
    'Heinzinger2024',
    'Elnaggar2023',
    'Alsamkary2025',
  ],
  parameters: z.strictObject({}),
  settings,
  // The limit is long, because a processor takes hours for the longest protein and the largest model.
  limitSeconds: 6 * 3600,
  commands,
  examine: async (context) =>
    (await import('./models/examine.js')).examineModels(modelPlace(context).modelsDir),
  load: async (context) => (await import('./backend.js')).createBackend(modelPlace(context)),
};
