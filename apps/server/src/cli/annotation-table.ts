import { answerColumns } from '@kindred/contracts/resources/answers';
import { cellText, lines, spreadsheetCell } from '@kindred/kernels/formats';

/** One line of an answer: what `kindred annotate` prints. Empty cells are null; `kind` says what the line is. */
export interface AnnotationLine {
  protein: string;
  /** Kind of the line. known: an annotation of this very protein; predicted; no_answer: `reference` has the reason. */
  kind: 'known' | 'predicted' | 'no_answer';
  go_id: string | null;
  go_name: string | null;
  aspect: string | null;
  score: number | null;
  distance: number | null;
  donor: string | null;
  evidence_code: string | null;
  probability: number | null;
  probability_low: number | null;
  probability_high: number | null;
  certainty: string | null;
  calibrated_on: string | null;
  qualifier: string | null;
  reference: string | null;
  /** Terms of the protein below the end of the answer. */
  left_out: number | null;
  /** The reason why the term is contradicted; only with --all. */
  contradiction: string | null;
  /** Identity of the query and the donor, 0 to 1; null where they were not aligned. */
  identity: number | null;
  /** How many of the similar proteins have the term. */
  supporters: number | null;
  similar_proteins: number | null;
  /** yes for a name of a reference protein that has another sequence, so that the name is ignored. */
  is_namesake: 'yes' | 'no';
}

export const annotationColumns = answerColumns;

const numbers = new Set<string>([
  'score',
  'distance',
  'probability',
  'probability_low',
  'probability_high',
  'left_out',
  'identity',
  'supporters',
  'similar_proteins',
]);

/** Reads answers.tsv; texts come without the apostrophe that keeps a spreadsheet from running them. */
export async function* readAnnotations(tsv: AsyncIterable<Uint8Array>): AsyncIterable<AnnotationLine> {
  let names: string[] | null = null;
  for await (const line of lines(tsv)) {
    const cells = line.split('\t');
    if (names === null) {
      names = cells;
      continue;
    }
    yield Object.fromEntries(
      names.map((name, i) => [name, cellOf(name, cells[i] ?? '')]),
    ) as unknown as AnnotationLine;
  }
}

function cellOf(name: string, text: string): string | number | null {
  if (text === '') return null;
  return numbers.has(name) ? Number(text) : cellText(text);
}

/** One line of a TSV, safe to open in a spreadsheet, as answers.tsv is. */
export function tableLine(line: AnnotationLine): string {
  return `${annotationColumns.map((column) => spreadsheetCell(String(line[column] ?? ''))).join('\t')}\n`;
}

/** Formats lines for a terminal, in aligned columns: what is known of each protein and its best terms, or why there are none. */
export function formatTable(lines: readonly AnnotationLine[], perProtein: number): string {
  const shown: string[][] = [
    ['protein', 'GO id', 'aspect', 'score', 'certainty', 'similar', 'donor', 'identity', 'evidence', 'name'],
  ];
  const counts = new Map<string, number>();
  for (const line of lines) {
    const key = `${line.kind} ${line.protein}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    if (count < perProtein) shown.push(tableRow(line));
  }
  const widths = shown[0].map((_, index) => Math.max(...shown.map((row) => row[index].length)));
  return shown
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function tableRow(line: AnnotationLine): string[] {
  if (line.kind === 'no_answer')
    return [
      line.protein,
      '-',
      '',
      '',
      'no answer',
      '',
      '',
      '',
      '',
      (line.reference ?? 'nothing found').replaceAll('_', ' '),
    ];
  const name = line.go_name ?? '';
  return [
    line.protein,
    line.go_id ?? '',
    line.aspect ?? '',
    line.score === null ? '' : line.score.toFixed(3),
    certaintyText(line),
    line.supporters === null ? '' : `${line.supporters} of ${line.similar_proteins}`,
    line.donor ?? '',
    line.identity === null ? '' : `${Math.round(line.identity * 100)} %`,
    line.evidence_code ?? '',
    name.length > 60 ? `${name.slice(0, 59)}…` : name,
  ];
}

function certaintyText({ kind, probability, certainty }: AnnotationLine): string {
  if (kind === 'known') return 'known';
  if (probability === null) return 'not calibrated';
  return `${certainty ?? 'weak'} (${Math.round(probability * 100)} %)`;
}
