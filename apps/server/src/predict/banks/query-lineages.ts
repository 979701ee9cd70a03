import type { Database } from '../../store/postgres/db.js';
import { lineagesOf } from '../../store/ontology/taxonomy.repository.js';

/**
 * Lineages of the taxa: each taxon itself, then those above it, by NCBI id; taxa that the loaded taxonomy does not know are left out, and
 * all of them if none is loaded.
 *
 * @param taxon NCBI ids, 0 where it is unknown
 */
export async function lineagesByTaxon(
  db: Database,
  taxon: Int32Array,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const asked = [...new Set(taxon.filter((id) => id !== 0))];
  const found = asked.length === 0 ? null : await lineagesOf(db, asked);
  if (found === null) return new Map();
  const { taxonomy } = found;
  return new Map(
    asked.flatMap((id): [number, number[]][] => {
      const index = taxonomy.indexOf(id);
      if (index < 0) return [];
      return [[id, Array.from(taxonomy.lineage(index), (at) => taxonomy.arrays.ids[at])]];
    }),
  );
}

/** Superkingdoms as the curves name them, by NCBI id. */
const kingdomNames: Readonly<Record<number, string>> = {
  2: 'Bacteria',
  2157: 'Archaea',
  2759: 'Eukaryota',
  10239: 'Viruses',
};

/** The superkingdom of a lineage; null where it is unknown. */
export function kingdomOf(lineage: readonly number[] | undefined): string | null {
  const kingdom = lineage?.find((ancestor) => ancestor in kingdomNames);
  return kingdom === undefined ? null : kingdomNames[kingdom];
}
