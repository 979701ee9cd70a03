// A probe for the processes of a service (node --import). It writes the longest time that the event loop was held up to
// $KINDRED_PROBE_FOLDER/<role>-<pid>.json. Beside the wall time of a gap, the probe records the processor time of the main thread in the
// gap (Linux), because on a busy machine a gap may be a wait for a processor, which blocks nothing.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const folder = process.env.KINDRED_PROBE_FOLDER;
const tickMs = 5;

/** Returns the milliseconds that the main thread ran. */
function ownMs() {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

if (isMainThread && folder && basename(process.argv[1] ?? '') === 'main.js') {
  const role = process.argv[2] ?? 'none';
  const histogram = monitorEventLoopDelay({ resolution: tickMs });
  histogram.enable();
  let longest = [];
  let last = { wall: performance.now(), own: ownMs() };
  setInterval(() => {
    const now = { wall: performance.now(), own: ownMs() };
    const gap = { at: Date.now(), wallMs: now.wall - last.wall - tickMs, ownMs: now.own - last.own };
    last = now;
    if (gap.wallMs < 10) return;
    longest = [...longest, gap].sort((a, b) => b.ownMs - a.ownMs).slice(0, 200);
  }, tickMs).unref();
  setInterval(() => {
    const state = { role, maxMs: histogram.max / 1e6, longest };
    // The file is renamed, so that nobody reads half of it.
    const path = join(folder, `${role}-${process.pid}`);
    writeFileSync(`${path}.part`, JSON.stringify(state));
    renameSync(`${path}.part`, `${path}.json`);
  }, 250).unref();
}
