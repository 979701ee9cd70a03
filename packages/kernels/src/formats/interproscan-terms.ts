import { FormatError } from './format-error.js';
import { gff3Column9 } from './gff3-read.js';
import { lineBatches, type TextSource } from './lines.js';
import type { LineReader, ParsedBatch } from './read-batches.js';
import { addTerms, isMd5, isNothing, type StatedTerm } from './stated-term.js';

/** A JSON file with more characters does not fit into one text. */
const mostJsonCharacters = 400_000_000;
/** Proteins of a JSON file in one batch. */
const proteinsOfBatch = 500;

function basisOf(...parts: (string | null | undefined)[]): string | null {
  const named = parts.filter((part) => !isNothing(part));
  return named.length > 0 ? named.join(' ') : null;
}

/** Reads column 14 of InterProScan's table, which its option --goterms fills. */
export function interProScanTable(): LineReader<StatedTerm> {
  return {
    read(line, lineNumber, batch) {
      if (line.startsWith('#') || line.trim() === '') return;
      const columns = line.split('\t');
      const protein = columns[0].trim();
      if (protein === '' || columns.length < 11 || !isMd5(columns[1])) {
        const reason = `expected the 11 to 15 columns of InterProScan, found ${columns.length}`;
        batch.rejected.push({ line: lineNumber, record: protein || null, reason });
        return;
      }
      const basis = basisOf(columns[4], columns[11]);
      const ids = (columns[13] ?? '').split(/[,|]/);
      addTerms({ line: lineNumber, protein, score: null, basis, ids }, batch, 'column 14');
    },
  };
}

/**
 * Reads Ontology_term of the matches in InterProScan's GFF3, whose column 1 is the protein. InterProScan puts quotation marks around each
 * value. The lines of the whole protein and the sequences behind ##FASTA state nothing.
 */
export function interProScanGff3(): LineReader<StatedTerm> {
  let hasEnded = false;
  return {
    read(line, lineNumber, batch) {
      if (line.startsWith('##FASTA')) hasEnded = true;
      if (hasEnded || line.startsWith('#') || line.trim() === '') return;
      const columns = line.split('\t');
      const protein = columns[0].trim();
      if (protein === '' || columns.length !== 9) {
        const reason = `expected the 9 columns of GFF3, found ${columns.length}`;
        batch.rejected.push({ line: lineNumber, record: protein || null, reason });
        return;
      }
      if (columns[2] === 'polypeptide') return;
      const attributes = gff3Column9(columns[8]);
      const valuesOf = (name: string) =>
        (attributes.get(name) ?? []).map((value) => value.replaceAll('"', '').trim());
      const entry = valuesOf('Dbxref').find((value) => /^InterPro:/i.test(value));
      const basis = basisOf(valuesOf('Name')[0], entry?.slice('InterPro:'.length));
      const ids = valuesOf('Ontology_term').flatMap((value) => value.split('|'));
      addTerms({ line: lineNumber, protein, score: null, basis, ids }, batch, 'Ontology_term');
    },
  };
}

interface GoReference {
  id?: string;
}

/** The parts of InterProScan's JSON that are read. PANTHER states terms at the match, all others at the entry. */
interface JsonResult {
  xref?: { id?: string }[];
  matches?: {
    goXRefs?: GoReference[];
    signature?: { accession?: string; entry?: { accession?: string; goXRefs?: GoReference[] } | null };
  }[];
}

/**
 * Reads the terms of InterProScan's JSON, with and without its version at the top. The line of a term is the number of the protein among
 * the results. A match without a GO term counts in `skipped`.
 *
 * @throws FormatError for text that is not such JSON or is too long, and for a result that does not name its protein
 */
export async function* readInterProScanJson(source: TextSource): AsyncGenerator<ParsedBatch<StatedTerm>> {
  const results = resultsIn(await wholeText(source));
  for (let from = 0; from === 0 || from < results.length; from += proteinsOfBatch) {
    const part = results.slice(from, from + proteinsOfBatch);
    const batch: ParsedBatch<StatedTerm> = { records: [], rejected: [], skipped: 0, seen: 0, header: {} };
    part.forEach((result, i) => addResult(result, from + i + 1, batch));
    batch.seen = from + part.length;
    yield batch;
  }
}

function addResult({ xref, matches }: JsonResult, number: number, batch: ParsedBatch<StatedTerm>): void {
  const proteins = (xref ?? []).flatMap(({ id }) => (typeof id === 'string' && id !== '' ? [id] : []));
  if (proteins.length === 0) throw notJson(`result ${number} has no xref with the id of its protein`);
  for (const { signature, goXRefs } of matches ?? []) {
    const basis = basisOf(signature?.accession, signature?.entry?.accession);
    const ids = [...(goXRefs ?? []), ...(signature?.entry?.goXRefs ?? [])].map(({ id }) => id ?? '');
    for (const protein of proteins)
      addTerms({ line: number, protein, score: null, basis, ids }, batch, 'goXRefs');
  }
}

async function wholeText(source: TextSource): Promise<string> {
  const parts: string[] = [];
  let length = 0;
  for await (const { lines } of lineBatches(source, { maxLineLength: mostJsonCharacters })) {
    const text = lines.join('\n');
    length += text.length + 1;
    if (length > mostJsonCharacters)
      throw notJson(`it has more than ${mostJsonCharacters.toLocaleString('en')} characters`);
    parts.push(text);
  }
  return parts.join('\n');
}

function resultsIn(text: string): JsonResult[] {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch (error) {
    throw notJson(`it cannot be read (${(error as Error).message})`);
  }
  const results = Array.isArray(root) ? root : (root as { results?: unknown } | null)?.results;
  if (!Array.isArray(results)) throw notJson('it has no list "results"');
  return results as JsonResult[];
}

function notJson(what: string): FormatError {
  const reason = `this is no JSON of InterProScan: ${what}; give the file as InterProScan wrote it, or its TSV`;
  return new FormatError({ line: 1, record: null, reason });
}
