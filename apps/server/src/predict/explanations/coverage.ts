import type { coverageReply } from '@kindred/contracts/resources/term-evidence';
import { maxPlacedSources } from '@kindred/contracts/resources/term-evidence';
import type { z } from 'zod';
import { placedMatches } from '../../store/annotations/interpro-annotations.repository.js';
import { findAnnotationSet } from '../../store/annotations/annotations.repository.js';
import { predictionsOfProtein } from '../../store/predictions/predictions.repository.js';
import { queryOfSet, sequencesOfSources } from '../../store/predictions/term-evidence.repository.js';
import { sequenceTexts } from '../../store/proteins/queries.repository.js';
import type { BankContext } from '../banks/bank-context.js';
import { alignedPlacesTask } from '../compute/tasks/aligned-places.js';

type Coverage = z.infer<typeof coverageReply>;
interface Subject {
  number: number;
  query_set_id: string | null;
  annotation_set_id: string | null;
}

/**
 * Finds the part of a query that each of its sources covers, by the alignment that the evidence shows, and its signatures of InterPro.
 *
 * @returns undefined if the set does not have the query
 */
export async function coverageOf(
  set: Subject,
  accession: string,
  { db, compute, signal }: Omit<BankContext, 'memory'>,
): Promise<Coverage | undefined> {
  const query = await queryOfSet(db, set, accession);
  if (query === undefined) return undefined;
  const texts = await sequenceTexts(db, [query.sequence_id]);
  const counts = termsOfSources(await predictionsOfProtein(db, set.number, accession));
  const chosen = [...counts].slice(0, maxPlacedSources);
  const annotations =
    set.annotation_set_id === null ? undefined : await findAnnotationSet(db, set.annotation_set_id);
  const sequences =
    annotations === undefined
      ? new Map<string, string>()
      : await sequencesOfSources(
          db,
          annotations.number,
          chosen.map(([source]) => source),
        );
  const present = chosen.filter(([source]) => sequences.has(source));
  const letters = present.map(([source]) => sequences.get(source) as string);
  const task = { query: texts.get(query.sequence_id) as string, sources: letters };
  const places = letters.length === 0 ? [] : await compute.run(alignedPlacesTask, task, { signal });
  const sources = present.flatMap(([source, terms], at): Coverage['sources'] => {
    const place = places[at];
    if (place == null) return [];
    const { queryStart: start, queryEnd: end, sourceStart, sourceEnd, ...rest } = place;
    const on = { source_start: sourceStart, source_end: sourceEnd, source_length: letters[at].length };
    return [{ accession: source, terms, start, end, ...on, ...rest }];
  });
  const placed = new Set(sources.map((one) => one.accession));
  return {
    accession,
    length: query.length,
    sources,
    left_out: {
      further: counts.size - chosen.length,
      without_alignment: chosen.map(([source]) => source).filter((source) => !placed.has(source)),
    },
    signatures: await placedMatches(db, query.sequence_id),
  };
}

/** Counts the terms that each source is named for: the largest number first, equal ones by accession. */
function termsOfSources(
  rows: readonly { ref_protein_accession: string | null; go_id: string }[],
): Map<string, number> {
  const terms = new Map<string, Set<string>>();
  for (const { ref_protein_accession: source, go_id } of rows) {
    if (source === null) continue;
    const own = terms.get(source);
    if (own === undefined) terms.set(source, new Set([go_id]));
    else own.add(go_id);
  }
  const counts = Array.from(terms, ([source, own]): [string, number] => [source, own.size]);
  return new Map(counts.sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1)));
}
