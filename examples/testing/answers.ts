import { inflateRawSync } from 'node:zlib';
import { certainties, certaintyOf, measuredRate } from '@kindred/kernels/combined';
import type { Aspect } from '@kindred/kernels/vocabulary';

/** The cells of one line of a table, by column. */
export type Line = Record<string, string>;

/** The terms that a reader finds of each protein, in their order: GO ids, each with `known` or with the word of its certainty. */
export type Shown = Map<string, string[]>;

/** Reads a table with a header. */
export function linesOf(tsv: string): Line[] {
  const [header, ...rows] = tsv
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.split('\t'));
  return rows.map((row) => Object.fromEntries(header.map((name, at) => [name, row[at]])));
}

/** Groups the lines of a table by protein. */
export function byProtein(lines: Iterable<Line>): Map<string, Line[]> {
  const found = new Map<string, Line[]>();
  for (const line of lines) found.set(line.protein, [...(found.get(line.protein) ?? []), line]);
  return found;
}

export const isKnown = (line: Line): boolean => line.kind === 'known' && !/NOT/.test(line.qualifier);
const isBeyond = (line: Line): boolean => line.kind === 'predicted' && line.is_known !== 'yes';
/** Says whether lists show a line: it is known, or predicted beyond that and not folded. */
export const isListed = (line: Line): boolean =>
  isKnown(line) || (isBeyond(line) && line.folded_under === '');

/** Returns the first line that a reader finds of an aspect; undefined means none. */
export function firstOf(lines: readonly Line[], aspect: Aspect): Line | undefined {
  return lines.find((line) => line.aspect === aspect && isListed(line));
}

export const wordOf = (line: Line): string =>
  line.kind === 'known' ? 'known' : line.certainty || 'not calibrated';

/** Returns what the table of all terms shows; every other surface is compared with it. */
export function shownInTable(
  answers: ReadonlyMap<string, readonly Line[]>,
  chosen: (line: Line) => boolean = (line) => isKnown(line) || isBeyond(line),
  word: (line: Line) => string = wordOf,
): Shown {
  return new Map(
    [...answers].map(([protein, lines]) => [
      protein,
      lines.filter(chosen).map((line) => `${line.go_id} ${word(line)}`),
    ]),
  );
}

/** The answer for a protein, as the API and JSON Lines have it. */
export interface AnswerReply {
  accession: string;
  known: {
    accession: string;
    terms: { go_id: string; name: string; aspect: Aspect; is_negated: boolean }[];
  } | null;
  terms: { go_id: string; is_known: boolean | null; certainty: string | null }[];
}

export function shownInReply({ known, terms }: AnswerReply): string[] {
  return [
    ...(known?.terms ?? []).filter((term) => !term.is_negated).map(({ go_id }) => `${go_id} known`),
    ...terms
      .filter((term) => term.is_known !== true)
      .map(({ go_id, certainty }) => `${go_id} ${certainty ?? 'not calibrated'}`),
  ];
}

/** Reads GAF or GPAD, in which a known term has a line for each annotation. The word of a prediction is `predicted`. */
export function shownInAnnotations(text: string, [term, assignedBy, negation]: readonly number[]): Shown {
  const found: Shown = new Map();
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('!')) continue;
    const cells = line.split('\t');
    const protein = cells[term === 4 ? 1 : 0].split(':').at(-1) as string;
    const terms = found.get(protein) ?? [];
    found.set(protein, terms);
    if (/NOT/.test(cells[negation])) continue;
    const shown = `${cells[term]} ${cells[assignedBy] === 'Kindred' ? 'predicted' : 'known'}`;
    if (!terms.includes(shown)) terms.push(shown);
  }
  return found;
}

/** Reads the features of GFF3. Predictions are named apart where something is known. */
export function shownInFeatures(text: string): Shown {
  const found: Shown = new Map();
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('#')) continue;
    const attributes = new Map(
      (line.split('\t').at(-1) as string).split(';').map((one) => one.split('=') as [string, string]),
    );
    const listed = (name: string) => attributes.get(name)?.split(',') ?? [];
    const predicted = new Set(listed(attributes.has('known') ? 'predicted' : 'Ontology_term'));
    found.set(
      attributes.get('ID') as string,
      listed('Ontology_term').map((id) => `${id} ${predicted.has(id) ? 'predicted' : 'known'}`),
    );
  }
  return found;
}

/** Reads the table with one line a protein, whose lists have the functions first. */
export function shownInWide(lines: readonly Line[]): Shown {
  const listed = (text: string) => (text === '' ? [] : text.split(';'));
  return new Map(
    lines.map((line) => [
      line.protein,
      ['P', 'F', 'C'].flatMap((aspect) => {
        const values = listed(line[`${aspect}_probabilities`]);
        return listed(line[`${aspect}_terms`]).map((id, at) => `${id} ${wordFor(values[at])}`);
      }),
    ]),
  );
}

const wordFor = (value = ''): string =>
  value === 'known' ? value : value === '' ? 'not calibrated' : (certaintyOf(Number(value)) as string);

/** Reads the sheets of a workbook, each as lines of cells. */
export function sheetsOf(workbook: Buffer): string[][][] {
  return [1, 2].map((number) => {
    const rows = fileIn(workbook, `xl/worksheets/sheet${number}.xml`).split('<row').slice(1);
    return rows.map((row) =>
      [...row.matchAll(/<c(?: [^>]*)?(?:\/>|>(.*?)<\/c>)/gs)].map(([, cell = '']) =>
        (/<(?:t|v)(?: [^>]*)?>(.*?)<\/(?:t|v)>/s.exec(cell)?.[1] ?? '')
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&amp;', '&'),
      ),
    );
  });
}

