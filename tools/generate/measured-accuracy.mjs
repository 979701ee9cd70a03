// Makes the tables of docs/explanation/accuracy.md, as the page of the web client shows them.
import { votesShareOf } from '@kindred/kernels/combined';

const aspectOf = { process: 'P', function: 'F', component: 'C' };
const from = '## Across organisms and years';

/** Removes the marks of Markdown from a name. */
const plain = (text) => text.replaceAll(/[*_]/g, '').trim();
const cellsOf = (line) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Reads `NK process (39)` as category, aspect and number of proteins; null for the mean. */
function columnOf(title) {
  const found = /^(NK|LK|PK) (process|function|component) \((\d+)\)$/.exec(title);
  return found === null
    ? null
    : { category: found[1], aspect: aspectOf[found[2]], proteins: Number(found[3]) };
}

/** Reads `**0.362** (0.34-0.40)` or `0.251 (+)`, where + means that the combination is above, - below, and = neither. */
function figureOf(cell) {
  const found = /^\**([\d.]+)\**(?: \((?:([\d.]+)-([\d.]+)|([+=-]))\))?$/.exec(cell);
  if (found === null) throw new Error(`not a figure: ${cell}`);
  const [, value, low, high, mark] = found;
  return {
    value: Number(value),
    ...(low === undefined ? {} : { low: Number(low), high: Number(high) }),
    ...(mark === undefined ? {} : { combination: { '+': 'above', '-': 'below', '=': 'neither' }[mark] }),
  };
}

/** The tables of the models of eukaryotes that are shipped: the kind of query, and the name in the document. */
const modelTables = [
  ['known', 'known'],
  ['known', 'known, further proteins'],
  ['bare', 'bare'],
  ['bare', 'bare, further proteins'],
];
/** The end of a row's name, which says what its score is, by the share of the votes in it. */
const scoreNames = { 0.25: ', quarter of votes', 0: ', model' };

/** Reads `0.537 (0.512)`, `0.022 to 0.028` and `7, 0`: a mean and the one before, the interval of their difference, and cells of nine. */
function comparisonOf([means, interval, cells]) {
  const found = /^([\d.]+) \(([\d.]+)\) (-?[\d.]+) to (-?[\d.]+) (\d), (\d)$/.exec(
    `${means} ${interval} ${cells}`,
  );
  if (found === null) throw new Error(`not a comparison: ${means} | ${interval} | ${cells}`);
  const [now, before, low, high, above, below] = found.slice(1).map(Number);
  return { now, before, low, high, above, below };
}

/** Reads the rows of one table that are of the shipped score. A row named *without* is of the proteins above. */
export function modelRows(markdown, kind, name) {
  const table = new RegExp(`<!-- ${name}: made by [^\\n]*\\n([^<]*)<!-- ${name}: end -->`).exec(markdown);
  if (table === null) throw new Error(`docs/explanation/accuracy.md lacks the table ${name}`);
  const score = scoreNames[votesShareOf[kind]];
  if (score === undefined)
    throw new Error(`no row of the tables has the score of ${kind} queries; name it here`);
  let proteins = '';
  return table[1]
    .trim()
    .split('\n')
    .slice(2)
    .flatMap((line) => {
      const [title, ...cells] = cellsOf(line);
      if (!title.endsWith(score)) return [];
      const asked = title.slice(0, title.length - score.length);
      if (asked !== 'without') proteins = asked;
      return [
        {
          ...{ kind, proteins, hasOwnOrganism: asked !== 'without' },
          fmax: comparisonOf(cells.slice(0, 3)),
          f_micro_w: comparisonOf(cells.slice(3)),
        },
      ];
    });
}

/**
 * Reads the Fmax tables of the combination: the test, the columns with their proteins, and methods with a figure for each column; and the
 * means of the models of eukaryotes.
 */
export function measuredAccuracy(markdown) {
  const part = markdown.slice(markdown.indexOf(from));
  const tests = part
    .split(/^### /m)
    .slice(1)
    .flatMap((section) => {
      const [title, ...lines] = section.split(/\n(?=## )/)[0].split('\n');
      const start = lines.findIndex((line) => line.startsWith('| Fmax |'));
      if (start < 0) return [];
      const columns = cellsOf(lines[start]).slice(1).map(columnOf);
      const end = lines.findIndex((line, at) => at > start && !line.startsWith('|'));
      const methods = lines.slice(start + 2, end).map((line) => {
        const [name, ...cells] = cellsOf(line);
        return {
          name: plain(name),
          figures: cells.flatMap((cell, at) => (columns[at] === null ? [] : [figureOf(cell)])),
        };
      });
      return [{ title: title.trim(), columns: columns.filter((column) => column !== null), methods }];
    });
  return { tests, eukaryotes: modelTables.flatMap(([kind, name]) => modelRows(markdown, kind, name)) };
}
