import { createReadStream, createWriteStream } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ProblemError } from '@kindred/contracts';
import { isGoId, lines } from '@kindred/kernels/formats';
import { aspectOfCafa, aspects, namespaceOf } from '@kindred/kernels/vocabulary';
import { defaultLimits, unpack } from '../ground/sources/unpack.js';

/**
 * Makes a GAF file of a table of EntryID, term and aspect, as the benchmarks publish their annotations; they rest on experiments, so their
 * evidence is EXP. Other files are returned as they are.
 *
 * @param made the path of the file that may be written
 * @returns the path of the file to read
 * @throws ProblemError bad_file with the line of a row that cannot be read
 */
export async function annotationsAsGaf(path: string, made: string): Promise<string> {
  for await (const line of linesOf(path)) {
    if (!isTable(line)) return path;
    break;
  }
  await pipeline(Readable.from(gafOf(path)), createWriteStream(made));
  return made;
}

const linesOf = (path: string) => lines(unpack(createReadStream(path), defaultLimits, path));

const isTable = (line: string) => !line.startsWith('!') && line.split('\t').length <= 3;

/** The benchmarks write an aspect as one letter, three, or the words of the ontology's files. */
const aspectOfWord = new Map<string, string>([
  ...aspects.map((aspect) => [aspect, aspect] as const),
  ...Object.entries(aspectOfCafa),
  ...aspects.map((aspect) => [namespaceOf[aspect], aspect] as const),
]);

async function* gafOf(path: string): AsyncGenerator<string> {
  yield '!gaf-version: 2.2\n';
  let number = 0;
  for await (const line of linesOf(path)) {
    number++;
    if (line.trim() === '') continue;
    const [accession, term, word = ''] = line.split('\t').map((cell) => cell.trim());
    if (number === 1 && !isGoId(term ?? '')) continue;
    const aspect = aspectOfWord.get(word);
    if (accession === '' || !isGoId(term ?? '') || aspect === undefined)
      throw new ProblemError(
        'bad_file',
        `${basename(path)}, line ${number}: expected EntryID, a GO term and its aspect (P, F or C), separated by tabs; found "${line.slice(0, 80)}".`,
      );
    const relation = { P: 'involved_in', F: 'enables', C: 'located_in' }[aspect];
    // The format needs a date, and the table has none.
    yield `${['UniProtKB', accession, accession, relation, term, 'GO_REF:0000000', 'EXP', '', aspect, '', '', 'protein', 'taxon:32644', '19700101', 'CAFA', '', ''].join('\t')}\n`;
  }
}
