export function quickGoAddress(goId: string): string {
  return `https://www.ebi.ac.uk/QuickGO/term/${goId}`;
}

const uniprotAccession =
  /^(?:[OPQ][0-9][A-Z0-9]{3}[0-9]|[A-NR-Z][0-9](?:[A-Z][A-Z0-9]{2}[0-9]){1,2})(?:-\d+)?$/;

/**
 * Returns the UniProt entry of an accession, which for an isoform is the canonical entry; null if the text is not a UniProt accession.
 */
export function uniprotAddress(accession: string): string | null {
  if (!uniprotAccession.test(accession)) return null;
  return `https://www.uniprot.org/uniprotkb/${accession.split('-', 1)[0]}/entry`;
}

/** A page of another database on a protein. */
export interface ProteinPage {
  name: string;
  address: string;
}

/** Returns the pages of other databases on the protein of a UniProt accession; none if the text is not one. */
export function proteinPages(accession: string): ProteinPage[] {
  const uniprot = uniprotAddress(accession);
  if (uniprot === null) return [];
  const entry = accession.split('-', 1)[0] ?? accession;
  return [
    { name: 'UniProt', address: uniprot },
    { name: 'AlphaFold DB', address: `https://alphafold.ebi.ac.uk/entry/${entry}` },
    { name: 'InterPro', address: `https://www.ebi.ac.uk/interpro/protein/UniProt/${entry}/` },
    { name: 'QuickGO', address: `https://www.ebi.ac.uk/QuickGO/annotations?geneProductId=${entry}` },
  ];
}

/** Returns the InterPro page of an entry; null if the text is not an entry. */
export function interproAddress(entry: string): string | null {
  return /^IPR\d{6}$/.test(entry) ? `https://www.ebi.ac.uk/interpro/entry/InterPro/${entry}/` : null;
}

/** Returns the address of a paper that PubMed or a DOI names; null for anything else. */
export function paperAddress(reference: string): string | null {
  const pubmed = /^PMID:(\d+)$/.exec(reference)?.[1];
  if (pubmed !== undefined) return `https://pubmed.ncbi.nlm.nih.gov/${pubmed}/`;
  const doi = /^DOI:(10\.\S+)$/i.exec(reference)?.[1];
  return doi === undefined ? null : `https://doi.org/${encodeURI(doi)}`;
}
