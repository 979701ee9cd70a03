import type { RunnerInput, RunnerOutput } from './plugins.js';

const columnTypes = {
  query: Int32Array,
  term: Int32Array,
  score: Float64Array,
  source: Int32Array,
  distance: Float32Array,
} as const satisfies { [Column in keyof RunnerOutput]: unknown };

/**
 * Says in words what is first wrong with the output of a runner for an input; null if nothing is. The cost is linear in the rows and in
 * the annotations of their sources.
 */
export function runnerOutputFault(input: RunnerInput, output: RunnerOutput): string | null {
  const shape = shapeFault(output);
  if (shape !== null) return shape;
  const { query, term } = output;
  const termCount = termCountOf(input);
  const sources = new SourceCheck(input);
  const seen = new Set<number>();
  for (let row = 0; row < query.length; row++) {
    if (row === 0 || query[row] !== query[row - 1]) seen.clear();
    const fault =
      rowFault({ input, output, termCount }, row) ??
      (seen.has(term[row] ?? -1) ? 'has a term twice for one query' : null) ??
      sources.fault(output, row);
    if (fault !== null) return `row ${row} (query ${query[row]}, term ${term[row]}) ${fault}`;
    seen.add(term[row] ?? -1);
  }
  return null;
}

function shapeFault(output: RunnerOutput): string | null {
  // The output may be anything, because a plugin may be written in plain JavaScript.
  const given = output as Partial<RunnerOutput> | undefined;
  const rows = given?.query?.length;
  for (const [name, type] of Object.entries(columnTypes)) {
    const values: unknown = given?.[name as keyof RunnerOutput];
    if (!(values instanceof type)) return `its ${name} is not of type ${type.name}`;
    if (values.length !== rows) return `its ${name} has ${values.length} rows, and query has ${rows}`;
  }
  return null;
}

function termCountOf({ termAspect, termFrequency, termOrder, terms }: RunnerInput): number {
  const known = termAspect ?? termFrequency ?? termOrder;
  return known?.length ?? terms.reduce((largest, term) => Math.max(largest, term), -1) + 1;
}

interface Checked {
  input: RunnerInput;
  output: RunnerOutput;
  termCount: number;
}

function rowFault({ input, output, termCount }: Checked, row: number): string | null {
  const query = output.query[row] ?? -1;
  const term = output.term[row] ?? -1;
  const score = output.score[row] ?? Number.NaN;
  if (query < 0 || query >= input.nQuery)
    return `is for none of the ${input.nQuery} queries that were asked for`;
  if (term < 0 || term >= termCount) return `names none of the ${termCount} terms`;
  if (input.aspect !== undefined && input.termAspect?.[term] !== input.aspect)
    return 'has a term of another aspect than the one that was asked for';
  if (!(score >= 0 && score <= 1)) return `has the score ${score}, which is not between 0 and 1`;
  if (row === 0) return null;
  const before = output.query[row - 1] ?? -1;
  if (query < before) return 'comes after rows of a later query';
  if (query === before && score > (output.score[row - 1] ?? 1))
    return 'has a higher score than the row before it';
  return null;
}

/** Checks whether sources are neighbours of their query that carry the term. The neighbours of one query are kept. */
class SourceCheck {
  readonly #input: RunnerInput;
  #query = -1;
  /** The distance of each neighbour of the query, by its sequence if references share sequences. */
  readonly #distances = new Map<number, number>();

  constructor(input: RunnerInput) {
    this.#input = input;
  }

  fault(output: RunnerOutput, row: number): string | null {
    const source = output.source[row] ?? -1;
    const distance = output.distance[row] ?? Number.NaN;
    if (source === -1)
      return Number.isNaN(distance) ? null : 'has a distance, but no source (column `source`)';
    this.#enter(output.query[row] ?? -1);
    const expected = this.#distances.get(this.#key(source));
    if (expected === undefined) return `names the source ${source}, which is not a neighbour of the query`;
    if (!this.#carries(source, output.term[row] ?? -1))
      return `names the source ${source}, which does not carry the term`;
    if (distance !== expected)
      return `has the distance ${distance} for the source ${source}, which is at ${expected}`;
    return null;
  }

  #key(reference: number): number {
    const { sharing } = this.#input;
    return sharing === undefined ? reference : (sharing.sequence[reference] ?? -1);
  }

  #enter(query: number): void {
    if (this.#query === query) return;
    this.#query = query;
    this.#distances.clear();
    const { neighbours, distances, k } = this.#input;
    for (let place = query * k; place < (query + 1) * k; place++) {
      const neighbour = neighbours[place] ?? -1;
      if (neighbour < 0) return;
      this.#distances.set(this.#key(neighbour), distances[place] ?? Number.NaN);
    }
  }

  #carries(reference: number, term: number): boolean {
    const { termStart, terms, negated } = this.#input;
    const end = termStart[reference + 1] ?? 0;
    for (let at = termStart[reference] ?? 0; at < end; at++)
      if (terms[at] === term && negated?.[at] !== 1) return true;
    return false;
  }
}
