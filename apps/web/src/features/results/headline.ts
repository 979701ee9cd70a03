import type { Aspect } from '@kindred/contracts';
import { isNegated } from '@kindred/contracts/vocabulary';
import type { Answer } from '../../app/api/predictions.js';

type Term = Answer['terms'][number];

const openings = { strong: 'Very likely', likely: 'Probably', possible: 'Possibly' } as const;

/**
 * The answer in one sentence: what the protein does, takes part in and where, from the first term of each aspect that it is not known to
 * have. Null without such a term.
 */
export function headlineOf({ terms, known }: Pick<Answer, 'terms' | 'known'>): string | null {
  const isKnown = new Set(
    known?.annotations.filter(({ qualifier }) => !isNegated(qualifier)).map(({ go_id }) => go_id),
  );
  const first = (aspect: Aspect) =>
    terms.find((term) => term.aspect === aspect && term.contradiction === null && !isKnown.has(term.go_id));
  const [does, takesPart, is] = [first('F'), first('P'), first('C')];
  const parts = [
    does === undefined ? null : `has ${does.name}`,
    takesPart === undefined ? null : `takes part in ${takesPart.name}`,
    is === undefined ? null : `is found in: ${is.name}`,
  ].filter((part) => part !== null);
  if (parts.length === 0) return null;
  const sentence = joined(parts);
  if (known !== null && known.annotation_count > 0)
    return `Known as ${known.accession}. Beyond that, it ${sentence}.`;
  const opening = openingOf([does, takesPart, is]);
  return opening === null
    ? `By the method of this run, not calibrated, it ${sentence}.`
    : `${opening} it ${sentence}.`;
}

/** The least certain of the shown terms decides, as the sentence holds only where all of them do. */
function openingOf(terms: readonly (Term | undefined)[]): string | null {
  const shown = terms.filter((term) => term !== undefined);
  if (shown.some(({ certainty }) => certainty === null)) return null;
  for (const certainty of ['possible', 'likely', 'strong'] as const)
    if (shown.some((term) => term.certainty === certainty)) return openings[certainty];
  return openings.possible;
}

function joined(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length === 1 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}
