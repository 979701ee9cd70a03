import type { Database } from '../../store/postgres/db.js';
import { lineagesOf } from '../../store/ontology/taxonomy.repository.js';

/**
 * Reads the lineages of the taxa by NCBI id: each taxon itself, then the taxa above it. Taxa that the loaded
 * taxonomy lacks are left out; without a taxonomy, the result is empty.
 *
 * @param taxon NCBI ids, 0 if unknown
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

/** The curves name superkingdoms in this way, by NCBI id. */
const kingdomNames: Readonly<Record<number, string>> = {
  2: 'Bacteria',
  2157: 'Archaea',
  2759: 'Eukaryota',
  10239: 'Viruses',
};

/** Gives the superkingdom of a lineage; null if it is unknown. */
export function kingdomOf(lineage: readonly number[] | undefined): string | null {
  const kingdom = lineage?.find((ancestor) => ancestor in kingdomNames);
  return kingdom === undefined ? null : kingdomNames[kingdom];
}
