/** (query, term) pairs in columns of one length, query by query; terms are numbers. */
export interface Pairs {
  /** Int32 [pairs], ascending. */
  query: Int32Array;
  /** Int32 [pairs], 0 .. termCount - 1; each at most once per query. */
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

/** @throws Error when the caller cancelled */
export function stopIf(isAborted: (() => boolean) | undefined): void {
  if (isAborted?.()) throw new Error('the computation of features was aborted');
}
