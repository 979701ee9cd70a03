import { benchmarkRoutes } from '@kindred/contracts/resources/benchmark';
import { benchmarkResults } from '../../../store/evaluation/benchmark.repository.js';
import { listEmbeddingConfigs } from '../../../store/embeddings/embedding-configs.repository.js';
import { listEvaluationSets } from '../../../store/evaluation/evaluation-sets.repository.js';
import { benchmarkCells } from '../../benchmark/cells.js';
import { ForReaders } from '../../benchmark/for-readers.js';
import type { Api, RouteDeps } from '../../deps.js';
import { readerOf } from '../../plugins/credentials.js';
import { serve } from '../../serve.js';
import { type Matrix, presentMatrix } from './present.js';

/** At most this many results count, which is more than a page can show. */
const maxResults = 5000;
const maxRows = 500;

export function serveBenchmark(api: Api, { db, settings: { benchmark } }: RouteDeps): void {
  const matrix = new ForReaders<Matrix>(db, benchmark.cacheSeconds, async (reader) => ({
    cells: benchmarkCells(await benchmarkResults(db, reader, maxResults), benchmark),
    sets: (await listEvaluationSets(db, maxRows)).rows,
  }));
  serve(api, benchmarkRoutes.embeddings, async () => {
    const { rows } = await listEmbeddingConfigs(db, maxRows);
    const embeddings = rows.map((config) => ({
      id: config.id,
      model_name: config.model_name,
      model_backend: config.model_backend,
      description: config.description,
      pooling: config.pooling,
      layer_agg: config.layer_agg,
      display_name: config.display_name,
      family: config.family,
      param_count: config.param_count,
    }));
    return { embeddings, total: embeddings.length };
  });
  serve(api, benchmarkRoutes.matrix, async (request) =>
    presentMatrix(await matrix.get(readerOf(request)), request.query, benchmark),
  );
}
