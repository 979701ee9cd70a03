import {
  ProblemError,
  type Runner,
  type RunnerInput,
  type RunnerOutput,
  runnerOutputFault,
} from '@kindred/contracts';
import { GrowingFloat64, GrowingInt32 } from '@kindred/kernels/arrays';
import { type Candidates, type RankedTerm, tieOrder, type TransferInput } from '@kindred/kernels/scoring';
import type { TaskControl } from '../../ground/pool/pool.js';
import { defaultLimitSeconds } from './plugin-limit.js';
import { threadPlugins } from './thread-plugins.js';

/** A job keeps the runner that it began with. */
export interface RunnerChoice {
  name: string;
  version: string;
  parameters: Record<string, unknown>;
}

/** The columns have one row for each (query, term), by query, then falling score. */
export interface ScoredCandidates {
  query: Int32Array;
  term: Int32Array;
  score: ArrayLike<number>;
  /** This reference gave the term; -1 for none. */
  source: Int32Array;
  /** The neighbours' candidate with this query and term is in this row; -1 if no neighbour has the term. */
  candidate: Int32Array;
}

interface OpenRunner {
  key: string;
  runner: Runner;
  /** The plugin's schema has parsed the parameters. */
  parameters: Record<string, unknown>;
  limitSeconds: number;
}

/** The thread used this runner last. */
let open: OpenRunner | null = null;

/** Computes the scores that the runner gives the neighbours, one list after the other, checked and merged. */
export async function runnerScores(
  choice: RunnerChoice,
  { transfer, candidates }: { transfer: TransferInput; candidates: Candidates },
  control: Pick<TaskControl, 'aborted' | 'bounded'>,
): Promise<ScoredCandidates> {
  const { runner, parameters, limitSeconds } = await opened(choice);
  const outputs: RunnerOutput[] = [];
  for (const input of inputsOf(transfer, parameters))
    outputs.push(
      await control.bounded(
        { ms: 1000 * limitSeconds, fault: tooSlow(choice, input, limitSeconds) },
        async () => checkedOutput({ runner, choice }, input, control),
      ),
    );
  return merged(outputs, { transfer, candidates });
}

async function opened({ name, version, parameters }: RunnerChoice): Promise<OpenRunner> {
  const key = JSON.stringify([name, version, parameters]);
  if (open?.key === key) return open;
  const plugin = await threadPlugins.runnerPlugin(name);
  if (plugin.version !== version)
    throw new ProblemError(
      'conflict',
      `The runner ${name} was replaced by its version ${plugin.version} while a prediction with ${version} ran: submit the job again.`,
    );
  open = {
    key,
    runner: await threadPlugins.runner(name),
    parameters: plugin.parameters.parse(parameters),
    limitSeconds: plugin.limitSeconds ?? defaultLimitSeconds,
  };
  return open;
}

function tooSlow({ name, version }: RunnerChoice, { nQuery }: RunnerInput, seconds: number): ProblemError {
  return new ProblemError(
    'runner_failed',
    `The runner ${name} ${version} did not return within ${seconds} s for ${nQuery} ${nQuery === 1 ? 'query' : 'queries'}, and was ended. ` +
      'Use another runner, or a version of it that is faster or names a longer limit (limitSeconds).',
  );
}

/** Makes one input for the runner from each list of neighbours: an aspect, or all of them. */
function inputsOf(transfer: TransferInput, parameters: Record<string, unknown>): RunnerInput[] {
  const { lists, annotations, nQuery, k, metric, termAspect, termFrequency, firstAspect, sharing } = transfer;
  return lists.map((list) => ({
    ...list,
    ...{ parameters, nQuery, k, metric, termAspect, termFrequency, firstAspect, sharing },
    termStart: annotations.start,
    terms: annotations.term,
  }));
}

async function checkedOutput(
  { runner, choice: { name, version } }: { runner: Runner; choice: RunnerChoice },
  input: RunnerInput,
  control: Pick<TaskControl, 'aborted'>,
): Promise<RunnerOutput> {
  const abort = new AbortController();
  const watch = setInterval(() => control.aborted() && abort.abort(), 200);
  try {
    const output = await runner.run(input, abort.signal);
    const fault = runnerOutputFault(input, output);
    if (fault === null) return output;
    throw new ProblemError(
      'runner_failed',
      `The output of the runner ${name} ${version} can't be stored: ${fault}.`,
    );
  } catch (error) {
    if (control.aborted()) throw error;
    throw namingRunner(error, `${name} ${version}`);
  } finally {
    clearInterval(watch);
  }
}

