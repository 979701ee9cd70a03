import { type FeatureColumn, featureColumns } from '@kindred/kernels/features';
import type { ParquetColumn, ParquetType } from '../../ground/parquet-stream.js';

export interface DatasetColumn extends ParquetColumn {
  role: 'key' | 'label' | 'group' | 'feature';
  unit: string | null;
  meaning: string;
}

const key = (name: string, role: DatasetColumn['role'], meaning: string): DatasetColumn => ({
  name,
  type: 'STRING',
  nullable: false,
  role,
  unit: null,
  meaning,
});

const typeOf: Record<FeatureColumn['type'], ParquetType> = {
  real: 'FLOAT',
  integer: 'INT32',
  boolean: 'BOOLEAN',
  category: 'STRING',
};

/**
 * train.parquet and eval.parquet have these columns: the key of a row, its label, and its features in order.
 */
export const datasetColumns: readonly DatasetColumn[] = [
  key('protein_accession', 'key', 'Query protein'),
  key('go_id', 'key', 'Transferred GO term'),
  key('ref_protein_accession', 'key', 'Nearest source of the term'),
  {
    name: 'label',
    type: 'INT32',
    nullable: false,
    role: 'label',
    unit: '0 or 1',
    meaning: 'The protein gained the term, or one below it, between the two snapshots of the pair',
  },
  key('category', 'group', 'nk, lk or pk: what was known of the protein in the aspect of the term'),
  key('snapshot_pair', 'group', 'Old and new annotation release'),
  ...featureColumns.map(
    ({ name, type, unit, meaning }): DatasetColumn => ({
      name,
      type: typeOf[type],
      nullable: name !== 'distance' && name !== 'aspect',
      role: 'feature',
      unit,
      meaning,
    }),
  ),
];
