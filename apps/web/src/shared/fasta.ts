/** What a look at FASTA text tells before it is sent; the service reads it again, strictly. */
export interface FastaGlance {
  sequences: number;
  residues: number;
  longest: number;
  /** The first line that is neither header nor part of a record. */
  startsWithHeader: boolean;
}

/** Counts records and residues. Cost: one pass over the text. */
export function glanceAtFasta(text: string): FastaGlance {
  const glance: FastaGlance = { sequences: 0, residues: 0, longest: 0, startsWithHeader: true };
  let length = 0;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const trimmed = line.trim();
    if (trimmed === '') continue;
    if (trimmed.startsWith('>')) {
      glance.sequences += 1;
      length = 0;
    } else if (glance.sequences === 0) {
      glance.startsWithHeader = false;
    } else {
      const residues = trimmed.replace(/[\s*]/g, '').length;
      length += residues;
      glance.residues += residues;
      glance.longest = Math.max(glance.longest, length);
    }
  }
  return glance;
}

/** Name and organism out of a FASTA header; UniProt's form is taken apart, any other is left as it is. */
export function readHeader(header: string): { name: string; organism: string | null } {
  const rest = header.replace(/^\S+\s*/, '').trim();
  const organism = /\bOS=(.+?)(?=\s+[A-Z]{2}=|$)/.exec(rest)?.[1] ?? null;
  const [name = ''] = rest.split(/\s+[A-Z]{2}=/, 1);
  return { name: /^[A-Z]{2}=/.test(name) ? '' : name.trim(), organism };
}
