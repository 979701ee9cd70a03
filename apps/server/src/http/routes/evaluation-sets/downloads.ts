import { type HoldoutCategory, holdoutCategories } from '@kindred/kernels/holdout';
import { formatFastaRecord } from '@kindred/kernels/formats';
import { evaluationSetRoutes } from '@kindred/contracts/resources/evaluation-sets';
import { findEvaluationSet } from '../../../store/evaluation/evaluation-sets.repository.js';
import {
  type DeltaProteinRow,
  deltaProteinPages,
  type TruthRow,
  truthPages,
} from '../../../store/evaluation/evaluation-truth.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { serve } from '../../serve.js';
import { sendChunks, tsvLine } from '../../stream.js';

const files = [
  [evaluationSetRoutes.groundTruthNK, 'NK', 'ground_truth_NK.tsv'],
  [evaluationSetRoutes.groundTruthLK, 'LK', 'ground_truth_LK.tsv'],
  [evaluationSetRoutes.groundTruthPK, 'PK', 'ground_truth_PK.tsv'],
  [evaluationSetRoutes.knownTerms, 'known', 'known_terms.tsv'],
] as const;

export function truthDownloads(api: Api, { db }: RouteDeps): void {
  const numberOf = async (id: string): Promise<number> => {
    const set = await findEvaluationSet(db, id);
    if (set === undefined) throw absent('evaluation set', id);
    return set.number;
  };
  for (const [route, category, filename] of files) {
    serve(api, route, async (request, reply) => {
      const pages = truthPages(db, await numberOf(request.params.id), category);
      const contentType = 'text/tab-separated-values; charset=utf-8';
      return sendChunks(request, reply, truthTable(pages), { contentType, filename });
    });
  }
  serve(api, evaluationSetRoutes.deltaProteins, async (request, reply) => {
    const { category } = request.query;
    const categories = category === 'all' ? holdoutCategories : [category.toUpperCase() as HoldoutCategory];
    const pages = deltaProteinPages(db, { setNumber: await numberOf(request.params.id), categories });
    return sendChunks(request, reply, fasta(pages), {
      contentType: 'text/x-fasta; charset=utf-8',
      filename: `delta_proteins_${category}.fasta`,
    });
  });
}

/** CAFA ground truth: protein and term, no header. */
async function* truthTable(pages: AsyncIterable<readonly TruthRow[]>): AsyncGenerator<string> {
  for await (const page of pages)
    yield page.map(({ accession, go_id }) => tsvLine([accession, go_id])).join('');
}

async function* fasta(pages: AsyncIterable<readonly DeltaProteinRow[]>): AsyncGenerator<string> {
  for await (const page of pages) {
    yield page.map((row) => formatFastaRecord({ header: headerOf(row), sequence: row.sequence })).join('');
  }
}

function headerOf(row: DeltaProteinRow): string {
  const order = holdoutCategories.filter((category) => row.categories.includes(category));
  const parts = [
    row.accession,
    row.entry_name,
    row.organism === null ? null : `OS=${row.organism}`,
    row.taxonomy_id === null ? null : `OX=${row.taxonomy_id}`,
    `(${order.join('|')})`,
  ];
  return parts
    .filter((part) => part !== null)
    .join(' ')
    .replaceAll(/[\r\n]+/g, ' ');
}
