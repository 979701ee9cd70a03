/** The head of an entry of proteins (GenPept, UniProt text, EMBL of proteins). */
export interface ProteinEntry {
  accession: string | null;
  entryName: string | null;
  /** Whether the entry is from Swiss-Prot; null if it is not from UniProt. */
  reviewed: boolean | null;
  product: string | null;
  gene: string | null;
  organism: string | null;
  taxonId: number | null;
}

/** Begins an entry at a LOCUS or ID line; null if the unit of the line is not `aa`, because the entry then has nucleotides. */
export function proteinEntry(name: string, rest: string): ProteinEntry | null {
  if (!/(?:^|\s)\d{1,9} aa(?:[\s.;]|$)/i.test(rest)) return null;
  const reviewed = /^\s*(Reviewed|STANDARD);/.test(rest)
    ? true
    : /^\s*(Unreviewed|PRELIMINARY);/.test(rest)
      ? false
      : null;
  return {
    accession: null,
    entryName: reviewed === null ? null : name,
    reviewed,
    product: null,
    gene: null,
    organism: null,
    taxonId: null,
  };
}

/** Adds a line to the head. A line that continues another one counts with its own code. */
export function describeEntry(entry: ProteinEntry, line: string): void {
  const version = /^(?:VERSION|ACCESSION) +(\S+)/.exec(line);
  // The VERSION line follows ACCESSION and is more exact.
  if (version !== null) entry.accession = version[1];
  const code = /^([A-Z]{2}) {3}(.*)$/.exec(line);
  if (code === null) return;
  const [, name, text] = code;
  if (name === 'AC') entry.accession ??= /^[^;\s]+/.exec(text)?.[0] ?? null;
  else if (name === 'DE')
    entry.product ??= /^(?:\s*(?:RecName|SubName): Full=)?([^;{]+)/.exec(text)?.[1].trim() ?? null;
  else if (name === 'GN')
    entry.gene ??= /(?:^|\s)(?:Name|OrderedLocusNames|ORFNames)=([^;,{]+)/.exec(text)?.[1].trim() ?? null;
  else if (name === 'OS') entry.organism = entry.organism === null ? text : `${entry.organism} ${text}`;
  else if (name === 'OX') entry.taxonId ??= Number(/NCBI_TaxID=(\d{1,9})/.exec(text)?.[1]) || null;
}

/** Returns the organism. In UniProt text it ends with a full stop, on its last line. */
export const organismOf = ({ organism }: ProteinEntry) => organism?.trim().replace(/\.$/, '') ?? null;
