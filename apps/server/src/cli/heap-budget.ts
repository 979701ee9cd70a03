import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const mebibyte = 2 ** 20;
/**
 * How far old objects may fill the heap before V8 collects. Under the load of `npm run soak` 56 to 64 MiB are in use, more from hour to
 * hour as V8 compiles and terms are met: with garbage of 50 percent of that the process grew from 164 to 173 MiB in two hours.
 */
const budgetBytes = 100 * mebibyte;
/**
 * The least garbage, in percent of what is in use. With 25 the process takes 24 MiB less, and a sixth more processor time for each read
 * (`reads-compare` of version 0.2.0's benchmarks).
 */
const leastPercent = 50;
/** The most, while a starting process has little in use: it may have much more when V8 collects next. */
const mostPercent = 100;

/** Garbage, in percent of the bytes in use, that fills the heap up to its budget; 50 to 100. */
export function garbagePercent(bytesInUse: number): number {
  const percent = Math.floor((100 * (budgetBytes - bytesInUse)) / bytesInUse);
  return Math.min(mostPercent, Math.max(leastPercent, percent));
}

/**
 * Lets V8 collect when the heap of this process reaches a fixed size. Its own limit follows what is in use and how fast it can collect: for
 * 62 MiB in use, the process took 170 MiB alone and 260 MiB beside other work.
 */
export function keepHeapWithinBudget(): void {
  const apply = (): void => setFlagsFromString(`--heap-growing-percent=${garbagePercent(oldBytesInUse())}`);
  apply();
  const observer = new PerformanceObserver((list) => {
    if (list.getEntriesByType('gc').some(isFullCollection)) apply();
  });
  observer.observe({ entryTypes: ['gc'] });
}

function isFullCollection(entry: PerformanceEntry & { detail?: { kind: number } }): boolean {
  return entry.detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/** Bytes of old objects; V8 collects young ones by themselves. */
function oldBytesInUse(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !name.startsWith('new_'))
    .reduce((sum, { space_used_size: used }) => sum + used, 0);
}
