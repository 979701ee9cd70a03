import type { Aspect } from '@kindred/contracts';
import { columnsIn, predictionColumn, replyNameOf } from '@kindred/kernels/prediction';
import { type PredictionCells, repliedColumns } from '../../../store/predictions/predictions.repository.js';

type Cells = readonly (string | null)[];
type Term = PredictionCells['terms'][number];
/** The function writes one value of a row as JSON. */
type Value = (cells: Cells, term: Term) => string;

/** The rows of go_prediction lack these values, so functions derive them. */
const derived: Partial<Record<string, Value>> = {
  go_id: (_cells, term) => JSON.stringify(term.go_id),
  go_name: (_cells, term) => JSON.stringify(term.name),
  go_aspect: (_cells, term) => JSON.stringify(term.aspect satisfies Aspect),
  ref_protein_accession: (cells) =>
    cells[sourceKindAt] === 'protein' ? textJson(cells[sourceIdAt]) : 'null',
};
const sourceKindAt = repliedColumns.indexOf('source_kind');
const sourceIdAt = repliedColumns.indexOf('source_id');

const textJson = (cell: string | null) => (cell === null ? 'null' : JSON.stringify(cell));
/** PostgreSQL writes numbers as JSON does, except NaN and Infinity. */
const numberJson = (cell: string | null) => (cell === null || /[IN]/.test(cell) ? 'null' : cell);
const jsonOf = {
  int4: numberJson,
  float4: numberJson,
  bool: (cell: string | null) => (cell === null ? 'null' : String(cell === 't')),
  text: textJson,
  jsonb: (cell: string | null) => cell ?? 'null',
};

/**
 * Writes the rows of a protein as JSON, in the form of the reply's schema; both come from the same list of
 * columns. A protein has a thousand rows of 44 columns, most of them null, so writing text takes a fraction
 * of the time that objects take.
 */
export function predictionsJson({ terms, cells }: PredictionCells): string {
  // These pieces of text stand between the values; columns that are null in all rows become part of them.
  const before: string[] = [];
  const values: Value[] = [];
  let text = '';
  for (const name of columnsIn('reply')) {
    const isFirst = text === '' && values.length === 0;
    text += `${isFirst ? '{' : ','}${JSON.stringify(replyNameOf(name))}:`;
    const value = valueOf(name, cells);
    if (value === null) {
      text += 'null';
      continue;
    }
    before.push(text);
    values.push(value);
    text = '';
  }
  const end = `${text}}`;
  const rows = cells.map((row, at) => {
    let json = '';
    for (let i = 0; i < values.length; i++) json += before[i] + values[i](row, terms[at]);
    return json + end;
  });
  return `[${rows.join(',')}]`;
}

/** Gives null for a column that is null in all rows. */
function valueOf(name: string, cells: readonly Cells[]): Value | null {
  const value = derived[name];
  if (value !== undefined) return value;
  const at = (repliedColumns as readonly string[]).indexOf(name);
  if (cells.every((row) => row[at] === null)) return null;
  const json = jsonOf[predictionColumn(repliedColumns[at]).storage];
  return (row) => json(row[at]);
}
