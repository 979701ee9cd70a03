// Checks who may import whom, by the rules of .dependency-cruiser.mjs, and prints how the rooms of the server are related: rooms, arrows
// between them, arrows that run upward, circles of folders (npm run walls).
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cruise, format } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import rules, { rooms } from '../.dependency-cruiser.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const server = 'apps/server/src/';

/** Returns all modules with what they import, and the violations of the rules. */
export async function cruisedTree() {
  const { tsConfig, ...options } = rules.options;
  const { output } = await cruise(
    ['packages', 'plugins', 'apps', 'tools', 'training'],
    { ...options, baseDir: root, validate: true, ruleSet: { forbidden: rules.forbidden } },
    undefined,
    { tsConfig: extractTSConfig(`${root}/${tsConfig.fileName}`) },
  );
  return output;
}

/**
 * Describes the house of the server. An arrow is a pair of rooms with at least one import; it runs upward if the rules name the imported
 * room first. `testing` has the rigs of tests; it is a room above the others. Tests are in no room.
 */
export function houseOf({ modules }) {
  const arrows = new Map();
  /** The imports inside a room: for each folder or file, the others that it imports. */
  const inside = new Map();
  const found = new Set();
  for (const { source, dependencies } of modules) {
    if (!source.startsWith(server) || /\.test\.ts$/.test(source)) continue;
    const room = roomOf(source);
    found.add(room);
    for (const { resolved } of dependencies) {
      if (!resolved.startsWith(server)) continue;
      const target = roomOf(resolved);
      if (target !== room) addTo(arrows, `${room} -> ${target}`, `${source} -> ${resolved}`);
      else if (room !== 'testing' && partOf(source) !== partOf(resolved))
        addTo(inside, partOf(source), partOf(resolved));
    }
  }
  const order = ['testing', ...Object.keys(rooms).flatMap((room) => room.split('server/')[1] ?? [])];
  const isUpward = (arrow) => {
    const [from, to] = arrow.split(' -> ').map((room) => order.indexOf(room));
    return to < from;
  };
  return {
    rooms: [...found].sort((a, b) => order.indexOf(a) - order.indexOf(b)),
    arrows,
    upward: [...arrows.keys()].filter(isUpward),
    circles: circlesOf(inside),
  };
}

const addTo = (lists, key, value) => lists.set(key, [...(lists.get(key) ?? []), value]);
/** Returns the room of a path: `apps/server/src/store/jobs/x.ts` is in store. */
const roomOf = (path) => path.slice(server.length).split('/')[0].replace(/\.ts$/, '');
/** Returns the part of a room: `apps/server/src/store/jobs/x.ts` is in store/jobs; a file directly in the room is a part of its own. */
const partOf = (path) => path.slice(server.length).split('/').slice(0, 2).join('/');

/** Finds folders that import each other, directly or through others. The result has one list for each circle. */
function circlesOf(graph) {
  const reachable = (from) => {
    const seen = new Set();
    const visit = (node) => {
      for (const next of graph.get(node) ?? []) if (!seen.has(next) && seen.add(next)) visit(next);
    };
    visit(from);
    return seen;
  };
  const below = new Map([...graph.keys()].map((node) => [node, reachable(node)]));
  const circles = new Map();
  for (const [node, reached] of below) {
    if (!reached.has(node)) continue;
    const circle = [...reached].filter((other) => below.get(other)?.has(node)).sort();
    circles.set(circle.join(' '), circle);
  }
  return [...circles.values()];
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const tree = await cruisedTree();
  const { output, exitCode } = await format(tree, { outputType: 'err-long' });
  console.log(String(output).trim());
  const { rooms: found, arrows, upward, circles } = houseOf(tree);
  const product = [...arrows.keys()].filter((arrow) => !arrow.startsWith('testing'));
  console.log(`${found.length} rooms of the server: ${found.join(', ')}`);
  console.log(
    `${arrows.size} arrows between them (${product.length} without testing), ${upward.length} upward, ${circles.length} circles of folders`,
  );
  for (const arrow of upward) console.log(`upward: ${arrow}\n  ${arrows.get(arrow).join('\n  ')}`);
  for (const circle of circles) console.log(`circle: ${circle.join(', ')}`);
  process.exit(exitCode > 0 || upward.length > 0 || circles.length > 0 ? 1 : 0);
}
