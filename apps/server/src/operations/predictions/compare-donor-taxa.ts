import { ProblemError } from '@kindred/contracts';
import type { ColumnArrays, ColumnsFrom } from '@kindred/kernels/prediction';
import { compareTaxa, taxonomicRelations, type TaxonomicComparison } from '@kindred/kernels/taxonomy';
import type { TransferOutput } from '../../compute/tasks.js';
import type { ReferenceBank } from '../../compute/reference-bank.js';
import type { QueryRow } from '../../store/proteins/queries.repository.js';
import { lineagesOf } from '../../store/ontology/taxonomy.repository.js';
import type { OperationContext } from '../operation.js';

/** The taxonomic columns of each row; a relation is a place in `taxonomicRelations`. */
export type RowTaxonomy = ColumnArrays<ColumnsFrom<'taxonomy'>>;

export interface ComparedTaxa {
  rows: TransferOutput;
  queries: QueryRow[];
  bank: ReferenceBank;
  /** Digest of the taxonomy that the whole set is made with. */
  taxonomySha256: string;
}

/** Compares the taxon of each query with those of its donors, each pair of taxa once. Only their lineages are read. */
export async function compareDonorTaxa(
  { rows, queries, bank, taxonomySha256 }: ComparedTaxa,
  context: OperationContext,
): Promise<RowTaxonomy> {
  const { referenceTaxon } = bank.arrays;
  const queryTaxon = (row: number) => queries[rows.query[row]].taxonomy_id ?? 0;
  const asked = new Set<number>();
  rows.reference.forEach((reference, row) => {
    asked.add(queryTaxon(row));
    asked.add(referenceTaxon[reference]);
  });
  const found = await lineagesOf(context.db, [...asked]);
  if (found?.current.content_sha256 !== taxonomySha256) {
    throw new ProblemError(
      'conflict',
      'Another taxonomy was loaded while this prediction ran; predict again to have all rows made with one.',
    );
  }
  const known = new Map<string, TaxonomicComparison>();
  const compare = (query: number, reference: number) => {
    const key = `${query} ${reference}`;
    const comparison = known.get(key) ?? compareTaxa(found.taxonomy, query, reference);
    known.set(key, comparison);
    return comparison;
  };
  const columns = emptyColumns(rows.reference.length);
  rows.reference.forEach((reference, row) => {
    const { lca, distance, commonAncestors, relation } = compare(queryTaxon(row), referenceTaxon[reference]);
    columns.taxonomic_lca[row] = lca ?? -1;
    columns.taxonomic_distance[row] = distance ?? -1;
    columns.taxonomic_common_ancestors[row] = commonAncestors;
    columns.taxonomic_relation[row] = taxonomicRelations.indexOf(relation);
  });
  return columns;
}

function emptyColumns(count: number): RowTaxonomy & { taxonomic_relation: Uint8Array } {
  return {
    taxonomic_lca: new Int32Array(count),
    taxonomic_distance: new Int32Array(count),
    taxonomic_common_ancestors: new Int32Array(count),
    taxonomic_relation: new Uint8Array(count),
  };
}
