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
import { markedFile } from '../../marked-file.js';
import { serve } from '../../serve.js';
import { sendChunks, tsvLine } from '../../stream.js';

const files = [
  [evaluationSetRoutes.groundTruthNK, 'NK', 'ground_truth_NK'],
  [evaluationSetRoutes.groundTruthLK, 'LK', 'ground_truth_LK'],
  [evaluationSetRoutes.groundTruthPK, 'PK', 'ground_truth_PK'],
  [evaluationSetRoutes.knownTerms, 'known', 'known_terms'],
] as const;

export function truthDownloads(api: Api, { db }: RouteDeps): void {
  const required = async (id: string) => {
    const set = await findEvaluationSet(db, id);
    if (set === undefined) throw absent('evaluation set', id);
    return { number: set.number, made: [set.old_reference, set.new_reference] };
  };
  for (const [route, category, name] of files) {
    serve(api, route, async (request, reply) => {
      const { number, made } = await required(request.params.id);
      const pages = truthPages(db, number, category);
      const contentType = 'text/tab-separated-values; charset=utf-8';
      const filename = markedFile(reply, { name, extension: 'tsv' }, made);
      return sendChunks(request, reply, truthTable(pages), { contentType, filename });
    });
  }
  serve(api, evaluationSetRoutes.deltaProteins, async (request, reply) => {
    const { category } = request.query;
    const categories = category === 'all' ? holdoutCategories : [category.toUpperCase() as HoldoutCategory];
    const { number, made } = await required(request.params.id);
    const pages = deltaProteinPages(db, { setNumber: number, categories });
    return sendChunks(request, reply, fasta(pages), {
      contentType: 'text/x-fasta; charset=utf-8',
      filename: markedFile(reply, { name: `delta_proteins_${category}`, extension: 'fasta' }, made),
    });
  });
}

/** Writes CAFA ground truth: protein and term, without a header. */
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
