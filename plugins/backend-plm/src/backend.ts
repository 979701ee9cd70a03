import { join } from 'node:path';
import {
  type BackendModel,
  type EmbeddingBackend,
  type EmbeddingRecipe,
  type EmbeddingSession,
  ProblemError,
} from '@kindred/contracts';
import { installedModels, nameFaults, unknownModel } from './models/installed.js';
import { ensureChecked } from './models/self-check.js';
import type { ModelPlace } from './settings.js';
import { inspectModel, type ModelFolder, openModel, readModelFolder } from './models/folder.js';

/** Suffix of a model name that selects int8 weights. Their vectors differ, so the configuration has a different name. */
export const int8Ending = '@int8';

export function createBackend(place: ModelPlace): EmbeddingBackend {
  return {
    models: () => listModels(place.modelsDir),
    open: (recipe) => openSession(place, recipe),
    inspect: (recipe) => inspect(place, recipe),
  };
}

/** Folders that contain a model. Invalid ones are left out here; `open` explains them. */
async function listModels(modelsDir: string): Promise<BackendModel[]> {
  const models: BackendModel[] = [];
  for (const name of await installedModels(modelsDir)) {
    const model = await readModelFolder(join(modelsDir, name)).catch(() => null);
    if (model === null) continue;
    const { hidden, layers } = model.limits;
    const described = `${model.describe}, ${layers} layers`;
    models.push({ model_name: name, dimension: hidden, description: described });
    if (model.kind === 'weights')
      models.push({
        model_name: name + int8Ending,
        dimension: hidden,
        description: `${described}, int8 weights`,
      });
  }
  return models;
}

async function openSession(place: ModelPlace, recipe: EmbeddingRecipe): Promise<EmbeddingSession> {
  return withModel(place, recipe, async (folder, int8) => {
    const device = place.modelDevice;
    const { int8: loss } = await ensureChecked(folder, { int8, device });
    if (loss === null) return openModel(folder, recipe, { int8: null, device });
    const measured = {
      int8_cosine: loss.cosine,
      int8_neighbour_overlap: loss.overlap,
      int8_scale_per_output: loss.shared === 'output' ? 1 : 0,
    };
    return openModel(folder, recipe, { int8: loss.shared, device, measured });
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
  const int8 = model_name.endsWith(int8Ending);
  const name = int8 ? model_name.slice(0, -int8Ending.length) : model_name;
  const installed = await installedModels(modelsDir);
  if (!installed.includes(name)) throw unknownModel(name, installed);
  try {
    return await work(await readModelFolder(join(modelsDir, name)), int8);
  } catch (error) {
    throw error instanceof ProblemError ? nameFaults(name, error) : error;
  }
}
