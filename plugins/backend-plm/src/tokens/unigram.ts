import { badModel } from '../bad-model.js';

/** A piece of text that a tokenizer knows, and the logarithm of its probability. Its id is its place in the list. */
export type Piece = readonly [text: string, score: number];

/** The amount by which a character that no piece covers scores below the least probable piece. */
const unknownPenalty = 10;

/**
 * Cuts a text into the most probable pieces (Viterbi's algorithm), as the Unigram tokenizers of transformers do. A run of characters that
 * no piece covers becomes one unknown token. Cost: O(characters x longest piece).
 * @cite Kudo2018
 * @returns the ids of the pieces in order
 */
export function unigramCutter(pieces: readonly Piece[], unknown: number): (text: string) => number[] {
  if (pieces.length === 0) throw badModel('the tokenizer has no pieces with probabilities');
  const known = new Map(pieces.map(([text, score], id) => [text, { id, score }]));
  let longest = 1;
  let leastScore = Number.POSITIVE_INFINITY;
  for (const [text, score] of pieces) {
    longest = Math.max(longest, text.length);
    leastScore = Math.min(leastScore, score);
  }
  const unknownPiece = { id: unknown, score: leastScore - unknownPenalty };
  return (text) => {
    // The entry best[i] is the best way to cut the first i characters.
    const best: ({ id: number; score: number; start: number } | undefined)[] = [
      { id: unknown, score: 0, start: 0 },
    ];
    for (let start = 0; start < text.length; start++) {
      const before = best[start];
      if (before === undefined) continue;
      const offer = (end: number, piece: { id: number; score: number }) => {
        const score = before.score + piece.score;
        const rival = best[end];
        if (rival === undefined || score > rival.score) best[end] = { id: piece.id, score, start };
      };
      for (let end = start + 1; end <= Math.min(text.length, start + longest); end++) {
        const piece = known.get(text.slice(start, end));
        if (piece) offer(end, piece);
        else if (end === start + 1) offer(end, unknownPiece);
      }
    }
    return pathTo(best, text.length, unknown);
  };
}

function pathTo(
  best: readonly ({ id: number; start: number } | undefined)[],
  length: number,
  unknown: number,
): number[] {
  const ids: number[] = [];
  for (let end = length; end > 0; ) {
    const { id, start } = best[end] as { id: number; start: number };
    if (id !== unknown || ids.at(-1) !== unknown) ids.push(id);
    end = start;
  }
  return ids.reverse();
}
