import type { EmbeddingRecipe } from '@kindred/contracts';
import { embeddingConfigRoutes } from '@kindred/contracts/resources/embedding-configs';
import { addEmbeddingConfig, removeEmbeddingConfig } from '../../../resources/embedding-configs.js';
import {
  findCountedConfig,
  listEmbeddingConfigs,
} from '../../../store/embeddings/embedding-configs.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { serve } from '../../serve.js';
import { vectorDownload } from './vectors.js';
import { presentConfig } from './present.js';

export function serveEmbeddingConfigs(api: Api, deps: RouteDeps): void {
  const { db } = deps;
  serve(api, embeddingConfigRoutes.list, async (request, reply) => {
    const { limit, after } = request.query;
    const page = await listEmbeddingConfigs(db, limit, readAfter(after));
    linkNext(request, reply, { limit, page, time: 'created_at' });
    return page.rows.map(presentConfig);
  });
  serve(api, embeddingConfigRoutes.show, async (request) => {
    const row = await findCountedConfig(db, request.params.id);
    if (row === undefined) throw absent('embedding configuration', request.params.id);
    return presentConfig(row);
  });
  vectorDownload(api, deps);
  createRoute(api, deps);
  deleteRoute(api, deps);
}

function createRoute(api: Api, { db, plugins }: RouteDeps): void {
  serve(api, embeddingConfigRoutes.create, async (request, reply) => {
    const { description, dimension: given, ...recipe } = request.body;
    const dimension = given ?? (await dimensionOf(plugins, recipe));
    const config = { ...recipe, dimension, description: description ?? null };
    const { row, isNew } = await addEmbeddingConfig(db, config);
    reply.code(isNew ? 201 : 200).header('location', `/v1/embeddings/configs/${row.id}`);
    return presentConfig(row);
  });
}

/**
 * Returns the dimension of the model's vectors. The model is asked now, so that an unknown model, or a recipe
 * that it can't follow, is refused by this request and not by a job later.
 */
async function dimensionOf(plugins: RouteDeps['plugins'], recipe: EmbeddingRecipe): Promise<number> {
  const backend = await plugins.backend(recipe.model_backend);
  if (backend.inspect) return (await backend.inspect(recipe)).dimension;
  const session = await backend.open(recipe);
  try {
    return session.dimension;
  } finally {
    await session.close();
  }
}

function deleteRoute(api: Api, { db }: RouteDeps): void {
  serve(api, embeddingConfigRoutes.remove, async (request) => {
    const { id } = request.params;
    return { deleted: id, ...(await removeEmbeddingConfig(db, id)) };
  });
}
