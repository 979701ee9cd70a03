/**
 * The rule by which a protein that the reference does not know gets a product name from the names of its sources. The words of caution
 * are those of the international guidelines on naming proteins. Where the sources disagree, or have no name, nothing is said.
 */

/** A source of a prediction that an alignment found. */
export interface NameSource {
  accession: string;
  /** The reference has this name of the protein; null if it has none. */
  name: string | null;
  /** The share of identical columns of the alignment, 0 to 1. */
  identity: number;
  /** The score of the alignment as a share of the query's score with itself, 0 to 1. */
  share: number;
}

/** none: the name as the sources have it; putative: less similar or a single source; family: the sources are members of one family. */
export const nameCautions = ['none', 'putative', 'family'] as const;
type NameCaution = (typeof nameCautions)[number];

export interface PredictedName {
  name: string;
  caution: NameCaution;
  /** The accessions of the sources that agree on the name, the nearest first. */
  sources: string[];
  /** The number of named sources that were compared. */
  compared: number;
  /** The identity of the nearest of the sources that agree. */
  identity: number;
}

/**
 * The numbers of the rule. They were written down before the rule was measured. Sources are compared if their score is at least
 * `nearShare` of the nearest's, at most `mostSources` of them.
 */
export const nameRule = {
  mostSources: 5,
  nearShare: 0.7,
  /** Sources agree if those with the same name have at least this part of the scores of all that are compared. */
  agreement: 2 / 3,
  /** A name needs this identity and this share of the score of the nearest source that has it. */
  none: { identity: 0.6, share: 0.5 },
  putative: { identity: 0.4, share: 0.3 },
  /** A single named source agrees with no other, so its name is putative, from this identity. */
  single: { identity: 0.6, share: 0.5 },
  family: { identity: 0.3, share: 0.15 },
} as const;

const cautious = /^(?:putative|probable|possible|predicted|potential)\s+/i;
const uninformative =
  /\b(?:uncharacteri[sz]ed|hypothetical|unknown|unnamed|deleted|cDNA|clone)\b|^(?:UPF|DUF)\d+|^protein$|^[A-Z]{1,3}\d{3,}\b/i;

/**
 * Removes what belongs to one entry and not to its product: EC numbers, marks of fragments and isoforms, the organelle, and words of
 * caution. Returns null for a name that says nothing.
 */
export function cleanedName(name: string): string | null {
  const cleaned = name
    .replaceAll(/\s*\((?:EC [\d.n-]+|fragments?|isoform[^()]*)\)/gi, '')
    .replaceAll(/\s*\[[^\]]*\]/g, '')
    .replace(/^isoform \S+ of /i, '')
    .replace(
      /,\s*(?:chloroplastic|mitochondrial|cytoplasmic|cytosolic|plastid|peroxisomal|isoform .*)\b.*$/i,
      '',
    )
    .replace(cautious, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return cleaned === '' || uninformative.test(cleaned) ? null : cleaned;
}

/** Gives the same text for names that differ in case, in marks between words, or in being called a homologue. */
export function nameKey(name: string): string {
  return name
    .toLowerCase()
    .replace(/\s+homolog(?:ue)?$/, '')
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();
}

const greek =
  'alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|phi|chi|psi|omega';
/** Words that tell a member of a family from the others, or that stand before such a word. */
const memberWord = new RegExp(
  `^(?:(?:${greek})(?:-?\\d\\w*)?|homolog|homologue|isoform|isozyme|isoenzyme|subunit|chain|member|type|class|group|` +
    '(?:sub|super)?family|component|catalytic|regulatory|light|heavy|large|small)$',
  'i',
);
/** A number with or without letters, a single letter, or a Roman number. */
const memberNumber = /^(?:\d[\da-zA-Z./-]*|[A-Za-z]\d*|[IVX]+[a-z]?)$/;
/** The symbol of a gene: letters with a number, or capitals. */
const symbol = /^(?:[A-Za-z]{1,6}\d[\w/.-]*|[A-Z]{2,}[\w/-]*)$/;
const hyphenated = new RegExp(`-(?:\\d[\\da-zA-Z]*|[A-Za-z]\\d*|[IVX]+|like|${greek})$`);
/** Words that name no family by themselves. */
const general = new Set(
  'protein proteins probable membrane transmembrane nuclear cytoplasmic mitochondrial integral conserved factor domain repeat family'.split(
    ' ',
  ),
);

