import type { z } from 'zod';
import type { referenceReliability } from './resources/references.js';

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
