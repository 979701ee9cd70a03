// How long a refused login takes for an account that exists and for one that does not: the ratio must tell nothing.
//
//   node benchmarks/login.bench.mjs [pairs]
import { hashPassword, passwordMatches } from '@kindred/server/accounts/passwords';

const pairs = Number(process.argv[2] ?? 200);
const stored = await hashPassword('the right password');
const times = { known: [], unknown: [] };

async function refuse(kind) {
  const start = performance.now();
  await passwordMatches(kind === 'known' ? stored : undefined, 'a wrong password');
  times[kind].push(performance.now() - start);
}

// In turns, so that a busy machine slows both; the first pair warms up and makes the decoy.
for (let n = -1; n < pairs; n++) {
  if (n === 0) times.known.length = times.unknown.length = 0;
  const order = n % 2 === 0 ? ['known', 'unknown'] : ['unknown', 'known'];
  for (const kind of order) await refuse(kind);
}
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const [known, unknown] = [median(times.known), median(times.unknown)];
console.log(`median of ${pairs} refusals: known ${known.toFixed(2)} ms, unknown ${unknown.toFixed(2)} ms`);
console.log(`ratio ${(known / unknown).toFixed(3)}`);
