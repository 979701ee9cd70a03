import { quoted } from './format-error.js';
import { relationNames } from './relation-names.js';

/** A qualifier of GAF, GPAD or QuickGO. */
export interface Qualifier {
  /** The names of relations as the Gene Ontology writes them, after `NOT|` where negated; null if the column is empty. */
  text: string | null;
  negated: boolean;
}

const none: Qualifier = { text: null, negated: false };
const read = new Map<string, Qualifier>();

/**
 * Reads a qualifier: relations of the Gene Ontology's list and NOT, between `|`, in any case and order, with blanks or hyphens for
 * underscores. A string is the reason why the text cannot be read, because a word that is not on the list could mean the opposite.
 */
export function readQualifier(text: string): Qualifier | string {
  if (text === '') return none;
  const known = read.get(text);
  if (known !== undefined) return known;
  const words = text
    .split('|')
    .map((word) =>
      word
        .trim()
        .toLowerCase()
        .replaceAll(/[\s-]+/g, '_'),
    )
    .filter((word) => word !== '');
  const relations = words.filter((word) => word !== 'not');
  const unknown = relations.find((word) => !relationNames.has(word));
  if (unknown !== undefined || (words.length === 0 && text.trim() !== ''))
    return `qualifier: ${quoted(text)} is neither NOT nor a relation of the Gene Ontology (${[...relationNames].sort().join(', ')})`;
  const negated = words.length > relations.length;
  const qualifier = { text: [...(negated ? ['NOT'] : []), ...relations].join('|') || null, negated };
  // The number of remembered texts is limited: a file has few qualifiers, and a file of another kind would fill the memory.
  if (read.size < 1000) read.set(text, qualifier);
  return qualifier;
}

/** Reads the column Negation of GPAD 2.0: nothing, or NOT in any spelling. A string is the reason why the text cannot be read. */
export function readNegation(text: string): boolean | string {
  const words = text.split('|').map((word) => word.trim().toUpperCase());
  if (words.every((word) => word === '')) return text.includes('|') ? negationFault(text) : false;
  return words.every((word) => word === '' || word === 'NOT') ? true : negationFault(text);
}

const negationFault = (text: string) => `column 2: expected NOT or nothing, found ${quoted(text)}`;
