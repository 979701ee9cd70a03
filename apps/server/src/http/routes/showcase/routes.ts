import { showcaseRoutes } from '@kindred/contracts/resources/showcase';
import {
  benchmarkResults,
  sampleAnswer,
  type SampleRow,
  showcaseCounts,
  showcaseState,
} from '../../../store/evaluation/benchmark.repository.js';
import { LastValue } from '../../../ground/last-value.js';
import { benchmarkCells } from '../../benchmark/cells.js';
import { ForReaders } from '../../benchmark/for-readers.js';
import type { Api, RouteDeps } from '../../deps.js';
import { readerOf } from '../../plugins/credentials.js';
import { serve } from '../../serve.js';
import { presentShowcase } from './present.js';

const maxResults = 5000;

export function serveShowcase(api: Api, { db, settings: { benchmark } }: RouteDeps): void {
  const showcase = new ForReaders(db, benchmark.cacheSeconds, async (reader) => {
    const cells = benchmarkCells(await benchmarkResults(db, reader, maxResults), benchmark);
    // The newest cell comes first, so it names the set that was evaluated last.
    const newest = cells.filter((cell) => cell.evaluation_set_id === cells[0].evaluation_set_id);
    return presentShowcase(await showcaseCounts(db), newest, benchmark);
  });
  // The rows of a complete set do not change.
  const samples = new LastValue<SampleRow | null>();
  serve(
    api,
    showcaseRoutes.show,
    async (request) => {
      const { fingerprint, sample: set } = await showcaseState(db);
      const sample = set === null ? null : await samples.get(set.id, () => sampleAnswer(db, set));
      return { ...(await showcase.get(readerOf(request), fingerprint)), sample };
    },
    {
      config: {
        madeOf: ['evaluation_result', 'prediction_set', 'protein', 'reranker_model'],
        ofReader: true,
      },
    },
  );
}
