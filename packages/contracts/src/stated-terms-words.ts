import type { ComparisonReply, StatedTermsFile } from './resources/stated-terms.js';

type ComparedProtein = ComparisonReply['proteins'][number];
type ComparedTerm = ComparedProtein['terms'][number];

/** The columns of the table of who says what: a line for each program that says a term, or one where none does. */
export const comparisonColumns = [
  'protein',
  'go_id',
  'go_name',
  'aspect',
  'agreement',
  'kindred',
  'kindred_term',
  'kindred_score',
  'kindred_certainty',
  'contradiction',
  'program',
  'program_term',
  'program_score',
  'program_basis',
] as const;
type ComparisonLine = Record<(typeof comparisonColumns)[number], string | number | null>;

/** Returns the lines of the table for a protein. */
export function comparisonLines({ accession, terms }: ComparedProtein): ComparisonLine[] {
  return terms.flatMap(({ said_by, kindred, kindred_term_name: _, ...term }) =>
    (said_by.length === 0 ? [null] : said_by).map((said) => ({
      ...{ protein: accession, ...term, kindred: kindred ?? 'not' },
      program: said?.program ?? null,
      program_term: said?.go_id ?? null,
      program_score: said?.score ?? null,
      program_basis: said?.basis ?? null,
    })),
  );
}

/** The counts of all pages of a comparison. */
export interface ComparisonTally {
  /** The rows by whether both sides say their term. */
  counts: Record<ComparedTerm['agreement'], number>;
  /** The proteins of which the file of a program has no term, by program. */
  silent: Map<string, number>;
  obsolete: Set<string>;
  absent: Set<string>;
  implied: number;
}
export const emptyTally = (): ComparisonTally => ({
  counts: { both: 0, only_kindred: 0, only_others: 0, contradicted: 0 },
  silent: new Map(),
  obsolete: new Set(),
  absent: new Set(),
  implied: 0,
});

/** Adds a page to the tally of those before it. */
export function addToTally(
  tally: ComparisonTally,
  { programs, proteins, obsolete, absent, implied }: ComparisonReply,
): void {
  for (const program of programs) tally.silent.set(program, tally.silent.get(program) ?? 0);
  for (const { terms, silent } of proteins) {
    for (const { agreement } of terms) tally.counts[agreement]++;
    for (const program of silent) tally.silent.set(program, (tally.silent.get(program) ?? 0) + 1);
  }
  for (const term of obsolete) tally.obsolete.add(term);
  for (const term of absent) tally.absent.add(term);
  tally.implied += implied;
}

/** Says in sentences how far the programs agree, and what the comparison leaves out. */
export function comparisonNotes(tally: ComparisonTally): string[] {
  const { counts, silent } = tally;
  const programs = [...silent.keys()];
  const others = programs.length === 1 ? programs[0] : 'other programs';
  const said = [
    `${number(counts.both)} said by Kindred and ${others}`,
    `${number(counts.only_kindred)} only by Kindred`,
    `${number(counts.only_others)} only by ${others}`,
    `${number(counts.contradicted)} said by ${others} and contradicted by what Kindred knows`,
  ].join(', ');
  return [
    `Terms of proteins: ${said}.`,
    ...leftOutNotes(tally),
    ...[...silent].flatMap(([program, proteins]) =>
      proteins === 0 ? [] : [`${program} states no term of ${amount(proteins, 'protein', 'of the run')}.`],
    ),
    'This is a comparison. No other program changes a score of Kindred, because a joined score was measured and can be worse than ours.',
  ];
}

/** Says which terms of the programs have no row; empty if all have one. */
export function leftOutNotes({ obsolete, absent, implied }: ComparisonTally): string[] {
  const leftOut = [
    amount(obsolete.size, 'obsolete term', '', [...obsolete][0]),
    amount(absent.size, 'term', 'that the ontology of the run lacks', [...absent][0]),
    amount(implied, 'term', 'that a more specific one of the same program implies'),
  ].filter((text) => text !== null);
  return leftOut.length > 0 ? [`Left out: ${leftOut.join('; ')}.`] : [];
}

/** Says what a file has, and what of it is left out. */
export function statedTermsNotes(about: StatedTermsFile): string[] {
  const { program, file, terms, proteins, unknown_proteins, unknown_protein, skipped, unreadable, faults } =
    about;
  const leftOut = [
    amount(unknown_proteins, 'protein', 'that the run lacks', unknown_protein),
    amount(skipped, 'line', 'without a GO term'),
    amount(unreadable, 'line', 'that cannot be read'),
  ].filter((text) => text !== null);
  return [
    `${program}: ${amount(terms, 'term', '')} of ${amount(proteins, 'protein', '')} in ${file}.`,
    ...(leftOut.length > 0 ? [`Of ${file} left out: ${leftOut.join('; ')}.`] : []),
    ...faults.map(
      ({ line, record, reason }) => `Line ${line}${record === null ? '' : ` (${record})`}: ${reason}.`,
    ),
  ];
}

const number = (count: number) => count.toLocaleString('en-GB');
/** Returns null for none; `example` is the first of them. */
function amount(count: number, noun: string, about: string, example?: string | null): string | null {
  if (count === 0) return null;
  const words = [number(count), count === 1 ? noun : `${noun}s`, about].filter(Boolean).join(' ');
  return example === undefined || example === null ? words : `${words}, such as ${example}`;
}
