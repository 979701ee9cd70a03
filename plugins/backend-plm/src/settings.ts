import { join, resolve } from 'node:path';
import { type PluginContext, type PluginSettingMeta, z } from '@kindred/contracts';

export const settings = z.strictObject({
  models_dir: z
    .string()
    .trim()
    .min(1)
    .transform((path) => resolve(path))
    .nullable()
    .default(null)
    .meta({
      description: 'Folder of protein language models; all workers of a machine read the same files',
      example: '/srv/models',
      whenUnset: '<SVC_DATA_DIR>/models',
      aliases: { env: 'SVC_MODELS_DIR', yaml: 'models.dir' },
    } satisfies PluginSettingMeta),
  hub_url: z
    .string()
    .trim()
    .min(1)
    .default('https://huggingface.co')
    .meta({
      description: 'Where kindred models pull downloads from: Hugging Face or a mirror with the same paths',
      example: 'https://hub.lab.example',
      aliases: { env: 'SVC_MODEL_HUB_URL', yaml: 'models.hub_url' },
    } satisfies PluginSettingMeta),
  device: z
    .enum(['cpu', 'cuda'], 'must be cpu or cuda')
    .default('cpu')
    .meta({
      description: 'Where language models run; cuda needs the CUDA libraries of ONNX Runtime on every worker',
      example: 'cuda',
      aliases: { env: 'SVC_MODEL_DEVICE', yaml: 'models.device' },
    } satisfies PluginSettingMeta),
  weights: z
    .enum(['shared', 'private'], 'must be shared or private')
    .default('shared')
    .meta({
      description:
        'shared: on a CPU, all threads and workers of a machine use one copy of the weights, which for a model below 1 GB takes twice its size more on disk; private: each thread has its own copy in memory, but for larger models in float32 files, which are always mapped',
      example: 'private',
      aliases: { env: 'SVC_MODEL_WEIGHTS', yaml: 'models.weights' },
    } satisfies PluginSettingMeta),
});
export type PlmSettings = z.output<typeof settings>;

/** The folder of the models, and the device that they run on. */
export interface ModelPlace {
  modelsDir: string;
  modelDevice: PlmSettings['device'];
  sharedWeights: boolean;
}

export function modelPlace({ dataDir, settings: given }: PluginContext<PlmSettings>): ModelPlace {
  return {
    modelsDir: given.models_dir ?? join(dataDir, 'models'),
    modelDevice: given.device,
    sharedWeights: given.weights === 'shared',
  };
}
