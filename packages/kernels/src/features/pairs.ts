/** Pairs (query, term) in columns of one length, query by query. Terms are numbers. */
export interface Pairs {
  /** The query of each pair, ascending: Int32 [pairs]. */
  query: Int32Array;
  /** The term of each pair, 0 .. termCount - 1, at most once for each query: Int32 [pairs]. */
  term: Int32Array;
}

/** Rows of terms: those of row r are `terms[start[r] .. start[r + 1])`. */
export interface TermLists {
  start: Int32Array;
  terms: Int32Array;
}

/** Calls `visit` once for each query that has pairs, with its range of rows. */
export function forEachQuery(
  { query }: Pairs,
  visit: (query: number, from: number, toExclusive: number) => void,
): void {
  for (let from = 0; from < query.length; ) {
    let to = from + 1;
    while (to < query.length && query[to] === query[from]) to++;
    visit(query[from], from, to);
    from = to;
  }
}

/** @throws Error if the caller cancelled */
export function stopIf(isAborted: (() => boolean) | undefined): void {
  if (isAborted?.()) throw new Error('the computation of features was aborted');
}
