import { certainties, type Certainty } from '@kindred/kernels/combined/vocabulary';
import { type Aspect, aspectsAsRead } from '@kindred/kernels/vocabulary';

/** The meaning of the choice that `predict_go_terms` and annotate share. */
export const sequenceOnlyMeaning =
  'a query without a similar protein gets terms of process and component from its sequence alone, where the sequence network tells it from noise. Leave it off in tests on annotations from before February 2019, which the network has seen. It has no effect with chosen evidence, sources, aspects or organisms of the reference, with several embeddings, with another embedding than kmer-1024, and beside a reference without any experiment';

/** The title of terms from the sequence alone, wherever they are read. */
export const sequenceOnlyTitle = 'From the sequence alone: no similar protein in the reference';

interface Tested {
  said: number;
  right: number;
}
/**
 * How many terms each word said of proteins without a relative in the starter reference, of families that the network never saw, and how
 * many of them were right, by curves of other families. A test compares the numbers with `models/network/orphan-curves.json`.
 */
export const sequenceOnlyTest: Readonly<Partial<Record<Aspect, Readonly<Record<Certainty, Tested>>>>> = {
  P: {
    strong: { said: 0, right: 0 },
    likely: { said: 1499, right: 758 },
    possible: { said: 1545, right: 422 },
    weak: { said: 3796, right: 571 },
  },
  C: {
    strong: { said: 542, right: 482 },
    likely: { said: 339, right: 238 },
    possible: { said: 719, right: 178 },
    weak: { said: 758, right: 108 },
  },
};

const aspectWords: Readonly<Record<Aspect, string>> = { F: 'functions', P: 'processes', C: 'components' };

/** Says what such terms are, and how often they were right. */
export const sequenceOnlySentence = `${sequenceOnlyTitle}. A network that learned from Swiss-Prot 2014 and GOA 2019 gives the terms. On proteins of families that it never saw such terms were right, by Swiss-Prot, in these shares: ${aspectsAsRead
  .flatMap((aspect) => sharesOf(aspect))
  .join('; ')}. It gives no functions, and there is no protein to check the terms by.`;

function sharesOf(aspect: Aspect): string[] {
  const tested = sequenceOnlyTest[aspect];
  if (tested === undefined) return [];
  const shares = certainties.flatMap((word) => {
    const { said, right } = tested[word];
    return said === 0 ? [] : [`${word} ${Math.round((100 * right) / said)} %`];
  });
  return [`${aspectWords[aspect]} ${shares.join(', ')}`];
}

/** Says which residues speak most for a term that comes from the sequence alone. */
export function stretchSentence({
  start,
  end,
  probability,
  without,
}: {
  start: number;
  end: number;
  probability: number;
  without: number;
}): string {
  return `Residues ${start} to ${end} speak most for it: without them, the network's own probability is ${without.toFixed(2)} instead of ${probability.toFixed(2)}.`;
}

/** Says how many proteins without a similar one have terms all the same. */
export function sequenceOnlyText(answered: number, all: number): string {
  const subject = all === 1 ? '1 protein has' : `${all} proteins have`;
  return `${subject} no similar one in the reference; ${answered} of them ${answered === 1 ? 'has' : 'have'} terms from the sequence alone (basis sequence_alone in the table).`;
}

/** Says the same of the result of a prediction job; null where no query has such terms. */
export function sequenceOnlyCount(
  result: Readonly<Record<string, unknown>> | null | undefined,
): string | null {
  const answered = Number(result?.sequence_only ?? 0);
  if (answered === 0) return null;
  const { no_similar_protein: unanswered = 0 } = (result?.no_answer ?? {}) as Record<string, number>;
  return sequenceOnlyText(answered, answered + unanswered);
}

/** Says whether a prediction set with these settings answers queries without a similar protein from their sequence alone. */
export function usesSequenceOnly(parameters: unknown): boolean {
  return (parameters as { sequence_only?: unknown } | null)?.sequence_only === true;
}
