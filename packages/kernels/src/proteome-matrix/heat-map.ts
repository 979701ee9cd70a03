import { averageLinkage, type Clustering } from './average-linkage.js';

export interface HeatMap {
  /** The columns, with the number of proteins of each. */
  proteomes: readonly { name: string; proteins: number }[];
  rows: readonly {
    name: string;
    /** The number of proteins of each proteome that have the category. */
    counts: readonly number[];
    /** Whether a test says that the shares differ. */
    differs: boolean;
  }[];
}

const cell = 18;
const tree = 70;
const letter = 6.2;
const longestName = 48;
const legend = 46;
const [pale, dark] = [
  [247, 247, 247],
  [8, 48, 107],
] as const;

/**
 * Draws shares as a heat map in SVG, with rows and columns in the order of two trees. The colour is the share as a part of the largest
 * share of the row, and so are the values that the trees are made of.
 */
export function heatMapSvg({ proteomes, rows }: HeatMap): string {
  const values = rows.map(({ counts }) => scaled(shares(counts, proteomes)));
  const byRow = averageLinkage(values);
  const byColumn = averageLinkage(proteomes.map((_, column) => values.map((row) => row[column])));
  const names = proteomes.map(({ name }) => shortened(name));
  const labels = rows.map((row) => rowLabel(row, shares(row.counts, proteomes)));
  const top = tree + 8 + widest(names);
  const right = tree + proteomes.length * cell;
  const width = Math.max(right + 8 + widest(labels), tree + legendWidth) + 8;
  const height = top + rows.length * cell + legend;
  const parts = [
    ...treeLines(byColumn, (along, up) => [tree + along, tree - up]),
    ...treeLines(byRow, (along, up) => [tree - up, top + along]),
    ...byColumn.order.map((column, at) => {
      const [x, y] = [tree + (at + 0.72) * cell, top - 5];
      return `<text x="${x}" y="${y}" transform="rotate(-90 ${x} ${y})">${escaped(names[column])}</text>`;
    }),
    ...byRow.order.flatMap((row, at) => [
      ...byColumn.order.map((column, place) =>
        cellOf({ x: tree + place * cell, y: top + at * cell }, values[row][column], {
          title: `${rows[row].name}, ${proteomes[column].name}: ${rows[row].counts[column]} of ${proteomes[column].proteins}`,
        }),
      ),
      `<text x="${right + 8}" y="${top + (at + 0.72) * cell}">${escaped(labels[row])}</text>`,
    ]),
    ...legendOf(top + rows.length * cell + 16),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}" height="${round(height)}" font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="#fff"/>${parts.join('')}</svg>\n`;
}

function shares(counts: readonly number[], proteomes: HeatMap['proteomes']): number[] {
  return counts.map((count, at) => (proteomes[at].proteins === 0 ? 0 : count / proteomes[at].proteins));
}

function scaled(row: readonly number[]): number[] {
  const most = Math.max(...row);
  return row.map((share) => (most === 0 ? 0 : share / most));
}

function rowLabel({ name, differs }: HeatMap['rows'][number], row: readonly number[]): string {
  return `${percent(Math.max(...row))}  ${shortened(name)}${differs ? ' *' : ''}`;
}

const percent = (share: number) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

function shortened(name: string): string {
  const letters = [...name];
  return letters.length <= longestName ? name : `${letters.slice(0, longestName - 1).join('')}…`;
}

const widest = (texts: readonly string[]) => letter * Math.max(0, ...texts.map((text) => [...text].length));
const round = (value: number) => Number(value.toFixed(1));

/** Draws the merges as brackets; `place` gives the point at a distance along the leaves and from them. */
function treeLines(
  { merges, order }: Clustering,
  place: (along: number, up: number) => [number, number],
): string[] {
  const highest = Math.max(0, ...merges.map(({ height }) => height));
  const upOf = (height: number) => (highest === 0 ? 0 : (height / highest) * (tree - 10));
  const along = new Array<number>(order.length + merges.length);
  const up = new Array<number>(along.length).fill(0);
  for (const [at, leaf] of order.entries()) along[leaf] = (at + 0.5) * cell;
  return merges.map(({ clusters: [a, b], height }, at) => {
    const cluster = order.length + at;
    along[cluster] = (along[a] + along[b]) / 2;
    up[cluster] = upOf(height);
    const points = [
      place(along[a], up[a]),
      place(along[a], up[cluster]),
      place(along[b], up[cluster]),
      place(along[b], up[b]),
    ];
    const text = points.map(([x, y]) => `${round(x)},${round(y)}`).join(' ');
    return `<polyline points="${text}" fill="none" stroke="#888"/>`;
  });
}

function cellOf({ x, y }: { x: number; y: number }, value: number, { title }: { title: string }): string {
  return `<rect x="${x}" y="${round(y)}" width="${cell - 1}" height="${cell - 1}" fill="${colourOf(value)}"><title>${escaped(title)}</title></rect>`;
}

function colourOf(value: number): string {
  return `rgb(${pale.map((from, at) => Math.round(from + value * (dark[at] - from))).join(',')})`;
}

const legendText =
  'of the largest share of the row, which stands before its name; * differs (FDR at most 5 %)';
const legendWidth = letter * legendText.length + 160;

function legendOf(y: number): string[] {
  const steps = Array.from({ length: 6 }, (_, at) => at / 5);
  return [
    ...steps.map((value, at) =>
      cellOf({ x: tree + 20 + at * cell, y }, value, { title: `${100 * value} %` }),
    ),
    `<text x="${tree}" y="${y + 13}">0 %</text>`,
    `<text x="${tree + 24 + 6 * cell}" y="${y + 13}">100 % ${escaped(legendText)}</text>`,
  ];
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
