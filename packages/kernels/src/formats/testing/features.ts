import { readFlatFile } from '../flat-file.js';
import { readGenome, readGff3Proteins } from '../gff3-proteins.js';

interface Read {
  records: { accession: string; sequence: string }[];
  rejected: { reason: string }[];
}
/** Lists proteins as `name=residues`, then the reasons for what is left out or refused. */
export async function shown(read: (onLeftOut: (one: { reason: string }) => void) => AsyncIterable<Read>) {
  const made: string[] = [];
  const reasons: string[] = [];
  for await (const { records, rejected } of read(({ reason }) => void reasons.push(reason))) {
    made.push(...records.map(({ accession, sequence }) => `${accession}=${sequence}`));
    reasons.push(...rejected.map(({ reason }) => reason));
  }
  return [...made, ...reasons];
}
/** Reads lines of GFF3 with a genome of one sequence, `chr1`. */
export const gff = (bases: string, lines: readonly string[], table?: number) =>
  shown(async function* (onLeftOut) {
    const genome = await readGenome(`>chr1\n${bases}\n`);
    yield await readGff3Proteins(`##gff-version 3\n${lines.join('\n')}\n`, genome, { onLeftOut, table });
  });

/** Makes a line of a feature of `chr1`. */
export function feature(
  type: string,
  place: readonly [number, number],
  attributes: string,
  { source = 'x', strand = '+' } = {},
): string {
  const phase = type === 'CDS' ? '0' : '.';
  return ['chr1', source, type, ...place, '.', strand, phase, attributes].join('\t');
}

export const flat = (text: string) => shown((onLeftOut) => readFlatFile(text, { onLeftOut }));
