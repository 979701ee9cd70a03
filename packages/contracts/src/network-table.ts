import { answerEnd } from '@kindred/kernels/combined/vocabulary';
import { spreadsheetCell } from '@kindred/kernels/formats';
import type { NetworkRefusal, NetworkTermScore } from '@kindred/kernels/network';
import { type Aspect, aspectsAsRead } from '@kindred/kernels/vocabulary';
import { noAnswerSentences } from './no-answer.js';

/** The sequence network alone: its table, and what must be said of it wherever its terms are read. */

/** The number of proteins that the page takes at once in the browser. */
export const mostInBrowser = 100;

/** The terms of a protein, or the reason why it has none. */
export type NetworkResult = { terms: readonly NetworkTermScore[] } | { refusal: NetworkRefusal };

const sentences: Readonly<Record<NetworkRefusal, string>> = {
  ...noAnswerSentences,
  short_for_network: 'The sequence has fewer than 30 residues; the network was trained on longer ones.',
};

/** Says why a protein has no terms; null if it has some. */
export function withoutTermsSentence(result: NetworkResult): string | null {
  if ('refusal' in result) return sentences[result.refusal];
  return result.terms.length === 0
    ? `The network gives no term a score of ${answerEnd.score} or more.`
    : null;
}

export const networkTableHead = [
  'accession',
  'aspect',
  'go_id',
  'name',
  'score',
  'bits',
  'implied_by',
  'note',
];
/** The note of each term: the score is no probability. */
const note = 'not calibrated; network alone, no similar protein was looked for';

/** Returns the rows of a protein; one that says why where it has no terms. */
export function networkTableRows(accession: string, result: NetworkResult): string[][] {
  const name = spreadsheetCell(accession);
  const reason = withoutTermsSentence(result);
  if (reason !== null || 'refusal' in result) return [[name, '', '', '', '', '', '', reason ?? '']];
  return result.terms.map((term) => [
    name,
    term.aspect,
    term.goId,
    term.name,
    term.score.toFixed(6),
    term.bits.toFixed(2),
    term.impliedBy ?? '',
    note,
  ]);
}

export const tabbed = (cells: readonly string[]): string => `${cells.join('\t')}\n`;

/** The contents of `models/network/rates.json`, as `training/network/rates.mjs` counts them. */
export interface NetworkRates {
  proteins: number;
  bands: Record<Aspect, { from: number; said: number; right: number }[]>;
  /** The share of the proteins with a term that at most one in eight proteins has, by the least score. */
  specific: [ShareFrom, ...ShareFrom[]];
  shuffled_proteins: number;
  specific_of_shuffled: [ShareFrom, ...ShareFrom[]];
}
interface ShareFrom {
  from: number;
  share: number;
}

const words: Record<Aspect, string> = { F: 'functions', P: 'processes', C: 'components' };
const whole = (share: number): string => `${Math.round(100 * share)} %`;

/** Says what the scores are, and how often such terms were right where that was counted. */
export function networkSentences(rates: NetworkRates): string[] {
  const counted = aspectsAsRead.map((aspect) => {
    const shares = rates.bands[aspect].map(({ said, right }) => whole(right / said));
    return `${words[aspect]} ${listed(shares)}`;
  });
  const nonsense = rates.specific_of_shuffled;
  return [
    'These scores are not calibrated. They come from a network that learned from Swiss-Prot 2014 and, for seven organisms, from the annotations of 2019. It sees the sequence alone: no similar protein was looked for, so there is no evidence to check.',
    `How often it was right, counted on ${rates.proteins.toLocaleString('en')} proteins of families that it never saw: of its most specific terms with a score of 0.2 to 0.5, of 0.5 to 0.8, and above, Swiss-Prot 2014 also has these shares: ${counted.join('; ')}. For other proteins it may be right less often.`,
    `Nonsense gets terms, too: of ${rates.shuffled_proteins.toLocaleString('en')} shuffled proteins, ${listed(nonsense.map(({ share }) => whole(share)))} have a term that few proteins have with a score of at least ${listed(nonsense.map(({ from }) => String(from)))}.`,
  ];
}

const listed = (parts: readonly string[]): string => `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
