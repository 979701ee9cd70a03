/** Reads a text of an address; an empty one is none. */
export const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
/** Reads what people wrote: an accession may look like a number, but it stays a text. */
export const written = (value: unknown) => text(value === undefined ? value : String(value));

/** The state of the pages References, Evaluate, Operation and People. Each part of a page reads its own. */
export interface PartSearch {
  /** The ids of open rows, from the outer list inwards, joined by commas. */
  open?: string | undefined;
  /** The ids of experiments that are side by side, joined by commas. */
  compare?: string | undefined;
  /** The evaluation set, stage and neighbours that the benchmark shows. */
  set?: string | undefined;
  stage?: string | undefined;
  k?: number | undefined;
  /** Whether to show figures weighted by information accretion. */
  weighted?: true | undefined;
  /** The status of the jobs or accounts that are listed. */
  status?: string | undefined;
  /** The operation of the jobs that are listed. */
  operation?: string | undefined;
  /** The name and the act that the audit log is searched for. */
  q?: string | undefined;
  act?: string | undefined;
}

export function readPartSearch(search: Record<string, unknown>): PartSearch {
  return {
    open: written(search.open),
    compare: text(search.compare),
    set: text(search.set),
    stage: written(search.stage),
    k: typeof search.k === 'number' ? search.k : undefined,
    weighted: search.weighted === true || undefined,
    status: text(search.status),
    operation: text(search.operation),
    q: written(search.q),
    act: text(search.act),
  };
}
