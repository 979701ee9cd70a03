import { mostInBrowser } from '@kindred/contracts/network-table';
import { type FastaRecord, FormatError, parseFastaLines } from '@kindred/kernels/formats';
import { formatCount, plural } from '../../shared/format.js';
import { readInput, type SequenceInput } from '../../shared/sequence-input.js';

/** The longest sequence: the longest known protein has 38,000 residues. */
const maxResidues = 40_000;
const maxFileBytes = 20 * 2 ** 20;

/** The proteins of a text, or the sentence that says why they are not taken. */
export type ReadProteins = { proteins: FastaRecord[]; note?: string } | { fault: string };

/** The reader of a text without headers, which is loaded beforehand. */
export type ReadUnnamed = (text: string) => SequenceInput;

/** Reads what somebody pasted as the service would: all of it, or a sentence on what to change. */
export function readProteins(text: string, readUnnamed: ReadUnnamed): ReadProteins {
  const input = readInput(text) ?? readUnnamed(text);
  if (input.kind === 'empty')
    return { fault: 'Paste a sequence or FASTA records, choose a file, or take the example.' };
  if (input.kind === 'accessions')
    return {
      fault:
        'These are accessions, which the service looks up. Nothing is sent from here: paste their sequences instead.',
    };
  if (input.fault !== null) return { fault: input.fault };
  if (input.sequences > mostInBrowser)
    return {
      fault: `These are ${plural(input.sequences, 'protein')}; this browser takes ${mostInBrowser} at once. Leave out ${formatCount(input.sequences - mostInBrowser)}.`,
    };
  const lines = input.fasta.split(/\r?\n/);
  try {
    return {
      proteins: parseFastaLines(lines, { maxSequences: mostInBrowser, maxResidues }),
      note: input.note,
    };
  } catch (error) {
    if (error instanceof FormatError) return { fault: error.message };
    throw error;
  }
}

/** Reads a file of FASTA, also one that gzip packed. @throws Error with a sentence for a file that is too large or cannot be unpacked */
export async function textOfFile(file: File): Promise<string> {
  if (file.size > maxFileBytes)
    throw new Error(`${file.name} is larger than 20 MB; ${mostInBrowser} proteins have less.`);
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (first !== 0x1f || second !== 0x8b) return file.text();
  try {
    return await new Response(file.stream().pipeThrough(new DecompressionStream('gzip'))).text();
  } catch {
    throw new Error(`${file.name} could not be unpacked. Unpack it yourself, and choose it again.`);
  }
}
