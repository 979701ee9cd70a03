import type { Reply } from '@kindred/client';
import { experimentalEvidence } from '@kindred/contracts';

export type Reference = Reply<'GET', '/references/:reference'>;

const count = (n: number) => n.toLocaleString('en');

/** Columns for a person: which reference, how much is in it, which is the default. */
export function referenceTable(rows: readonly Reference[]): string {
  const cells = [
    ['reference', 'state', 'proteins', 'annotations', 'ontology', 'vectors', 'content'],
    ...rows.map((row) => [
      `${row.name}@${row.version}${row.is_default ? ' (default)' : ''}`,
      row.status,
      count(row.protein_count),
      count(row.annotation_count),
      row.obo_version ?? '',
      row.vectors.map(({ model_name }) => model_name).join(', '),
      row.content_sha256?.slice(0, 12) ?? '',
    ]),
  ];
  return columns(cells);
}

function columns(cells: string[][]): string {
  const widths = cells[0].map((_, column) => Math.max(...cells.map((line) => line[column].length)));
  const line = (row: string[]) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]))
      .join('  ')
      .trimEnd();
  return `${cells.map(line).join('\n')}\n`;
}

/** What changed, by part; annotations by aspect and evidence. */
export function describeChanges(diff: Reply<'GET', '/references/:reference/diff'>): string {
  const { from, to, proteins, terms, annotations } = diff;
  const head = [
    `From ${from.name}@${from.version} to ${to.name}@${to.version}`,
    `  proteins     ${count(proteins.gained)} gained, ${count(proteins.lost)} lost, ${count(proteins.sequence_changed)} with another sequence`,
    `  terms        ${count(terms.added)} added, ${count(terms.obsolete)} obsolete, ${count(terms.replaced)} replaced`,
  ];
  if (annotations.length === 0) return `${head.join('\n')}\n  annotations  none gained or lost\n`;
  const rows = annotations.map((row) => [row.aspect, row.evidence_code, count(row.gained), count(row.lost)]);
  return `${head.join('\n')}\n\n${columns([['aspect', 'evidence', 'gained', 'lost'], ...rows])}`;
}

/** The summary of a build. */
export function describeReference(row: Reference): string {
  const evidence = Object.entries(row.annotations_by_evidence);
  const experimental = evidence
    .filter(([code]) => (experimentalEvidence as readonly string[]).includes(code))
    .reduce((sum, [, rows]) => sum + rows, 0);
  const lines = [
    `Reference ${row.name}@${row.version}: ${row.status}${row.is_default ? ', the default' : ''}`,
    ...(row.error === null ? [] : [`  ${row.error}`]),
    `  content      ${row.content_sha256 ?? 'not computed'}`,
    `  ontology     ${row.obo_version ?? 'none yet'}`,
    `  proteins     ${count(row.protein_count)}, ${count(row.annotated_protein_count)} of them annotated`,
    `  annotations  ${count(row.annotation_count)}, ${count(experimental)} of them experimental`,
    `               ${evidence.map(([code, rows]) => `${code} ${count(rows)}`).join(', ')}`,
    ...row.vectors.map(
      (vectors) =>
        `  vectors      ${count(vectors.vector_count)} of ${vectors.model_name} (${vectors.dimension} numbers)`,
    ),
    ...row.parts.map(
      (part) => `  ${part.kind.padEnd(12)} ${part.name}${part.licence === null ? '' : ` (${part.licence})`}`,
    ),
    ...Object.entries(row.left_out).map(([reason, rows]) => `  left out     ${count(rows)} ${reason}`),
  ];
  return `${lines.join('\n')}\n`;
}
