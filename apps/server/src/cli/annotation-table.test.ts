import { exportColumns } from '@kindred/contracts/resources/exports';
import type { AnswerLine } from '@kindred/kernels/answer';
import { expect, it } from 'vitest';
import { formatTable, readAnnotations, tableLine } from './annotation-table.js';

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

const rowOf = (cells: Record<string, string>) =>
  `${exportColumns.map((column) => cells[column] ?? '').join('\t')}\n`;

/** Reads a table of one line with these cells. */
async function linesOf(cells: Record<string, string>): Promise<AnswerLine[]> {
  const lines: AnswerLine[] = [];
  const table = bytesOf(`${exportColumns.join('\t')}\n${rowOf(cells)}`);
  for await (const line of readAnnotations(table)) lines.push(line);
  return lines;
}

it('reads texts as they were, and writes them safe for a spreadsheet', async () => {
  const cells: Record<string, string> = {
    protein: "'=HYPERLINK(1)",
    kind: 'predicted',
    go_id: 'GO:0005515',
    score: '-0.5',
    db_reference: "''+1a",
    source_id: "O'Brien",
  };
  const lines = await linesOf(cells);
  const [line] = lines;
  expect(line).toMatchObject({
    protein: '=HYPERLINK(1)',
    go_id: 'GO:0005515',
    score: -0.5,
    db_reference: "'+1a",
    source_id: "O'Brien",
    evidence_code: null,
  });
  expect(tableLine(line)).toBe(rowOf(cells));
});

it('says in words that the evidence is not recorded', async () => {
  const cells: Record<string, string> = { protein: 'Q1', kind: 'known', evidence_code: 'IDA|ECO:0000000' };
  const lines = await linesOf(cells);
  expect(formatTable(lines, 1)).toContain('IDA|not recorded');
  expect(tableLine(lines[0])).toContain('IDA|ECO:0000000');
});

it('shows no percentage that contradicts its word', async () => {
  const cells: Record<string, string> = {
    protein: 'Q1',
    kind: 'predicted',
    go_id: 'GO:0005515',
    probability: '0.246',
    certainty: 'weak',
  };
  const lines = await linesOf(cells);
  expect(formatTable(lines, 1)).toContain('weak (24 %)');
});

it('says of a term by NOT that the protein does not have it', async () => {
  const cells: Record<string, string> = {
    protein: 'Q1',
    kind: 'known',
    go_id: 'GO:0009534',
    qualifier: 'NOT|located_in',
    is_known: 'no',
  };
  const lines = await linesOf(cells);
  expect(formatTable(lines, 1)).toMatch(/GO:0009534 .*known NOT/);
});

it('names the protein, and in place of a source the sequence where the term comes from it alone', async () => {
  const cells: Record<string, string> = {
    ...{ protein: 'Q1', kind: 'predicted', basis: 'sequence_alone', go_id: 'GO:0005515', score: '0.5' },
    ...{ probability: '0.5', certainty: 'likely' },
  };
  expect(formatTable(await linesOf(cells), 1)).toMatch(/\nQ1 +GO:0005515 .* sequence alone/);
  const similar = await linesOf({ ...cells, basis: 'prediction', source_id: 'P1' });
  expect(formatTable(similar, 1)).toMatch(/\nQ1 +GO:0005515 .* P1/);
});
