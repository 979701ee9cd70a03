import type { ScoredRow } from '../../../predict/scoring/scored-pages.js';
import type { TruthLabels } from '../../../predict/scoring/truth-labels.js';
import type { PredictionRow } from '../../../store/predictions/predictions.repository.js';
import { sixDigits, tsvLine } from '../../stream.js';
import { predictionCell, tsvColumns } from '../prediction-sets/tables.js';

export const scoreColumns = [
  'protein_accession',
  'go_id',
  'score',
  'distance',
  'ref_protein_accession',
  'evidence_code',
  'qualifier',
  'identity_nw',
  'identity_sw',
  'taxonomic_distance',
  'neighbor_vote_fraction',
  'aspect',
  'go_name',
] as const;

/** Yields the header, then one chunk a page: by protein, falling score, GO id. */
export async function* scoreTable(
  pages: AsyncIterable<readonly ScoredRow[]>,
  minScore: number,
): AsyncGenerator<string> {
  yield tsvLine(scoreColumns);
  for await (const page of pages) {
    const kept = page.filter((row) => row.composite >= minScore);
    yield kept
      .map((row) =>
        tsvLine(
          scoreColumns.map((column) => {
            if (column === 'score') return row.composite;
            return column === 'aspect' ? row.go_aspect : predictionCell(row, column);
          }),
        ),
      )
      .join('');
  }
}

/**
 * The table has these signals beside the label: the columns of predictions.tsv from identity_nw to
 * neighbor_distance_std.
 */
const signalColumns = tsvColumns.slice(
  tsvColumns.indexOf('identity_nw'),
  tsvColumns.indexOf('neighbor_distance_std') + 1,
);
export const trainingColumns = [
  'protein_accession',
  'go_id',
  'aspect',
  'label',
  'distance',
  'ref_protein_accession',
  'qualifier',
  'evidence_code',
  ...signalColumns,
] as const;

/** Yields a header, then one chunk a page: by protein, then GO id. Pairs without truth are left out. */
export async function* trainingTable(
  pages: AsyncIterable<readonly PredictionRow[]>,
  labels: TruthLabels,
): AsyncGenerator<string> {
  yield tsvLine(trainingColumns);
  for await (const page of pages) {
    let text = '';
    for (const row of page) {
      const label = labels.labelOf(row.protein_accession, row.go_id, row.go_aspect);
      if (label === null) continue;
      text += tsvLine([
        row.protein_accession,
        row.go_id,
        row.go_aspect,
        label,
        sixDigits(row.distance),
        row.ref_protein_accession,
        row.qualifier,
        row.evidence_code,
        ...signalColumns.map((column) => predictionCell(row, column)),
      ]);
    }
    yield text;
  }
}
