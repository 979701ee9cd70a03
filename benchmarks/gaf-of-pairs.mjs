// Writes GAF 2.2 of GO pairs that name no evidence.
import { createReadStream, createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createGzip } from 'node:zlib';

const relations = { F: 'enables', P: 'involved_in', C: 'located_in' };

/**
 * @param {string} path
 * @param {string} pairs a table with a header line and the columns accession, go_id, aspect
 * @param {{ isWanted?: (accession: string) => boolean; codeOf?: (row: number) => string }} [options] isWanted chooses accessions; codeOf
 * gives the evidence code of the pair in row n, counted from 0
 * @returns the number of rows
 */
export async function writeGafOfPairs(path, pairs, { isWanted = () => true, codeOf = () => 'IEA' } = {}) {
  const out = createGzip({ level: 1 });
  const file = out.pipe(createWriteStream(path));
  out.write('!gaf-version: 2.2\n');
  let rows = 0;
  let text = '';
  let isHeader = true;
  for await (const line of createInterface({ input: createReadStream(pairs) })) {
    if (isHeader) {
      isHeader = false;
      continue;
    }
    const [accession, term, aspect] = line.split('\t');
    if (!isWanted(accession)) continue;
    text += `UniProtKB\t${accession}\t${accession}\t${relations[aspect]}\t${term}\tGO_REF:0000002\t${codeOf(rows)}\t\t${aspect}\t\t\tprotein\ttaxon:1\t20140122\tUniProt\t\t\n`;
    rows++;
    if (text.length > 1 << 20) {
      if (!out.write(text)) await once(out, 'drain');
      text = '';
    }
  }
  out.end(text);
  await once(file, 'close');
  return rows;
}
