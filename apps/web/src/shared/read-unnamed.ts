import { accessionList, strangerSentence } from '@kindred/contracts/accession-list';
import { nameOf, nothing, readRecords, type SequenceInput } from './sequence-input.js';

/** The pattern finds signs of another format, such as GenBank, which the service reads or names. */
const notResidues = /[^\w\s*.-]|\t/;

/** Examines a text that is not FASTA. The function has a module of its own, which the page loads when somebody has such a text. */
export function readUnnamed(text: string): SequenceInput {
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
  return notResidues.test(trimmed)
    ? { ...nothing, kind: 'other', fasta: text }
    : readRecords('bare', `>sequence\n${trimmed}\n`);
}
