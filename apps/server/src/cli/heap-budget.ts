import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const mebibyte = 2 ** 20;
/**
 * Old objects may fill the heap up to this size before V8 collects. Under the load of `npm run soak`, 56 to
 * 64 MiB are in use, and more from hour to hour as V8 compiles and new terms come. With garbage of 50 percent
 * of that, the process grew from 164 to 173 MiB in two hours.
 */
const budgetBytes = 100 * mebibyte;
/**
 * Garbage is at least this share, in percent of the memory in use. With 25, the process takes 24 MiB less,
 * and a sixth more processor time for each read (`reads-compare` of version 0.2.0's benchmarks).
 */
const leastPercent = 50;
/**
 * Garbage is at most this share, for a starting process with little in use, which may have much more when V8
 * collects next.
 */
const mostPercent = 100;

/** Gives the garbage, in percent of the bytes in use, that fills the heap up to its budget; 50 to 100. */
export function garbagePercent(bytesInUse: number): number {
  const percent = Math.floor((100 * (budgetBytes - bytesInUse)) / bytesInUse);
  return Math.min(mostPercent, Math.max(leastPercent, percent));
}

/**
 * Lets V8 collect when the heap of this process reaches a fixed size. V8's own limit depends on the memory in
 * use and on its speed of collecting: for 62 MiB in use, the process took 170 MiB alone and 260 MiB beside
 * other work.
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

/** Counts the bytes of old objects, because V8 collects young ones separately. */
function oldBytesInUse(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !name.startsWith('new_'))
    .reduce((sum, { space_used_size: used }) => sum + used, 0);
}
