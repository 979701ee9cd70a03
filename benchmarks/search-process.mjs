// Works for search.bench.mjs: opens a bank by one method, and answers the JSON command on each line.
//
//   node search-process.mjs BANK QUERIES DIMENSION METHOD THREADS METRIC INSTRUCTIONS      METHOD: native, blocks or plain
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { loadNative, openBlockBank, openPlainBank } from '@kindred/native';

const [path, queriesPath, width, method, threads, metric, instructions] = process.argv.slice(2);
const dimension = Number(width);

/** Returns the bytes of a field of /proc/self/status; 0 without the field. */
function status(field) {
  try {
    const line = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync('/proc/self/status', 'utf8'));
    return Number(line?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

const filesBefore = status('RssFile');
const index =
  method === 'native'
    ? loadNative({ use: instructions }).openBank(path)
    : method === 'blocks'
      ? openBlockBank(path)
      : openPlainBank(path);
const vectors = new Float32Array(new Uint8Array(readFileSync(queriesPath)).buffer);
console.log(JSON.stringify({ versions: { node: process.version }, rows: vectors.length / dimension }));
for await (const line of createInterface({ input: process.stdin })) {
  const { k, queries = vectors.length / dimension } = JSON.parse(line);
  const cpu = process.cpuUsage();
  const started = performance.now();
  const asked = { vectors: vectors.subarray(0, queries * dimension) };
  const { lists, uncertified, compared } = await index.search(asked, {
    metric: /** @type {'cosine' | 'l2'} */ (metric),
    k,
    threads: Number(threads),
  });
  const wallSeconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const { neighbours } = lists[0];
  console.log(
    JSON.stringify({
      wallSeconds,
      cpuSeconds: (user + system) / 1e6,
      // The peak leaves out the pages of the bank, which all workers share, but counts the pages of the program itself.
      peakBytes: status('VmHWM') - Math.max(0, status('RssFile') - filesBefore),
      uncertified,
      compared,
      neighbours: Array.from({ length: queries }, (_, q) =>
        Array.from(neighbours.subarray(q * k, (q + 1) * k)),
      ),
    }),
  );
}
await index.close();
