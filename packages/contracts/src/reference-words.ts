import type { z } from 'zod';
import type { referenceReliability, referenceReply } from './resources/references.js';
import { experimentalEvidence } from './vocabulary.js';

/** A version of a reference, by the hash of its content, which is null if it was not computed. */
export interface ReferenceVersion {
  name: string;
  version: string;
  content_sha256: string | null;
}

/** Names the reference with which files, replies and pages were made, for the people who keep them. */
export function referenceText({ name, version, content_sha256: hash }: ReferenceVersion): string {
  return `${name}@${version}${hash === null ? '' : `, SHA-256 ${hash}`}`;
}

type Reliability = z.infer<typeof referenceReliability>;

const percent = (share: number): string => `${Math.round(100 * share)}`;

function rateText({ word, right, low, high, proteins }: Reliability['words'][number]): string {
  return right === null || low === null || high === null
    ? `${word} too few (n = ${proteins})`
    : `${word} ${percent(right)} % (${percent(low)} to ${percent(high)}, n = ${proteins})`;
}

/** Says how often the terms of each word were right in the test of a reference, a sentence for each sense; none without a test. */
export function testSentences({ words }: Pick<Reliability, 'words'>): string[] {
  const meanings = new Set(words.map(({ meaning }) => meaning));
  return Array.from(meanings, (meaning) => {
    const rates = words.filter((one) => one.meaning === meaning).map(rateText);
    return `${meaning}: ${rates.join(', ')}`;
  });
}

/** Says in one paragraph what the test of a reference found, for results that were made with it; null without a test. */
export function testText(reliability: Reliability | null): string | null {
  if (reliability === null || reliability.words.length === 0) return null;
  const { held_out, answered } = reliability;
  return (
    `${held_out.toLocaleString('en')} of its own proteins were asked without their own annotations, and ${(answered ?? 0).toLocaleString('en')} answered. ` +
    `Terms that were right, by word, with 95 % intervals and numbers of proteins: ${testSentences(reliability).join('; ')}.`
  );
}

/** A line of the summary of a reference. An empty label goes on with the line before. */
export type ReferenceFact = readonly [label: string, text: string];

const count = (n: number): string => n.toLocaleString('en');

/** Says what is in a reference, for the terminal and the page. `untested` says how to test it. */
export function referenceFacts(row: z.infer<typeof referenceReply>, untested: string): ReferenceFact[] {
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
export function reliabilityFacts(found: Reliability | null, untested: string): ReferenceFact[] {
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
