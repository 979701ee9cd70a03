import { rerankerRoutes } from '@kindred/contracts/resources/rerankers';
import { featureAspects } from '@kindred/kernels/features';
import { type Booster, openBooster } from '../../../predict/rerankers/booster.js';
import { byProteinAndScore } from '../../../predict/rerankers/reranked-terms.js';
import {
  findPredictionSet,
  type NamedPredictionSetRow,
} from '../../../store/predictions/prediction-sets.repository.js';
import { type FeaturePage, featurePages } from '../../../store/predictions/prediction-features.repository.js';
import { findReranker, type RerankerRow } from '../../../store/evaluation/rerankers.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent, absentReference } from '../../problems.js';
import { markedFile } from '../../marked-file.js';
import { requireComplete } from '../../references.js';
import { serve } from '../../serve.js';
import { sendChunks, sixDigits, tsvLine } from '../../stream.js';

/** @throws ProblemError not_found, schema_mismatch, conflict */
export async function setAndBooster(
  deps: RouteDeps,
  setId: string,
  rerankerModelId: string,
): Promise<{ set: NamedPredictionSetRow; row: RerankerRow; booster: Booster }> {
  const { db } = deps;
  const set = await findPredictionSet(db, setId);
  if (set === undefined) throw absent('prediction set', setId);
  requireComplete(set);
  const row = await findReranker(db, rerankerModelId);
  if (row === undefined) throw absentReference('reranker_id', 're-ranker', rerankerModelId);
  return { set, row, booster: await openBooster(deps, row, set) };
}

export function rerankDownload(api: Api, deps: RouteDeps): void {
  serve(api, rerankerRoutes.rerank, async (request, reply) => {
    const { id } = request.params;
    const { reranker_id, min_score: minScore = 0, accession, num_iteration: iterations } = request.query;
    const aspect = request.query.aspect && featureAspects[request.query.aspect];
    const { set, booster } = await setAndBooster(deps, id, reranker_id);
    const pages = featurePages(deps.db, set.number, { accession, aspect });
    return sendChunks(request, reply, rerankTable(pages, booster, { minScore, iterations }), {
      contentType: 'text/tab-separated-values; charset=utf-8',
      filename: markedFile(reply, { name: `reranked_${id}_${reranker_id}`, extension: 'tsv' }, [
        set.reference,
      ]),
    });
  });
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
  'go_name',
  'score',
] as const;

const letterOf = Object.fromEntries(Object.entries(featureAspects).map(([letter, name]) => [name, letter]));

/** Yields the header, then one chunk a page: by protein, falling score, GO id. Pages hold whole proteins. */
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
      const score = scores[row].toFixed(6);
      text += tsvLine([
        page.accessions[row],
        page.goIds[row],
        letterOf[page.categories.aspect[row] as string],
        score,
        sixDigits(page.numbers.distance[row]),
        page.references[row],
        page.categories.evidence_code[row],
        page.categories.qualifier[row],
        page.goNames[row],
        score,
      ]);
    }
    yield text;
  }
}
