import type { Client, Input } from '@kindred/client';
import { exportColumns } from '@kindred/contracts/resources/exports';
import {
  answerColumn,
  type AnswerColumnName,
  answerColumnsIn,
  answerHeading,
  type AnswerLine,
  supportText,
} from '@kindred/kernels/answer';
import { roundedProbability } from '@kindred/kernels/combined/vocabulary';
import { cellText, lines, spreadsheetCell } from '@kindred/kernels/formats';
import { unrecordedEvidence } from '@kindred/kernels/vocabulary';

type ExportQuery = Input<'GET', '/embeddings/prediction-sets/:id/export'>['query'];

/**
 * Downloads the exported table of a prediction set. `all` adds the terms below the end of the answer, and
 * `contradicted` those that a taxon constraint or NOT speaks against.
 */
export async function answerTable(
  client: Client,
  id: string,
  { all, contradicted = all }: { all: boolean; contradicted?: boolean },
): Promise<AsyncIterable<Uint8Array>> {
  const { body } = await client.download('/embeddings/prediction-sets/:id/export', {
    params: { id },
    query: { format: 'tsv', all, contradicted } as ExportQuery,
  });
  return body as unknown as AsyncIterable<Uint8Array>;
}

/** Reads the exported table; texts come without the apostrophe that keeps a spreadsheet from running them. */
export async function* readAnnotations(tsv: AsyncIterable<Uint8Array>): AsyncIterable<AnswerLine> {
  let names: string[] | null = null;
  for await (const line of lines(tsv)) {
    const cells = line.split('\t');
    if (names === null) {
      names = cells;
      continue;
    }
    yield Object.fromEntries(
      names.map((name, i) => [name, cellOf(name, cells[i] ?? '')]),
    ) as unknown as AnswerLine;
  }
}

function cellOf(name: string, text: string): AnswerLine[keyof AnswerLine] {
  if (text === '') return null;
  const { type } = answerColumn(name as AnswerColumnName);
  if (type === 'flag') return text === 'yes';
  return type === 'text' ? cellText(text) : Number(text);
}

/** A flag becomes yes or no, and null the empty text. */
export function textOf(value: AnswerLine[keyof AnswerLine]): string {
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value ?? '');
}

/** Writes one line of a TSV, safe to open in a spreadsheet, like the exported table. */
export function tableLine(line: AnswerLine): string {
  return `${exportColumns.map((column) => spreadsheetCell(textOf(line[column]))).join('\t')}\n`;
}

/** A terminal shows these columns; names of terms are long, so they come last. */
const terminalColumns = answerColumnsIn('terminal').toSorted(
  (a, b) => Number(a === 'go_name') - Number(b === 'go_name'),
);
type TerminalColumn = (typeof terminalColumns)[number] | 'reference';

/** The table has a column of references if several references answered its proteins. */
function columnsFor(lines: readonly AnswerLine[]): readonly TerminalColumn[] {
  const isOfSeveral = new Set(lines.map(({ reference }) => reference)).size > 1;
  return isOfSeveral ? [...terminalColumns.slice(0, -1), 'reference', 'go_name'] : terminalColumns;
}

/**
 * Formats lines for a terminal, in aligned columns: the known terms of each protein and its best predictions,
 * or the reason why there are none.
 */
export function formatTable(lines: readonly AnswerLine[], perProtein: number): string {
  const columns = columnsFor(lines);
  const shown: string[][] = [columns.map(answerHeading)];
  const counts = new Map<string, number>();
  for (const line of lines.filter(isListed)) {
    const key = `${line.kind} ${line.protein}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    if (count < perProtein) shown.push(columns.map((name) => terminalText(name, line)));
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

/**
 * Lists leave out a term that another term of the answer implies with at least the same certainty, and
 * predictions of known terms.
 */
export function isListed({ kind, folded_under, is_known }: AnswerLine): boolean {
  return kind !== 'predicted' || (folded_under === null && is_known !== true);
}

const longestName = 60;

function terminalText(name: TerminalColumn, line: AnswerLine): string {
  switch (name) {
    case 'go_id':
      return line.go_id ?? '-';
    case 'score':
      return line.score?.toFixed(3) ?? '';
    case 'certainty':
      return certaintyText(line);
    case 'supporters':
      return supportText(line) ?? '';
    case 'identity':
      return line.identity === null ? '' : `${Math.round(line.identity * 100)} %`;
    case 'go_name':
      return line.kind === 'no_answer' ? reasonText(line) : shortened(line.go_name ?? '');
    case 'source_id':
      return line.basis === 'sequence_alone' ? 'sequence alone' : textOf(line.source_id);
    case 'protein':
    case 'aspect':
    case 'reference':
      return textOf(line[name]);
    case 'evidence_code':
      return textOf(line.evidence_code).replaceAll(unrecordedEvidence, 'not recorded');
  }
}

function reasonText({ no_answer }: AnswerLine): string {
  return (no_answer ?? 'nothing found').replaceAll('_', ' ');
}

function shortened(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name;
}

function certaintyText({ kind, is_known, probability, certainty }: AnswerLine): string {
  if (kind === 'known' && is_known === false) return 'known NOT';
  if (kind !== 'predicted') return kind.replace('_', ' ');
  if (probability === null) return 'not calibrated';
  return `${certainty} (${Math.round(roundedProbability(probability) * 100)} %)`;
}
