import { type PredictionSetId, type RerankerModelId, uuidOf } from '@kindred/contracts';
import { featureAspects } from '@kindred/kernels/features';
import { z } from 'zod';
import { type Booster, openBooster } from '../../../rerankers/booster.js';
import { byProteinAndScore } from '../../../rerankers/reranked-terms.js';
import {
  findPredictionSet,
  type NamedPredictionSetRow,
} from '../../../store/predictions/prediction-sets.repository.js';
import { type FeaturePage, featurePages } from '../../../store/predictions/prediction-features.repository.js';
import { findReranker, type RerankerRow } from '../../../store/evaluation/rerankers.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { sendChunks, sixDigits, tsvLine } from '../../stream.js';

export const rerankParams = z.object({ id: uuidOf<PredictionSetId>() });
export const rerankerId = uuidOf<RerankerModelId>();
export const iterationLimit = z.coerce
  .number()
  .int()
  .min(1)
  .max(1_000_000)
  .optional()
  .meta({ description: 'Use only the first so many iterations of the booster' });
const rerankQuery = z.strictObject({
  reranker_id: rerankerId,
  min_score: z.coerce.number().min(0).max(1).optional(),
  accession: z.string().min(1).max(255).optional(),
  num_iteration: iterationLimit,
});

/** A set with the booster that is to score it. @throws ProblemError not_found, schema_mismatch, conflict */
export async function setAndBooster(
  { db, artifacts }: RouteDeps,
  setId: string,
  rerankerModelId: string,
): Promise<{ set: NamedPredictionSetRow; row: RerankerRow; booster: Booster }> {
  const set = await findPredictionSet(db, setId);
  if (set === undefined) throw absent('prediction set', setId);
  const row = await findReranker(db, rerankerModelId);
  if (row === undefined) throw absent('re-ranker', rerankerModelId);
  return { set, row, booster: await openBooster(artifacts, row, set) };
}

export function rerankDownload(api: Api, deps: RouteDeps): void {
  api.get(
    '/scoring/prediction-sets/:id/rerank.tsv',
    {
      schema: {
        params: rerankParams,
        querystring: rerankQuery,
        response: {
          200: {
            description: 'Streamed, gzip where accepted',
            content: { 'text/tab-separated-values': { schema: z.string() } },
          },
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { reranker_id, min_score: minScore = 0, accession, num_iteration: iterations } = request.query;
      const { set, booster } = await setAndBooster(deps, id, reranker_id);
      const pages = featurePages(deps.db, set.number, { accession });
      return sendChunks(request, reply, rerankTable(pages, booster, { minScore, iterations }), {
        contentType: 'text/tab-separated-values; charset=utf-8',
        filename: `reranked_${id}_${reranker_id}.tsv`,
      });
    },
  );
}

const rerankColumns = [
  'protein_accession',
  'go_id',
  'aspect',
  'reranker_score',
  'distance',
  'ref_protein_accession',
  'evidence_code',
  'qualifier',
] as const;

const letterOf = Object.fromEntries(Object.entries(featureAspects).map(([letter, name]) => [name, letter]));

/** The header, then one chunk a page: by protein, falling score, GO id. Pages hold whole proteins. */
async function* rerankTable(
  pages: AsyncIterable<FeaturePage>,
  booster: Booster,
  { minScore, iterations }: { minScore: number; iterations?: number },
): AsyncGenerator<string> {
  yield tsvLine(rerankColumns);
  for await (const page of pages) {
    const scores = await booster.score(page, iterations);
    let text = '';
    for (const row of byProteinAndScore(page, scores)) {
      if (scores[row] < minScore) continue;
      text += tsvLine([
        page.accessions[row],
        page.goIds[row],
        letterOf[page.categories.aspect[row] as string],
        scores[row].toFixed(6),
        sixDigits(page.numbers.distance[row]),
        page.references[row],
        page.categories.evidence_code[row],
        page.categories.qualifier[row],
      ]);
    }
    yield text;
  }
}
