import type { Aspect } from '@kindred/contracts';
import type { Answer } from '../../app/api/predictions.js';

type Term = Answer['terms'][number];
type Named = Pick<Term, 'name' | 'aspect'>;

const openings = { strong: 'Very likely', likely: 'Probably', possible: 'Possibly' } as const;

/**
 * The answer in one or two sentences: what the protein does, takes part in and where, first by what is known of it, then by what is
 * predicted beyond that, from the first term of each aspect. Null without such a term.
 */
export function headlineOf({ terms, known }: Pick<Answer, 'terms' | 'known'>): string | null {
  const beyond = terms.filter((term) => term.contradiction === null && term.is_known !== true);
  const predicted = sentenceOf(beyond);
  const has = known === null ? null : sentenceOf(known.terms.filter((term) => !term.is_negated));
  if (known === null || has === null) return predicted === null ? null : guessed(beyond, predicted, known);
  const first = `Known as ${known.accession}: it ${has}.`;
  return predicted === null
    ? first
    : `${first} Beyond what is known: ${decapitalised(opened(beyond, predicted))}`;
}

/** A protein of the reference may have no annotation that says something. */
function guessed(terms: readonly Term[], sentence: string, known: Answer['known']): string {
  const sentenceOpened = opened(terms, sentence);
  return known === null ? sentenceOpened : `Known as ${known.accession}, without a term. ${sentenceOpened}`;
}

function opened(terms: readonly Term[], sentence: string): string {
  const opening = openingOf(firstOfEach(terms));
  return opening === null
    ? `By the method of this run, not calibrated, it ${sentence}.`
    : `${opening} it ${sentence}.`;
}

function decapitalised(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function firstOfEach<One extends Named>(terms: readonly One[]): One[] {
  return (['F', 'P', 'C'] as const).flatMap((aspect) => terms.find((term) => term.aspect === aspect) ?? []);
}

const verbs: Readonly<Record<Aspect, string>> = { F: 'has', P: 'takes part in', C: 'is found in:' };

function sentenceOf(terms: readonly Named[]): string | null {
  const parts = firstOfEach(terms).map(({ aspect, name }) => `${verbs[aspect]} ${name}`);
  return parts.length === 0 ? null : joined(parts);
}

/** The least certain of the shown terms decides, as the sentence holds only where all of them do. */
function openingOf(shown: readonly Term[]): string | null {
  if (shown.some(({ certainty }) => certainty === null)) return null;
  for (const certainty of ['possible', 'likely', 'strong'] as const)
    if (shown.some((term) => term.certainty === certainty)) return openings[certainty];
  return openings.possible;
}

function joined(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length === 1 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}
