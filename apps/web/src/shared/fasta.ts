/** Reads name and organism from a FASTA header. A header in UniProt's form is taken apart, and any other is left as it is. */
export function readHeader(header: string): { name: string; organism: string | null } {
  const rest = header.replace(/^\S+\s*/, '').trim();
  const organism = /\bOS=(.+?)(?=\s+[A-Z]{2}=|$)/.exec(rest)?.[1] ?? null;
  const [name = ''] = rest.split(/\s+[A-Z]{2}=/, 1);
  return { name: /^[A-Z]{2}=/.test(name) ? '' : name.trim(), organism };
}