/** A refusal of the runner keeps its code, so that a fault that may pass is tried again. */
function namingRunner(error: unknown, runner: string): unknown {
  if (error instanceof ProblemError && error.code === 'runner_failed') return error;
  const message = error instanceof Error ? error.message : String(error);
  const isRefusal = error instanceof ProblemError;
  return new ProblemError(
    isRefusal ? error.code : 'runner_failed',
    `The runner ${runner} failed: ${message.replace(/\.$/, '')}.`,
    { cause: error },
  );
}

/**
 * Merges the rows of all lists, by query and falling score. Rows of one list keep their order. If rows of two
 * lists have equal scores, the order of the neighbours' terms decides.
 */
function merged(
  outputs: readonly RunnerOutput[],
  { transfer, candidates }: { transfer: TransferInput; candidates: Candidates },
): ScoredCandidates {
  const rows = {
    query: new GrowingInt32(),
    term: new GrowingInt32(),
    score: new GrowingFloat64(),
    source: new GrowingInt32(),
    candidate: new GrowingInt32(),
  };
  const compareTies = tieOrder(transfer);
  const places = new CandidatePlaces(candidates, transfer.termCount);
  const readers = outputs.map((output) => new OutputReader(output, { candidates, places }));
  for (let query = 0; query < transfer.nQuery; query++) {
    places.enter(query);
    for (const reader of readers) reader.enter(query);
    for (let first = firstOf(readers, compareTies); first !== null; first = firstOf(readers, compareTies)) {
      const { term, score, source, candidate } = first.take();
      rows.query.push(query);
      rows.term.push(term);
      rows.score.push(score);
      rows.source.push(source);
      rows.candidate.push(candidate);
    }
  }
  return {
    query: rows.query.finish(),
    term: rows.term.finish(),
    score: rows.score.finish(),
    source: rows.source.finish(),
    candidate: rows.candidate.finish(),
  };
}

/** The head is the first row that was not taken yet; `votes` are the neighbours that have its term. */
interface Head extends RankedTerm {
  score: number;
  source: number;
  candidate: number;
}

/** Finds the reader whose next row comes first; null at the end of the query. */
function firstOf(
  readers: readonly OutputReader[],
  compareTies: (a: RankedTerm, b: RankedTerm) => number,
): OutputReader | null {
  let first: OutputReader | null = null;
  for (const reader of readers) {
    if (reader.head === null) continue;
    const other = first?.head ?? null;
    if (
      other === null ||
      reader.head.score > other.score ||
      (reader.head.score === other.score && compareTies(reader.head, other) < 0)
    )
      first = reader;
  }
  return first;
}

/** Reads the rows of one list, query by query. */
class OutputReader {
  readonly #output: RunnerOutput;
  readonly #found: { candidates: Candidates; places: CandidatePlaces };
  #query = -1;
  #at = 0;
  head: Head | null = null;

  constructor(output: RunnerOutput, found: { candidates: Candidates; places: CandidatePlaces }) {
    this.#output = output;
    this.#found = found;
  }

  enter(query: number): void {
    this.#query = query;
    this.head = this.#read();
  }

  /** Takes the next row; call it only while there is one. */
  take(): Head {
    const taken = this.head as Head;
    this.#at++;
    this.head = this.#read();
    return taken;
  }

  #read(): Head | null {
    const { query, term, score, source } = this.#output;
    const at = this.#at;
    if (query[at] !== this.#query) return null;
    const candidate = this.#found.places.of(term[at]);
    const votes = candidate < 0 ? 0 : this.#found.candidates.voteCount[candidate];
    return { term: term[at], score: score[at], source: source[at], candidate, votes };
  }
}

/** Finds the neighbours' candidate for a term of a query; queries come in ascending order. */
class CandidatePlaces {
  readonly #candidates: Candidates;
  readonly #placeOfTerm: Int32Array;
  #start = 0;
  #end = 0;

  constructor(candidates: Candidates, termCount: number) {
    this.#candidates = candidates;
    this.#placeOfTerm = new Int32Array(termCount).fill(-1);
  }

  enter(query: number): void {
    const { query: queries, term } = this.#candidates;
    for (let at = this.#start; at < this.#end; at++) this.#placeOfTerm[term[at]] = -1;
    this.#start = this.#end;
    for (; queries[this.#end] === query; this.#end++) this.#placeOfTerm[term[this.#end]] = this.#end;
  }

  of(term: number): number {
    return this.#placeOfTerm[term];
  }
}