/** Unpacks a file of a ZIP archive, by its directory at the end. */
function fileIn(zip: Buffer, name: string): string {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  for (let at = zip.readUInt32LE(end + 16), left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [nameBytes, extra, comment] = [28, 30, 32].map((place) => zip.readUInt16LE(at + place));
    if (zip.toString('utf8', at + 46, at + 46 + nameBytes) === name) {
      const start = zip.readUInt32LE(at + 42);
      const content = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28);
      return inflateRawSync(zip.subarray(content, content + zip.readUInt32LE(at + 20))).toString();
    }
    at += 46 + nameBytes + extra + comment;
  }
  throw new Error(`the workbook has no ${name}`);
}

/** Returns the probability of a prediction, or how often such scores were right. */
function chanceOf({ probability, score, aspect }: Line): number {
  return probability === '' ? measuredRate(aspect as Aspect, Number(score)) : Number(probability);
}

function certaintyPlace(line: Line): number {
  return certainties.indexOf(certaintyOf(chanceOf(line)) ?? 'weak');
}

/**
 * Says what is wrong with the order of an answer: what is known comes first; within an aspect what is predicted beyond it comes before
 * predictions of what is known; a term is folded only under one that is listed itself and at least as certain in a word; the listed
 * terms fall from word to word and in steps of a twentieth within a word.
 */
export function orderFaults(lines: readonly Line[]): string[] {
  const faults: string[] = [];
  const kinds = lines.map((line) => line.kind);
  const predicted = lines.filter((line) => line.kind === 'predicted');
  if (predicted.length > 0 && kinds.lastIndexOf('known') > kinds.indexOf('predicted'))
    faults.push('a known term comes after a prediction');
  const byId = new Map(predicted.map((line) => [line.go_id, line]));
  for (const line of predicted) {
    if (line.folded_under === '') continue;
    const upper = byId.get(line.folded_under);
    if (upper === undefined || upper.aspect !== line.aspect || upper.folded_under !== '')
      faults.push(`${line.go_id} is folded under ${line.folded_under}, which is not listed in its aspect`);
    else if (certaintyPlace(upper) > certaintyPlace(line))
      faults.push(`${line.go_id} is folded under the less certain ${upper.go_id}`);
  }
  for (const aspect of 'PFC') {
    const own = predicted.filter((line) => line.aspect === aspect);
    if (
      own.findLastIndex(isBeyond) > own.findIndex((line) => !isBeyond(line)) &&
      own.some((one) => !isBeyond(one))
    )
      faults.push(`${aspect}: a prediction of a known term comes before one beyond`);
    // Terms that say little come after the others, and general ones after both, in the same way: that makes four stretches.
    for (const part of [own.filter(isBeyond), own.filter((line) => !isBeyond(line))]) {
      const listed = part.filter((line) => line.folded_under === '');
      const steps = listed.map((line) => [certaintyPlace(line), -Math.round(chanceOf(line) / 0.05)]);
      const rises = steps.filter(
        ([word, step], at) =>
          at > 0 && (word < steps[at - 1][0] || (word === steps[at - 1][0] && step < steps[at - 1][1])),
      );
      if (rises.length > 3) faults.push(`${aspect}: the certainty rises ${rises.length} times`);
    }
  }
  return faults;
}

/** Says where the report of a run differs from its table. */
export function reportFaults(html: string, answers: ReadonlyMap<string, readonly Line[]>): string[] {
  const faults: string[] = [];
  const counts = new Map<string, number>();
  for (const lines of answers.values())
    for (const line of lines)
      if (line.aspect === 'F' && (isKnown(line) || isBeyond(line)))
        counts.set(
          `${line.go_name} (${line.go_id})`,
          (counts.get(`${line.go_name} (${line.go_id})`) ?? 0) + 1,
        );
  const bars = (heading: string) =>
    unescaped(new RegExp(`<h[23]>${heading}</h[23]>.*?aria-label="([^"]*)"`, 's').exec(html)?.[1] ?? '');
  const functions = bars('Most frequent: molecular function').matchAll(
    /([^;\s][^;]*? \(GO:\d{7}\)): ([\d,]+)/g,
  );
  const numbers = [...functions].map(([, name, count]) => [name, Number(count.replaceAll(',', ''))]);
  if (numbers.length === 0) faults.push('no function is counted');
  for (const [name, count] of numbers)
    if (counts.get(name as string) !== count)
      faults.push(`${name}: ${count} proteins, not ${counts.get(name as string)}`);
  const known = [...answers].filter(([, lines]) => lines.some(isKnown)).map(([protein]) => protein);
  const said = Number(/known: ([\d,]+)/.exec(bars('How certain'))?.[1].replaceAll(',', ''));
  if (said !== known.length) faults.push(`${said} proteins are known, not ${known.length}`);
  const least = /<h2>Least certain<\/h2>.*?<h2>/s.exec(html)?.[0] ?? '';
  for (const [, protein, goId] of least.matchAll(/<tr><td>([^<]*)<\/td><td>(GO:\d{7})/g)) {
    // The accession follows the name of a protein that has one.
    const lines = answers.get(/\(([^()]+)\)$/.exec(protein)?.[1] ?? protein) ?? [];
    const first = lines.find(isListed);
    if (first?.kind !== 'predicted' || first.go_id !== goId)
      faults.push(`${protein}: ${goId} is listed as least certain, and ${first?.go_id} is its first term`);
  }
  return faults;
}

function unescaped(text: string): string {
  return text
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
