import type { Client, Reply } from '@kindred/client';
import { ProblemError } from '@kindred/contracts';
import { dependentHeadings, dependentSentence } from '@kindred/contracts/dependent-words';
import { type ReferenceFact, referenceFacts, reliabilityFacts } from '@kindred/contracts/reference-facts';
import { referenceText } from '@kindred/contracts/reference-words';
import type { Dependents } from '@kindred/contracts/resources/dependents';

export type Reference = Reply<'GET', '/references/:reference'>;

export const referenceName = ({ name, version }: Pick<Reference, 'name' | 'version'>): string =>
  `${name}@${version}`;

/** @throws ProblemError conflict while it is not complete */
export async function completeReference(client: Client, reference: string): Promise<Reference> {
  const found = await client.get('/references/:reference', { params: { reference } });
  if (found.status === 'complete') return found;
  throw new ProblemError(
    'conflict',
    `${referenceName(found)} is ${found.status}: build it first, or name a complete version.`,
  );
}

const count = (n: number) => n.toLocaleString('en');

/** Writes columns for a person: which reference, how much is in it, which is the default. */
export function referenceTable(rows: readonly Reference[]): string {
  const cells = [
    ['reference', 'state', 'proteins', 'annotations', 'ontology', 'vectors', 'content'],
    ...rows.map((row) => [
      `${referenceName(row)}${row.is_default ? ' (default)' : ''}`,
      row.status,
      count(row.protein_count),
      count(row.annotation_count),
      row.obo_version ?? '',
      row.vectors.map(({ model_name }) => model_name).join(', '),
      row.content_sha256?.slice(0, 12) ?? '',
    ]),
  ];
  return alignedColumns(cells);
}

/** Aligns rows of cells, one below the other; the first row says how many columns there are. */
export function alignedColumns(cells: string[][]): string {
  const widths = cells[0].map((_, column) => Math.max(...cells.map((line) => line[column].length)));
  const line = (row: string[]) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]))
      .join('  ')
      .trimEnd();
  return `${cells.map(line).join('\n')}\n`;
}

/** Describes the changes by part; annotations by aspect and evidence. */
export function describeChanges(diff: Reply<'GET', '/references/:reference/diff'>): string {
  const { from, to, proteins, terms, annotations } = diff;
  const head = [
    `From ${referenceText(from)}\nto   ${referenceText(to)}`,
    `  proteins     ${count(proteins.gained)} gained, ${count(proteins.lost)} lost, ${count(proteins.sequence_changed)} with another sequence`,
    `  terms        ${count(terms.added)} added, ${count(terms.obsolete)} obsolete, ${count(terms.replaced)} replaced`,
  ];
  if (annotations.length === 0) return `${head.join('\n')}\n  annotations  none gained or lost\n`;
  const rows = annotations.map((row) => [row.aspect, row.evidence_code, count(row.gained), count(row.lost)]);
  return `${head.join('\n')}\n\n${alignedColumns([['aspect', 'evidence', 'gained', 'lost'], ...rows])}`;
}

export function describeReference(row: Reference): string {
  const lines = [
    `Reference ${referenceName(row)}: ${row.status}${row.is_default ? ', the default' : ''}`,
    ...(row.error === null ? [] : [`  ${row.error}`]),
    ...linesOf(referenceFacts(row, untested)),
  ];
  return `${lines.join('\n')}\n`;
}

const untested = 'measure it with: kindred reference test NAME';
const linesOf = (facts: readonly ReferenceFact[]): string[] =>
  facts.map(([label, text]) => `  ${label.padEnd(12)} ${text}`);

/** Describes what the test of a reference found, in lines that are indented below its name. */
export const reliabilityLines = (found: Reference['reliability']): string[] =>
  linesOf(reliabilityFacts(found, untested));

/**
 * Lists the rows to delete before a row, those that are deleted with it, and those that stay; empty if
 * nothing depends on it.
 */
export function describeDependents(dependents: Dependents): string {
  const parts = Object.entries(dependentHeadings).map(([effect, heading]) => {
    const lines = dependents[effect as keyof Dependents].map((rows) => `  ${dependentSentence(rows)}\n`);
    return lines.length === 0 ? '' : `${heading}\n${lines.join('')}`;
  });
  return parts.join('');
}
