// Makes the tables of docs/explanation/accuracy.md, as the page of the web client shows them.

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

/** Reads the Fmax tables of the combination: the test, the columns with their proteins, and methods with a figure for each column. */
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
  return { tests };
}
