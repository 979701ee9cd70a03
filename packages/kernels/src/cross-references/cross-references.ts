import { certaintyOf } from '../combined/vocabulary/certainty.js';

/**
 * The numbers by which other databases name what a term says, each as a text joined by `|`; null means that the Gene Ontology gives none.
 * They are those of the term itself. The numbers of a broader or narrower term would name another reaction.
 */
export interface CrossReferences {
  /** The numbers of the enzyme classification, such as `3.5.4.2`; a class of enzymes ends in `-`, such as `3.5.-.-`. */
  ec_numbers: string | null;
  /** The reactions of Rhea by number, such as `23688`. */
  rhea_reactions: string | null;
}

/** Terms without a cross-reference have these. */
export const noCrossReferences: CrossReferences = { ec_numbers: null, rhea_reactions: null };

/** A class may end early (`3.5`) or in dashes (`3.5.-.-`); a preliminary number has an n before its last part. */
const ecNumber = /^[1-7](?:\.\d+){0,2}(?:\.-){0,3}$|^[1-7](?:\.\d+){2}\.n?\d+$/;

/** Writes an EC number with its four parts; null for a text that is no EC number. */
export function ecOfText(text: string): string | null {
  if (!ecNumber.test(text)) return null;
  const parts = text.split('.').filter((part) => part !== '-');
  if (text.split('.').length > 4) return null;
  return [...parts, ...Array.from({ length: 4 - parts.length }, () => '-')].join('.');
}

/** A line of ec2go, or of a file like it, says that an id of another database is a term. */
interface Mapping {
  database: string;
  externalId: string;
  goId: string;
}

/**
 * Gathers the cross-references by GO id, each number once, in the order of numbers. Records of other databases, and texts that are no
 * number of theirs, are left out.
 */
export function crossReferencesOf(records: Iterable<Mapping>): Map<string, CrossReferences> {
  const found = new Map<string, { ec: Set<string>; rhea: Set<string> }>();
  for (const { database, externalId, goId } of records) {
    const ec = database === 'EC' ? ecOfText(externalId) : null;
    const rhea = database === 'RHEA' && /^\d+$/.test(externalId) ? externalId : null;
    if (ec === null && rhea === null) continue;
    const own = found.get(goId) ?? { ec: new Set(), rhea: new Set() };
    found.set(goId, own);
    if (ec !== null) own.ec.add(ec);
    if (rhea !== null) own.rhea.add(rhea);
  }
  return new Map(
    [...found].map(([goId, { ec, rhea }]) => [
      goId,
      { ec_numbers: joined(ec), rhea_reactions: joined(rhea) },
    ]),
  );
}

function joined(numbers: ReadonlySet<string>): string | null {
  return numbers.size === 0 ? null : [...numbers].sort(byParts).join('|');
}

function byParts(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

/** Splits the text of a field; no number for null. */
export function numbersIn(text: string | null): string[] {
  return text === null ? [] : text.split('|');
}

/** The cross-references that are given of a protein as a whole, each once, in the order of its terms. */
export interface ProteinReferences {
  /** A class is left out if one of the other numbers belongs to it. */
  ecNumbers: string[];
  rheaReactions: string[];
}

type KnownReferences = CrossReferences & { readonly is_negated: boolean };
type PredictedReferences = CrossReferences & {
  readonly probability: number | null;
  readonly is_known: boolean | null;
  readonly folded_under: string | null;
  readonly contradiction?: string | null;
};

/**
 * Gives the cross-references of a protein where they stand without a probability of their own: those of the terms that it is known to
 * have, and of the predicted ones that are at least likely, that nothing contradicts and that no other term implies. A term that is less
 * likely, or that has no probability, gives none. An implied term is the broader one, whose number names another enzyme: that of
 * `N-acetyltransferase activity` is the number of one acetyltransferase among many.
 */
export function referencesOfProtein(
  known: readonly KnownReferences[],
  predicted: readonly PredictedReferences[],
): ProteinReferences {
  const terms: CrossReferences[] = [
    ...known.filter((term) => !term.is_negated),
    ...predicted.filter(
      ({ probability, is_known, folded_under, contradiction = null }) =>
        is_known !== true && folded_under === null && contradiction === null && isLikely(probability),
    ),
  ];
  const unique = (field: keyof CrossReferences) => [
    ...new Set(terms.flatMap((term) => numbersIn(term[field]))),
  ];
  const ecNumbers = unique('ec_numbers');
  return {
    ecNumbers: ecNumbers.filter((number) => !isClassOfAnother(number, ecNumbers)),
    rheaReactions: unique('rhea_reactions'),
  };
}

function isLikely(probability: number | null): boolean {
  const certainty = certaintyOf(probability);
  return certainty === 'strong' || certainty === 'likely';
}

function isClassOfAnother(number: string, all: readonly string[]): boolean {
  const stem = number.replace(/(?:\.-)+$/, '.');
  return stem !== number && all.some((other) => other !== number && other.startsWith(stem));
}
