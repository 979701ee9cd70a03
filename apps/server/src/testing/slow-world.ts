import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { SlowAnnotation, SlowTerm, SlowWorld } from './slow-features.js';

/** Reads real files by patterns, for comparison with the product's parsers and loads. */
export async function textOf(path: string): Promise<string> {
  const bytes = await readFile(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}

/** Reads terms that are not obsolete, and the term of each alternative id. */
export function slowTerms(obo: string): { terms: Map<string, SlowTerm>; alternatives: Map<string, string> } {
  const terms = new Map<string, SlowTerm>();
  const alternatives = new Map<string, string>();
  const letters: Record<string, SlowTerm['aspect']> = {
    biological_process: 'P',
    molecular_function: 'F',
    cellular_component: 'C',
  };
  for (const stanza of obo.split('[Term]\n').slice(1)) {
    const text = stanza.split('\n[')[0];
    if (/^is_obsolete: true/m.test(text)) continue;
    const id = /^id: (GO:\d+)/m.exec(text)?.[1];
    const namespace = /^namespace: (\w+)/m.exec(text)?.[1];
    if (id === undefined || namespace === undefined) continue;
    for (const [, alternative] of text.matchAll(/^alt_id: (GO:\d+)/gm)) alternatives.set(alternative, id);
    const parents = [...text.matchAll(/^(?:is_a:|relationship: part_of) (GO:\d+)/gm)].map(
      (match) => match[1],
    );
    terms.set(id, { id, aspect: letters[namespace], parents });
  }
  for (const term of terms.values())
    term.parents = term.parents.filter((parent) => terms.get(parent)?.aspect === term.aspect);
  return { terms, alternatives };
}

/** Reads the rows of a GAF that may be transferred to other proteins. */
export function slowAnnotations(
  gaf: string,
  { terms, alternatives }: ReturnType<typeof slowTerms>,
  has: (accession: string) => boolean,
): SlowAnnotation[] {
  return gaf
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('!'))
    .map((line) => line.split('\t'))
    .map(([, accession, , qualifier, term, , evidence]) => ({
      accession,
      term: alternatives.get(term) ?? term,
      evidence,
      qualifier: qualifier === '' ? null : qualifier,
    }))
    .filter(({ accession, term }) => has(accession) && terms.has(term))
    .filter(({ qualifier, evidence }) => !qualifier?.includes('NOT') && evidence !== 'ND');
}

export function slowTaxa(nodes: string): SlowWorld['taxonParent'] {
  return new Map(
    [...nodes.matchAll(/^(\d+)\t\|\t(\d+)/gm)].map((match) => [Number(match[1]), Number(match[2])]),
  );
}

export function slowProteins(fasta: string): { accession: string; sequence: string; taxon: number | null }[] {
  return fasta
    .split('>')
    .slice(1)
    .map((record) => {
      const [head, ...lines] = record.split('\n');
      const taxon = / OX=(\d+)/.exec(head);
      return {
        accession: head.split('|')[1],
        sequence: lines.join('').trim(),
        taxon: taxon === null ? null : Number(taxon[1]),
      };
    });
}

/** Decodes half precision (float16), by its definition. */
export function slowHalves(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 2 }, (_, i) => {
    const bits = bytes.readUInt16LE(2 * i);
    const sign = bits >> 15 === 1 ? -1 : 1;
    const exponent = (bits >> 10) & 31;
    const fraction = (bits & 1023) / 1024;
    return sign * (exponent === 0 ? fraction * 2 ** -14 : (1 + fraction) * 2 ** (exponent - 15));
  });
}
