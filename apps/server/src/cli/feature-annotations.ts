import { createReadStream } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ProblemError } from '@kindred/contracts';
import { exportLine } from '@kindred/contracts/resources/exports';
import {
  Gff3Decorator,
  type LineAnnotation,
  lineAnnotation,
  lines,
  utf8Chunks,
} from '@kindred/kernels/formats';
import type { z } from 'zod';
import { endOutput, write } from './output.js';
import { requireFile } from './require-file.js';

type Answer = z.infer<typeof exportLine>;

/** The answer of one protein as JSON has at most this many characters. */
export const maxAnswerLength = 1 << 26;

const shownProteins = 5;

/** Refuses a file that cannot be read, unless this command makes it, and one that its copy would overwrite. */
export async function checkFeatureFile(
  gff: string,
  output: string | undefined,
  isMadeHere = false,
): Promise<void> {
  if (!isMadeHere) await requireFile(gff);
  if (output !== undefined && resolve(output) === resolve(gff))
    throw new ProblemError('bad_file', `--gff and --output are both ${gff}: name another file to write.`);
}

/** A file of the genome was copied with this result. */
export interface Decorated {
  /** The file has no line of these proteins. */
  unplaced: string[];
  /** The sentences say how many proteins have lines, and how many lines have no protein. */
  text: string;
}

/**
 * Copies a GFF3 file, plain or gzip, and adds to the lines of each protein what an export as JSON Lines says of it. All else stays byte
 * for byte, but UTF-16 becomes UTF-8.
 */
export async function decorate(
  path: string,
  jsonl: AsyncIterable<Uint8Array>,
  output: Writable,
): Promise<Decorated> {
  const annotations = await readLineAnnotations(jsonl);
  const decorator = new Gff3Decorator(annotations);
  const file = createReadStream(path);
  const bytes = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  for await (const line of unchangedLines(utf8Chunks(bytes))) {
    let from = 0;
    const parts: Uint8Array[] = [];
    for (const { at, text } of decorator.insertions(line)) {
      parts.push(Buffer.from(line.slice(from, at), 'latin1'), Buffer.from(text));
      from = at;
    }
    parts.push(Buffer.from(line.slice(from), 'latin1'));
    await write(output, Buffer.concat(parts));
  }
  await endOutput(output);
  return outcomeOf(basename(path), annotations, decorator);
}

/** Collects what the lines of each protein gain. */
async function readLineAnnotations(jsonl: AsyncIterable<Uint8Array>): Promise<Map<string, LineAnnotation>> {
  const annotations = new Map<string, LineAnnotation>();
  for await (const line of lines(jsonl, { maxLineLength: maxAnswerLength })) {
    const answer = JSON.parse(line) as Answer;
    annotations.set(answer.accession, lineAnnotation(answer));
  }
  return annotations;
}

function outcomeOf(
  name: string,
  annotations: ReadonlyMap<string, LineAnnotation>,
  { placed, strangers }: Gff3Decorator,
): Decorated {
  const unplaced = [...annotations.keys()].filter((accession) => !placed.has(accession));
  const more = unplaced.length - shownProteins;
  const sentences = [
    `${placed.size} of ${annotations.size} proteins have lines in ${name}.`,
    unplaced.length === 0
      ? null
      : `Without a line: ${unplaced.slice(0, shownProteins).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
    strangers === 0 ? null : `CDS lines that name none of the proteins: ${strangers}.`,
  ];
  return { unplaced, text: `${sentences.filter((sentence) => sentence !== null).join('\n')}\n` };
}

/**
 * Yields lines with their ends, in Latin-1: one character for each byte, so that the bytes come out
 * unchanged.
 */
async function* unchangedLines(bytes: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  let rest = '';
  for await (const chunk of bytes) {
    const complete = (rest + Buffer.from(chunk).toString('latin1')).split(/(?<=\n)/);
    rest = complete.at(-1)?.endsWith('\n') ? '' : (complete.pop() ?? '');
    yield* complete;
  }
  if (rest !== '') yield rest;
}
