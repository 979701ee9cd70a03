import { aspects } from '@kindred/contracts';
import { emptyFeatureTable, featureAspects, type FeatureTable } from '@kindred/kernels/features';
import { type ColumnSubject, predictionColumn, columnsIn } from '@kindred/kernels/prediction';
import type { ReferenceBank } from './compute/reference-bank.js';
import type { PredictedColumns } from './predict-columns.js';

/** Each (query, term) pair of a batch has a feature vector, in the order of the rows. */
export interface FeatureRows extends FeatureTable {
  /** Each row names its query by an index: [rowCount] */
  query: Int32Array;
  /** Each row has an index into the bank's terms: [rowCount] */
  term: Int32Array;
  /** The nearest source is given as an index into the bank's references: [rowCount] */
  reference: Int32Array;
}

const aspectNames = aspects.map((aspect) => featureAspects[aspect]);

/** Makes one row for each (query, term), with the values that the service stores for a prediction. */
export function featureRows({ rows, columns, texts }: PredictedColumns, bank: ReferenceBank): FeatureRows {
  const nearest = Int32Array.from(rows.is_nearest.keys()).filter((row) => rows.is_nearest[row] === 1);
  const query = nearest.map((row) => rows.query[row]);
  const term = nearest.map((row) => rows.term[row]);
  const placeOf: Partial<Record<ColumnSubject, Int32Array>> = {
    row: nearest,
    query,
    pair: Int32Array.from(nearest.keys()),
  };
  const table = emptyFeatureTable(nearest.length);
  for (const name of columnsIn('feature')) {
    const values = columns[name];
    const { subject, storage } = predictionColumn(name);
    const places = placeOf[subject];
    if (values === undefined || places === undefined) continue;
    if (storage === 'text') {
      const names = texts[name as keyof typeof texts] ?? [];
      table.categories[name] = Array.from(places, (place) => names[values[place]] ?? null);
    } else {
      const nullable = storage === 'int4';
      table.numbers[name] = Float32Array.from(places, (place) =>
        nullable && values[place] < 0 ? Number.NaN : values[place],
      );
    }
  }
  table.categories.aspect = Array.from(term, (of) => aspectNames[bank.arrays.termAspect[of]]);
  return { ...table, query, term, reference: nearest.map((row) => rows.reference[row]) };
}
