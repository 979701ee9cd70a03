import type { z } from 'zod';
import { testSentences } from './reference-words.js';
import type { referenceReply } from './resources/references.js';
import { experimentalEvidence } from './vocabulary.js';

type Reference = z.infer<typeof referenceReply>;

/** A line of the summary of a reference. An empty label goes on with the line before. */
export type ReferenceFact = readonly [label: string, text: string];

const count = (n: number): string => n.toLocaleString('en');

/** Says what is in a reference, for the terminal and the page. `untested` says how to test it. */
export function referenceFacts(row: Reference, untested: string): ReferenceFact[] {
  const evidence = Object.entries(row.annotations_by_evidence);
  const experimental = evidence
    .filter(([code]) => (experimentalEvidence as readonly string[]).includes(code))
    .reduce((sum, [, rows]) => sum + rows, 0);
  const byEvidence = evidence.map(([code, rows]) => `${code} ${count(rows)}`).join(', ');
  return [
    ['content', row.content_sha256 ?? 'not computed'],
    ['ontology', row.obo_version ?? 'none yet'],
    ['proteins', `${count(row.protein_count)}, ${count(row.annotated_protein_count)} of them annotated`],
    ['annotations', `${count(row.annotation_count)}, ${count(experimental)} of them experimental`],
    ['', byEvidence],
    ...row.vectors.map(
      ({ vector_count, model_name, dimension }) =>
        ['vectors', `${count(vector_count)} of ${model_name} (${dimension} numbers)`] as const,
    ),
    ...reliabilityFacts(row.reliability, untested),
    ...row.parts.map(
      ({ kind, name, licence }) => [kind, `${name}${licence === null ? '' : ` (${licence})`}`] as const,
    ),
    ...Object.entries(row.left_out).map(
      ([reason, rows]) => ['left out', `${count(rows)} ${reason}`] as const,
    ),
  ];
}

/** Says what the test of a reference found. */
export function reliabilityFacts(found: Reference['reliability'], untested: string): ReferenceFact[] {
  if (found === null) return [['reliability', `not measured; ${untested}`]];
  if (found.why_not !== null) return [['reliability', `not measured: ${found.why_not}`]];
  const answered = found.answered === null ? '' : `, ${count(found.answered)} answered`;
  const figures = found.aspects.map(({ aspect, proteins, fmax, low, high }) =>
    fmax === null || low === null || high === null
      ? `${aspect} too few proteins (${count(proteins)})`
      : `${aspect} ${fmax.toFixed(3)} (${low.toFixed(3)}-${high.toFixed(3)}; ${count(proteins)} proteins)`,
  );
  const fmax = figures.join(', ') || 'too few proteins with experiments';
  return [
    [
      'reliability',
      `${count(found.held_out)} of its proteins, asked without their own annotations${answered}`,
    ],
    ['', `Fmax against experiments: ${fmax}`],
    ...testSentences(found).map((sentence) => ['', `right, ${sentence}`] as const),
  ];
}
