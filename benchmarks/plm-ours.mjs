// Answers plm.bench.mjs with mean vectors by the backend. Each line of standard input is a JSON command.
//
//   node plm-ours.mjs MODEL_FOLDER float32|output|block
//
// `output` and `block` are int8 weights with a scale for each. command: {"sequences": [...]}
import { createInterface } from 'node:readline';
import { openModel, readModelFolder } from '@kindred/backend-plm/models/folder';
import { recipe } from './plm-data.mjs';

const [path, weights] = process.argv.slice(2);
const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);
const session = await openModel(await readModelFolder(path), recipe('model'), {
  int8: weights === 'float32' ? null : /** @type {'output' | 'block'} */ (weights),
  device: 'cpu',
  shared: true,
});
say({ versions: { node: process.version } });
for await (const line of createInterface({ input: process.stdin })) {
  const before = process.cpuUsage();
  const { vectors } = await session.embed(JSON.parse(line).sequences);
  const { user, system } = process.cpuUsage(before);
  say({ cpu: (user + system) / 1e6, first: [...vectors.subarray(0, session.dimension)] });
}
await session.close();
