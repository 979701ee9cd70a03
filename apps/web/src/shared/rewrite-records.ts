import { checkSequence } from '@kindred/contracts/query-check';
import { readUnnamed } from './read-unnamed.js';
import { idOfHeader, RecordCount, type SequenceInput } from './sequence-input.js';
import { longestReadingFrame } from './translate.js';

/** The changes that records of FASTA may need. */
export interface Rewriting {
  /** Whether repeated ids get a number that no other record has: `p`, `p_2`, `p_3`. The rest of a header stays. */
  number?: true;
  /** Whether nucleotide sequences become their longest reading frame. All other records stay. */
  translate?: true;
}

/** The limit for the unpacked text, because a small packed file may hold much. */
const maxCharacters = 200_000_000;
/** The maximum size of a list of accessions, which is about that of a list for the largest upload that the service takes. */
const maxListBytes = 2_000_000;
/** The length beyond which nucleotide sequences stay as they are, because no protein that the service takes is as long. */
const maxNucleotides = 300_000;
/** The size of the text that is held before it becomes part of a blob, which browsers keep out of memory. */
const charactersPerPart = 1_000_000;

/**
 * Reads lines in the order of the file, in chunks as they arrive. gzip is unpacked, and UTF-16 is recognised by its byte order mark.
 * @throws Error for too much text, and for other encodings, of which the service says where they are and what to do
 */
async function* linesOf(file: Blob): AsyncGenerator<string[]> {
  const isPacked = hasStart(await beginning(file), 0x1f, 0x8b);
  const unpacked = () =>
    isPacked ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  const head = await beginning(unpacked());
  const encoding = hasStart(head, 0xff, 0xfe)
    ? 'utf-16le'
    : hasStart(head, 0xfe, 0xff)
      ? 'utf-16be'
      : 'utf-8';
  const reader = unpacked()
    .pipeThrough(new TextDecoderStream(encoding, { fatal: true }))
    .getReader();
  let rest = '';
  let characters = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      characters += part.value.length;
      if (characters > maxCharacters) throw new Error('The file has too much text to be read here.');
      const lines = part.value.split('\n');
      lines[0] = rest + lines[0];
      rest = lines.pop() ?? '';
      yield lines;
    }
    if (rest !== '') yield [rest];
  } finally {
    await reader.cancel();
  }
}

const hasStart = ([one, two]: Uint8Array, first: number, second: number) => one === first && two === second;

async function beginning(source: Blob | ReadableStream<Uint8Array>): Promise<Uint8Array> {
  if (source instanceof Blob) return new Uint8Array(await source.slice(0, 2).arrayBuffer());
  const reader = source.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return value ?? new Uint8Array();
}

/**
 * Describes the content of a file without its text; null if it is neither FASTA nor accessions. The ids are held in memory, the sequences
 * are not.
 */
export async function lookAtFile(file: Blob): Promise<SequenceInput | null> {
  const count = new RecordCount();
  let isFirst = true;
  for await (const lines of linesOf(file))
    for (const line of lines) {
      if (isFirst && line.trim() === '') continue;
      if (isFirst && !line.trim().startsWith('>')) return lookAtList(file);
      isFirst = false;
      count.take(line);
    }
  return isFirst ? null : count.input();
}

async function lookAtList(file: Blob): Promise<SequenceInput | null> {
  if (file.size > maxListBytes) return null;
  let text = '';
  for await (const lines of linesOf(file)) {
    text += `${lines.join('\n')}\n`;
    if (text.length > maxListBytes) return null;
  }
  const found = readUnnamed(text);
  return found.kind === 'accessions' || found.fault !== null ? found : null;
}

/** Rewrites the records of FASTA one after the other. Only one record and the ids are held in memory. */
export async function rewriteRecords(file: Blob, { number, translate }: Rewriting): Promise<Blob> {
  const rename = number ? numbering(await idsOf(file)) : (header: string) => header;
  const parts: Blob[] = [];
  let text = '';
  const write = (record: readonly string[]) => {
    const [header = '', ...lines] = record;
    const named = header.startsWith('>') ? rename(header) : header;
    text += `${[named, ...(translate ? translated(lines) : lines)].join('\n')}\n`;
    if (text.length < charactersPerPart) return;
    parts.push(new Blob([text]));
    text = '';
  };
  let record: string[] = [];
  for await (const lines of linesOf(file))
    for (const line of lines) {
      const trimmed = line.trim();
      if (trimmed === '') continue;
      if (trimmed.startsWith('>') && record.length > 0) {
        write(record);
        record = [];
      }
      record.push(trimmed);
    }
  if (record.length > 0) write(record);
  return new Blob([...parts, text]);
}

/** Returns the lines of a sequence, or its longest reading frame if it is a nucleotide sequence. */
function translated(lines: readonly string[]): readonly string[] {
  const letters = lines.reduce((sum, { length }) => sum + length, 0);
  if (letters > maxNucleotides) return lines;
  const sequence = lines.join('').replace(/[\s*]/g, '').toUpperCase();
  return checkSequence(sequence) === 'looks_like_dna' ? [longestReadingFrame(sequence)] : lines;
}

async function idsOf(file: Blob): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const lines of linesOf(file))
    for (const line of lines) if (line.trim().startsWith('>')) ids.add(idOfHeader(line.trim()));
  return ids;
}

/** Returns a function that renames the headers of records in their order; `taken` are the ids of all records. */
function numbering(taken: Set<string>): (header: string) => string {
  const seen = new Set<string>();
  const last = new Map<string, number>();
  return (header) => {
    const id = idOfHeader(header);
    if (!seen.has(id)) {
      seen.add(id);
      return header;
    }
    let next = (last.get(id) ?? 1) + 1;
    while (taken.has(`${id}_${next}`)) next += 1;
    last.set(id, next);
    const free = `${id}_${next}`;
    taken.add(free);
    seen.add(free);
    const words = header
      .slice(1)
      .trim()
      .replace(/^\S+\s*/, '');
    return words === '' ? `>${free}` : `>${free} ${words}`;
  };
}
