import { parseFastaHeader } from '../formats/fasta-header.js';

/** The names of a query or of a protein of a reference; null where nothing gives one. */
export interface ProteinNames {
  protein_name: string | null;
  gene_name: string | null;
  organism: string | null;
}

/** Gives each name of a query as its own header says it, else as the protein of the reference that it is known as has it. */
export function namesOfQuery(header: string | null, known: ProteinNames | null): ProteinNames {
  const own = header === null ? null : parseFastaHeader(header);
  return {
    protein_name: own?.proteinName ?? known?.protein_name ?? null,
    gene_name: own?.geneName ?? known?.gene_name ?? null,
    organism: own?.organism ?? known?.organism ?? null,
  };
}
