import { z } from 'zod';

/** Hits of a query that are kept, the best by E-value: more than the sources that count, because not all have terms. */
export const mostHitsOfQuery = 200;

export const hitsProgram = z.string().trim().min(1).max(100).meta({
  description:
    'With hits: the program that found them, such as Foldseek 10. Default: the one that a comment line of the file names',
});
export const hitsMeaning = `Hits of these sequences, or of their structures, among proteins of the reference, found by another program: BLAST's table of 12 columns (-outfmt 6), as DIAMOND, MMseqs2 and Foldseek write it, also packed with gzip. They join the service's own hits; the best ${mostHitsOfQuery} of a sequence are kept. With method combined alone`;

const count = (description: string) => z.int().meta({ description });
/** A file of hits that was uploaded with sequences, and what became of its lines. */
export const hitsFile = z.object({
  file: z.string().meta({ description: 'Name of the file' }),
  program: z.string().nullable().meta({ description: 'Program that found them; null: nobody named it' }),
  sha256: z.string(),
  hits: count('Lines with a hit'),
  queries: count('Sequences of the upload with a hit that is kept'),
  kept: count('Hits that are kept'),
  unknown_queries: count('Hits of sequences that the upload lacks, which are left out'),
  unknown_query: z.string().nullable().meta({ description: 'The first of these names' }),
  self_hits: count('Hits of a sequence with itself, which are left out'),
  surplus: count(
    `Further alignments with the same target, E-values above 100, and hits after the best ${mostHitsOfQuery} of a sequence, which are left out`,
  ),
});
export type HitsFile = z.infer<typeof hitsFile>;

/** The same, when the references are known that the run is compared with. */
export const usedHits = hitsFile.extend({
  unknown_targets: count('Kept hits whose target is in no reference of the run, which count nowhere'),
  unknown_target: z.string().nullable().meta({ description: 'The first of these targets' }),
});
export type UsedHits = z.infer<typeof usedHits>;

const withHits = z.looseObject({ hits: usedHits.nullish() });
/** Returns the uploaded hits that a prediction set used, from its parameters; null if it used none. */
export function hitsOfSet(parameters: unknown): UsedHits | null {
  return withHits.safeParse(parameters).data?.hits ?? null;
}

/** Names hits where a source is shown: the file and, if somebody named it, the program. */
export function nameOfHits({ file, program }: Pick<HitsFile, 'file' | 'program'>): string {
  return `hit of ${file}${program === null ? '' : ` (${program})`}`;
}

/** Says how a source was found that a hit counts for. */
export function foundBy(hits: string, origin: 'hit' | 'both'): string {
  return origin === 'hit' ? hits : `${hits}, and the own search`;
}

/** Says what became of the hits of a file. */
export function hitsText(hits: HitsFile & Partial<UsedHits>): string {
  const { unknown_targets: strangers = 0, unknown_target: stranger = null } = hits;
  const used = hits.kept - strangers;
  const left: (readonly [number, string])[] = [
    [strangers, `of targets that the references lack, such as ${stranger}`],
    [hits.unknown_queries, `of sequences that the upload lacks, such as ${hits.unknown_query}`],
    [hits.self_hits, 'of a sequence with itself'],
    [hits.surplus, 'that are weak, repeated or beyond the best of a sequence'],
  ];
  const reasons = left.flatMap(([number, what]) => (number === 0 ? [] : [`${number} ${what}`]));
  const source = `${hits.file}${hits.program === null ? '' : ` (${hits.program})`}`;
  return `Of ${hits.hits} hits in ${source}, ${used} ${used === 1 ? 'joins' : 'join'} the relatives that the service finds${reasons.length === 0 ? '' : `; left out: ${reasons.join(', ')}`}.`;
}

/** Says what is not known of the terms of a run with hits. */
export function hitsNotMeasured({ file }: Pick<HitsFile, 'file'>): string {
  return `Probabilities of the terms of proteins whose relatives the hits of ${file} change: none was measured with such hits, so these terms have a score alone.`;
}
