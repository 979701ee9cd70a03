import { ProblemError } from '@kindred/contracts';
import type { ColumnArrays, ColumnsFrom } from '@kindred/kernels/prediction';
import { compareTaxa, taxonomicRelations, type TaxonomicComparison } from '@kindred/kernels/taxonomy';
import type { TransferOutput } from './compute/tasks/transfer.js';
import type { ReferenceBank } from './compute/reference-bank.js';
import type { QueryRow } from '../store/proteins/queries.repository.js';
import { lineagesOf } from '../store/ontology/taxonomy.repository.js';
import type { OperationContext } from '../work/operation/operation.js';

/**
 * Each row has these taxonomic columns. A relation is an index into `taxonomicRelations`. Unknown values are
 * -1, and `unknownRelation`.
 */
export type RowTaxonomy = ColumnArrays<ColumnsFrom<'taxonomy'>>;

const unknownRelation = 255;

export interface ComparedTaxa {
  rows: TransferOutput;
  queries: QueryRow[];
  bank: ReferenceBank;
  /** The whole set is made with the taxonomy of this digest. */
  taxonomySha256: string;
}

/**
 * Compares the taxon of each query with those of its sources, each pair of taxa once. Only the lineages of
 * these taxa are read.
 */
export async function compareSourceTaxa(
  { rows, queries, bank, taxonomySha256 }: ComparedTaxa,
  context: OperationContext,
): Promise<RowTaxonomy> {
  const taxonOf = (reference: number) => (reference < 0 ? 0 : bank.arrays.referenceTaxon[reference]);
  const queryTaxon = (row: number) => queries[rows.query[row]].taxonomy_id ?? 0;
  const asked = new Set<number>();
  rows.reference.forEach((reference, row) => {
    asked.add(queryTaxon(row));
    asked.add(taxonOf(reference));
  });
  const found = await lineagesOf(context.db, [...asked]);
  if (found?.current.content_sha256 !== taxonomySha256) {
    throw new ProblemError(
      'conflict',
      'Another taxonomy was loaded while this prediction ran; predict again to have all rows made with one.',
    );
  }
  const known = new Map<string, TaxonomicComparison | null>();
  const compare = (query: number, reference: number) => {
    const key = `${query} ${reference}`;
    let comparison = known.get(key);
    if (comparison === undefined) {
      comparison = compareTaxa(found.taxonomy, query, reference);
      known.set(key, comparison);
    }
    return comparison;
  };
  const columns = emptyColumns(rows.reference.length);
  rows.reference.forEach((reference, row) => {
    const comparison = compare(queryTaxon(row), taxonOf(reference));
    if (comparison === null) return;
    columns.taxonomic_lca[row] = comparison.lca;
    columns.taxonomic_distance[row] = comparison.distance;
    columns.taxonomic_common_ancestors[row] = comparison.commonAncestors;
    columns.taxonomic_relation[row] = taxonomicRelations.indexOf(comparison.relation);
  });
  return columns;
}

/** Makes columns for rows whose taxa are unknown. */
function emptyColumns(count: number): RowTaxonomy & { taxonomic_relation: Uint8Array } {
  return {
    taxonomic_lca: new Int32Array(count).fill(-1),
    taxonomic_distance: new Int32Array(count).fill(-1),
    taxonomic_common_ancestors: new Int32Array(count).fill(-1),
    taxonomic_relation: new Uint8Array(count).fill(unknownRelation),
  };
}
