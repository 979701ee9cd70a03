import { cafaScore, cafaTermsPerProtein } from '@kindred/kernels/scoring';
import type { PredictionRow } from '../../../store/predictions/predictions.repository.js';
import { yieldToEventLoop } from '../../../event-loop.js';
import { sixDigits, tsvLine } from '../../stream.js';

type Column = keyof PredictionRow;

/** The 32 columns of predictions.tsv, in order. */
export const predictionColumns = [
  'protein_accession',
  'go_id',
  'go_name',
  'go_aspect',
  'distance',
  'ref_protein_accession',
  'qualifier',
  'evidence_code',
  'identity_nw',
  'similarity_nw',
  'alignment_score_nw',
  'gaps_pct_nw',
  'alignment_length_nw',
  'identity_sw',
  'similarity_sw',
  'alignment_score_sw',
  'gaps_pct_sw',
  'alignment_length_sw',
  'length_query',
  'length_ref',
  'query_taxonomy_id',
  'ref_taxonomy_id',
  'taxonomic_lca',
  'taxonomic_distance',
  'taxonomic_common_ancestors',
  'taxonomic_relation',
  'vote_count',
  'k_position',
  'go_term_frequency',
  'ref_annotation_density',
  'neighbor_distance_std',
  'neighbor_vote_fraction',
] as const satisfies readonly Column[];

/** Columns with fractions: six significant digits. Whole numbers are written out. */
const fractions = new Set<Column>([
  'distance',
  'identity_nw',
  'similarity_nw',
  'alignment_score_nw',
  'gaps_pct_nw',
  'identity_sw',
  'similarity_sw',
  'alignment_score_sw',
  'gaps_pct_sw',
  'neighbor_distance_std',
  'neighbor_vote_fraction',
]);

/** Rows written in one turn of the event loop. */
const rowsPerChunk = 250;

/** The text of a column; null is empty. */
export function predictionCell(row: PredictionRow, column: Column): string | number | null {
  const value = row[column] as string | number | null;
  return fractions.has(column) ? sixDigits(value as number | null) : value;
}

/** One chunk per page of proteins, the header first. */
export async function* predictionTable(
  pages: AsyncIterable<readonly PredictionRow[]>,
): AsyncGenerator<string> {
  yield tsvLine(predictionColumns);
  for await (const page of pages) {
    for (let from = 0; from < page.length; from += rowsPerChunk) {
      const rows = page.slice(from, from + rowsPerChunk);
      yield rows
        .map((row) => tsvLine(predictionColumns.map((column) => predictionCell(row, column))))
        .join('');
      await yieldToEventLoop();
    }
  }
}

/**
 * CAFA submission lines, without a header: one per (protein, term), the nearest donor's score, highest first, at most
 * 1,500 terms of a protein. Pages hold whole proteins, each protein's rows by falling score.
 */
export async function* cafaTable(pages: AsyncIterable<readonly PredictionRow[]>): AsyncGenerator<string> {
  for await (const page of pages) {
    let text = '';
    let protein = '';
    let seen = new Set<string>();
    for (const row of page) {
      if (row.protein_accession !== protein) {
        protein = row.protein_accession;
        seen = new Set();
      }
      if (seen.has(row.go_id) || seen.size >= cafaTermsPerProtein) continue;
      seen.add(row.go_id);
      text += tsvLine([protein, row.go_id, cafaScore(row.score)]);
    }
    yield text;
    await yieldToEventLoop();
  }
}
