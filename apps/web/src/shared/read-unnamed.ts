import { accessionList, strangerSentence } from '@kindred/contracts/accession-list';
import { gapped, nameOf, nothing, readRecords, type SequenceInput } from './sequence-input.js';

/** The pattern finds signs of another format, such as GenBank, which the service reads or names. */
const notResidues = /[^\w\s*.-]|\t/;

/** The pattern finds a line of a sequence with positions, as NCBI, EMBL and UniProt write it. */
const numbered = /^\s*(?:\d+(?:\s+[A-Za-z*]+)+|(?:[A-Za-z*]+\s+)+\d+)\s*$/;
/** The pattern finds the lines around the sequence of a GenBank or EMBL entry. */
const frame = /^\s*(?:ORIGIN\b.*|SQ\s+SEQUENCE\b.*|\/\/)?\s*$/;

/** Takes positions out of a pasted sequence; null if the text is something else. */
function withoutPositions(text: string): string | null {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => !frame.test(line));
  if (lines.length === 0 || !lines.every((line) => numbered.test(line) || /^[\sA-Za-z*]+$/.test(line)))
    return null;
  return lines.some((line) => numbered.test(line))
    ? lines.map((line) => line.replaceAll(/[\d\s]/g, '')).join('\n')
    : null;
}

const gapsOut = 'Gaps of the alignment are left out.';

/** Takes gaps out of the lines of a sequence. */
function withoutGaps(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => (line.startsWith('>') ? line : line.replaceAll(/[-.]/g, '')))
    .join('\n');
}

/** Examines a text that is not plain FASTA. The function has a module of its own, which the page loads when somebody has such a text. */
export function readUnnamed(text: string): SequenceInput {
  const plain = withoutPositions(text);
  if (plain !== null)
    return { ...readRecords('bare', `>sequence\n${plain}\n`), note: 'Positions are left out.' };
  if (/^\s*>/.test(text) && gapped.test(text))
    return { ...readRecords('fasta', withoutGaps(text)), note: gapsOut };
  const accessions = accessionList(text);
  if (accessions !== null)
    return {
      ...nothing,
      kind: 'accessions',
      accessions,
      sequences: accessions.length,
      name: nameOf(accessions[0] ?? '', accessions.length),
    };
  const fault = strangerSentence(text);
  if (fault !== null) return { ...nothing, kind: 'other', fault: `This text, ${fault}` };
  const trimmed = text.trim();
  // Lines with a blank may begin with the name of a sequence, as those of other formats do.
  if (gapped.test(trimmed) && !/\S[ \t]+\S/.test(trimmed))
    return { ...readRecords('bare', `>sequence\n${withoutGaps(trimmed)}\n`), note: gapsOut };
  return notResidues.test(trimmed)
    ? { ...nothing, kind: 'other', fasta: text }
    : readRecords('bare', `>sequence\n${trimmed}\n`);
}