/** Gives the name of the family that a name is a member of; null if nothing is left that names a family. */
export function nameStem(name: string): string | null {
  const [, domain] = /^(.+ domain-containing)\b/i.exec(name) ?? [];
  if (domain !== undefined) return domain;
  const words = name.replace(/,.*$/, '').split(' ');
  for (let last = words.at(-1); last !== undefined; last = words.at(-1)) {
    const bare = last.replace(hyphenated, '');
    // The rest of `Rab-7` or `unc-13` is a symbol, that of `actin-1` a name.
    if (isMember(last) || (bare !== last && bare.length <= 4)) words.pop();
    else if (bare !== last) words[words.length - 1] = bare;
    else break;
  }
  if (words.at(-1)?.toLowerCase() === 'protein') words.pop();
  const isGeneral = words.every((word) => general.has(word.toLowerCase()) || /^\d/.test(word));
  return isGeneral || /^(?:complex|and|of|the)$/i.test(words.at(-1) ?? '') ? null : words.join(' ');
}

const isMember = (word: string): boolean =>
  memberWord.test(word) || memberNumber.test(word) || symbol.test(word);

interface Named extends NameSource {
  cleaned: string;
  isCautious: boolean;
}

/** Gives the sources that are near enough to name the protein, the nearest first. */
export function nearestSources<Source extends Omit<NameSource, 'name'>>(
  sources: readonly Source[],
): Source[] {
  const byShare = [...sources].sort((a, b) => b.share - a.share || (a.accession < b.accession ? -1 : 1));
  const least = (byShare[0]?.share ?? 0) * nameRule.nearShare;
  return byShare.filter(({ share }) => share >= least);
}

/** Gives the name that the nearest sources agree on, in the words of caution that it needs; null if there is none. */
export function predictedNameOf(sources: readonly NameSource[]): PredictedName | null {
  const compared = nearestSources(sources)
    .flatMap((source): Named[] => {
      const cleaned = source.name === null ? null : cleanedName(source.name);
      return cleaned === null ? [] : [{ ...source, cleaned, isCautious: cautious.test(source.name ?? '') }];
    })
    .slice(0, nameRule.mostSources);
  if (compared.length === 0) return null;
  return memberName(compared) ?? familyName(compared);
}

/** Gives the sources that agree with the nearest by the key; null if the others outweigh them. */
function agreeing(compared: readonly Named[], keyOf: (source: Named) => string | null): Named[] | null {
  const key = keyOf(compared[0]);
  if (key === null) return null;
  const same = compared.filter((source) => keyOf(source) === key);
  const weight = (list: readonly Named[]) => list.reduce((sum, { share }) => sum + share, 0);
  return weight(same) >= nameRule.agreement * weight(compared) ? same : null;
}

const reaches = ({ identity, share }: NameSource, least: { identity: number; share: number }) =>
  identity >= least.identity && share >= least.share;

function memberName(compared: readonly Named[]): PredictedName | null {
  const same = agreeing(compared, ({ cleaned }) => nameKey(cleaned));
  if (same === null) return null;
  const [nearest] = same;
  if (!reaches(nearest, compared.length === 1 ? nameRule.single : nameRule.putative)) return null;
  const isPlain = same.length > 1 && reaches(nearest, nameRule.none) && !nearest.isCautious;
  return isPlain
    ? named(nearest.cleaned, 'none', same, compared)
    : named(`putative ${inSentence(nearest.cleaned)}`, 'putative', same, compared);
}

function familyName(compared: readonly Named[]): PredictedName | null {
  const same = agreeing(compared, ({ cleaned }) => {
    const stem = nameStem(cleaned);
    return stem === null ? null : nameKey(stem);
  });
  if (same === null || same.length < 2 || !reaches(same[0], nameRule.family)) return null;
  return named(familyText(same.map(({ cleaned }) => cleaned)), 'family', same, compared);
}

/** Names the family by the words with which the names of its members begin, which may be more than their stem has. */
function familyText(names: readonly string[]): string {
  const stem = nameStem(names[0]) as string;
  const [first, ...others] = names.map((name) => name.replace(/,.*$/, '').split(' '));
  const end = first.findIndex((word, at) => others.some((words) => words[at] !== word));
  const words = end < 0 ? first : first.slice(0, end);
  while (words.length > 0 && (memberWord.test(words[words.length - 1]) || words.at(-1) === 'protein'))
    words.pop();
  const common = words.join(' ');
  const text = common.length > stem.length && !stem.endsWith('-containing') ? common : stem;
  return /-containing$|\bfamily \S+$/.test(text) ? `${text} protein` : `${text} family protein`;
}

function named(
  name: string,
  caution: NameCaution,
  same: readonly Named[],
  compared: readonly Named[],
): PredictedName {
  return {
    name,
    caution,
    sources: same.map(({ accession }) => accession),
    compared: compared.length,
    identity: same[0].identity,
  };
}

/** A name begins with a small letter within other words, unless it begins with a symbol. */
function inSentence(name: string): string {
  return /^[A-Z][a-z]+(?![\w-]*\d)/.test(name) ? `${name[0].toLowerCase()}${name.slice(1)}` : name;
}
