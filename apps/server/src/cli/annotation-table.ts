/** One GO term for one protein: what `kindred annotate` prints. */
export interface AnnotationLine {
  protein: string;
  go_id: string;
  go_name: string;
  aspect: string;
  score: number;
  distance: number;
  donor: string;
  evidence_code: string;
}

export const annotationColumns = [
  'protein',
  'go_id',
  'go_name',
  'aspect',
  'score',
  'distance',
  'donor',
  'evidence_code',
] as const;

/**
 * Reads predictions.tsv (one row per query, term and reference; best first within a query) and keeps the first row of each (query, term): its nearest donor.
 */
export async function* readAnnotations(tsv: AsyncIterable<Uint8Array>): AsyncIterable<AnnotationLine> {
  let column: Record<string, number> | null = null;
  let protein = '';
  let seen = new Set<string>();
  for await (const line of textLines(tsv)) {
    const cells = line.split('\t');
    if (column === null) {
      column = Object.fromEntries(cells.map((name, index) => [name, index]));
      continue;
    }
    if (cells[column.protein_accession] !== protein) {
      protein = cells[column.protein_accession];
      seen = new Set();
    }
    const goId = cells[column.go_id];
    if (seen.has(goId)) continue;
    seen.add(goId);
    const distance = Number(cells[column.distance]);
    yield {
      protein,
      go_id: goId,
      go_name: cells[column.go_name],
      aspect: cells[column.go_aspect],
      score: Number((1 - distance / 2).toFixed(6)),
      distance,
      donor: cells[column.ref_protein_accession],
      evidence_code: cells[column.evidence_code],
    };
  }
}

async function* textLines(bytes: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() as string;
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

/** For reading on a terminal: the best terms of each protein, in aligned columns. */
export function formatTable(lines: readonly AnnotationLine[], perProtein: number): string {
  const shown: string[][] = [['protein', 'GO id', 'aspect', 'score', 'donor', 'evidence', 'name']];
  let protein = '';
  let count = 0;
  for (const line of lines) {
    if (line.protein !== protein) {
      protein = line.protein;
      count = 0;
    }
    if (count++ >= perProtein) continue;
    const name = line.go_name.length > 60 ? `${line.go_name.slice(0, 59)}…` : line.go_name;
    shown.push([
      line.protein,
      line.go_id,
      line.aspect,
      line.score.toFixed(3),
      line.donor,
      line.evidence_code,
      name,
    ]);
  }
  const widths = shown[0].map((_, index) => Math.max(...shown.map((row) => row[index].length)));
  return shown
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
