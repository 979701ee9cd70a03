import { formatFastaRecord } from '@kindred/kernels/formats';
import { noQuery } from '@kindred/contracts/fields';
import { fastaQuery, fastaReply, setParams, tsvReply } from '@kindred/contracts/resources/evaluation-sets';
import {
  findEvaluationSet,
  type TruthCategory,
} from '../../../store/evaluation/evaluation-sets.repository.js';
import {
  type DeltaProteinRow,
  deltaProteinPages,
  type TruthRow,
  truthPages,
} from '../../../store/evaluation/evaluation-truth.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { sendChunks, tsvLine } from '../../stream.js';

const files: [file: string, category: TruthCategory, filename: string][] = [
  ['ground-truth-NK.tsv', 'NK', 'ground_truth_NK.tsv'],
  ['ground-truth-LK.tsv', 'LK', 'ground_truth_LK.tsv'],
  ['ground-truth-PK.tsv', 'PK', 'ground_truth_PK.tsv'],
  ['known-terms.tsv', 'known', 'known_terms.tsv'],
];

export function truthDownloads(api: Api, { db }: RouteDeps): void {
  const numberOf = async (id: string): Promise<number> => {
    const set = await findEvaluationSet(db, id);
    if (set === undefined) throw absent('evaluation set', id);
    return set.number;
  };
  for (const [file, category, filename] of files) {
    api.get(
      `/annotations/evaluation-sets/:id/${file}`,
      { schema: { params: setParams, querystring: noQuery, response: { 200: tsvReply } } },
      async (request, reply) => {
        const pages = truthPages(db, await numberOf(request.params.id), category);
        const contentType = 'text/tab-separated-values; charset=utf-8';
        return sendChunks(request, reply, truthTable(pages), { contentType, filename });
      },
    );
  }
  api.get(
    '/annotations/evaluation-sets/:id/delta-proteins.fasta',
    { schema: { params: setParams, querystring: fastaQuery, response: { 200: fastaReply } } },
    async (request, reply) => {
      const { category } = request.query;
      const categories =
        category === 'all' ? (['NK', 'LK', 'PK'] as const) : [category.toUpperCase() as 'NK' | 'LK' | 'PK'];
      const pages = deltaProteinPages(db, { setNumber: await numberOf(request.params.id), categories });
      return sendChunks(request, reply, fasta(pages), {
        contentType: 'text/x-fasta; charset=utf-8',
        filename: `delta_proteins_${category}.fasta`,
      });
    },
  );
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
  const order = ['NK', 'LK', 'PK'].filter((category) => row.categories.includes(category));
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
