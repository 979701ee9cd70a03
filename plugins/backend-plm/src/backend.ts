import { join } from 'node:path';
import {
  type BackendModel,
  type EmbeddingBackend,
  type EmbeddingRecipe,
  type EmbeddingSession,
  ProblemError,
} from '@kindred/contracts';
import { installedModels, nameFaults, requireInstalled } from './models/installed.js';
import { splitModelName, variantName } from './models/model-name.js';
import { ensureChecked } from './models/self-check.js';
import type { ModelPlace } from './settings.js';
import { inspectModel, type ModelFolder, openModel, readModelFolder } from './models/folder.js';

export function createBackend(place: ModelPlace): EmbeddingBackend {
  return {
    models: () => listModels(place.modelsDir),
    open: (recipe) => openSession(place, recipe),
    inspect: (recipe) => inspect(place, recipe),
  };
}

/** Lists the folders that contain a model. Invalid ones are left out here; `open` explains them. */
async function listModels(modelsDir: string): Promise<BackendModel[]> {
  const models: BackendModel[] = [];
  for (const name of await installedModels(modelsDir)) {
    const model = await readModelFolder(join(modelsDir, name)).catch(() => null);
    if (model === null) continue;
    const { hidden, layers } = model.limits;
    const [, ...otherTasks] = model.tokenizer.tasks;
    for (const task of [null, ...otherTasks]) {
      const described = `${model.describe}, ${layers} layers${task === null ? '' : `, task ${task}`}`;
      const listed = { dimension: hidden, description: described };
      models.push({ model_name: variantName(name, { task, int8: false }), ...listed });
      if (model.kind === 'weights')
        models.push({
          ...listed,
          model_name: variantName(name, { task, int8: true }),
          description: `${described}, int8 weights`,
        });
    }
  }
  return models;
}

async function openSession(place: ModelPlace, recipe: EmbeddingRecipe): Promise<EmbeddingSession> {
  return withModel(place, recipe, async (folder, int8) => {
    const { modelDevice: device, sharedWeights: shared } = place;
    const { int8: loss } = await ensureChecked(folder, { int8, device });
    if (loss === null) return openModel(folder, recipe, { int8: null, device, shared });
    const measured = {
      int8_cosine: loss.cosine,
      int8_neighbour_overlap: loss.overlap,
      int8_scale_per_output: loss.shared === 'output' ? 1 : 0,
    };
    return openModel(folder, recipe, { int8: loss.shared, device, shared, measured });
  });
}

async function inspect(place: ModelPlace, recipe: EmbeddingRecipe): Promise<{ dimension: number }> {
  return withModel(place, recipe, async (folder, int8) => inspectModel(folder, recipe, int8));
}

async function withModel<T>(
  { modelsDir }: ModelPlace,
  { model_name }: EmbeddingRecipe,
  work: (folder: ModelFolder, int8: boolean) => Promise<T>,
): Promise<T> {
  const { name, int8, task } = splitModelName(model_name);
  await requireInstalled(modelsDir, name);
  try {
    return await work(await readModelFolder(join(modelsDir, name), task), int8);
  } catch (error) {
    throw error instanceof ProblemError ? nameFaults(name, error) : error;
  }
}
