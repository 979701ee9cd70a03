import { plural } from '../../shared/format.js';
import { idOfHeader } from '../../shared/sequence-input.js';
import type { Answer } from '../../app/api/predictions.js';

type Searched = NonNullable<Answer['searched']>;

/** Says what was searched in vain, and what would help. */
export function searchedSentence({ references, others }: Searched): string {
  const next =
    others.length === 0
      ? 'No other reference is loaded: one of its own organism helps most (kindred reference build).'
      : 'Other references are loaded and were not searched:';
  return `Searched: ${references.map(referenceWords).join('; ')}. ${next}`;
}

function referenceWords(reference: Searched['references'][number]): string {
  const { name, protein_count, organisms, has_more_organisms } = reference;
  const named = has_more_organisms ? [...organisms, 'others'] : organisms;
  const last = named.at(-1);
  const of =
    last === undefined
      ? ''
      : ` of ${named.length === 1 ? last : `${named.slice(0, -1).join(', ')} and ${last}`}`;
  return `${name}, ${plural(protein_count, 'annotated protein')}${of}`;
}

/** Returns the record of one protein in FASTA. @throws Error if it is not there */
export function recordOf(fasta: string, accession: string): string {
  const record = fasta.split(/^(?=>)/m).find((one) => idOfHeader(one.split('\n', 1)[0] ?? '') === accession);
  if (record === undefined) throw new Error(`The sequence of ${accession} is no longer there.`);
  return record;
}
