import { type Aspect, aspectsAsRead } from '@kindred/contracts/vocabulary';
import type { Answer } from '../../app/api/predictions.js';

type Term = Answer['terms'][number];
type Named = Pick<Term, 'name' | 'aspect'>;

/**
 * Writes the answer in one or two sentences: what the protein does, takes part in and where it is. What is known comes first, then what
 * is predicted beyond that, from the first line of each aspect and in the words of its certainty. Beyond what is known, weak lines are
 * not worth a sentence, because most of them are wrong. The result is null without such a term.
 */
export function headlineOf({
  accession,
  terms,
  known,
}: Pick<Answer, 'accession' | 'terms' | 'known'>): string | null {
  const beyond = terms.filter(
    (term) => term.contradiction === null && term.is_known !== true && term.folded_under === null,
  );
  const lines = firstOfEach(beyond);
  const predicted = joined(lines.map(guess));
  if (known === null) return predicted === null ? null : `It ${predicted}.`;
  // The name of the query stands above the sentence, so its own accession is not said again.
  const start = known.accession === accession ? 'What is known' : `Known as ${known.accession}`;
  const has = joined(firstOfEach(known.terms.filter((term) => !term.is_negated)).map(fact));
  if (has !== null) {
    const first = `${start}: it ${has}.`;
    const more = joined(lines.filter(({ certainty }) => certainty !== 'weak').map(guess));
    return more === null ? first : `${first} Beyond what is known, it ${more}.`;
  }
  // A protein of the reference may have only annotations that say too little for a headline.
  return predicted === null ? null : `Known as ${known.accession}, without a term. It ${predicted}.`;
}

function firstOfEach<One extends Named>(terms: readonly One[]): One[] {
  return aspectsAsRead.flatMap((aspect) => terms.find((term) => term.aspect === aspect) ?? []);
}

const facts: Readonly<Record<Aspect, string>> = { F: 'has', P: 'takes part in', C: 'is found in:' };
const chances: Readonly<Record<Aspect, string>> = {
  F: 'may have',
  P: 'may take part in',
  C: 'may be found in:',
};

function fact({ aspect, name }: Named): string {
  return `${facts[aspect]} ${name}`;
}

function guess(term: Term): string {
  const { aspect, name, certainty } = term;
  switch (certainty) {
    case 'strong':
      return `very likely ${fact(term)}`;
    case 'likely':
      return `probably ${fact(term)}`;
    case 'possible':
      return `${chances[aspect]} ${name}`;
    case 'weak':
      return `${chances[aspect]} ${name} (weak)`;
    case null:
      return `${chances[aspect]} ${name} (not calibrated)`;
  }
}

function joined(parts: readonly string[]): string | null {
  const last = parts.at(-1);
  if (last === undefined || parts.length === 1) return last ?? null;
  return `${parts.slice(0, -1).join(', ')} and ${last}`;
}
