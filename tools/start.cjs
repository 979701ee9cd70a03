// The first program of npm start. It is CommonJS, because it must say what is wrong if Node is old or cannot load modules.
const { readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

const root = dirname(__dirname);
requireFolder();
requireNode();
void import('./start.mjs');

function requireFolder() {
  if (root.includes('\\') && process.platform !== 'win32')
    fail(`Node.js cannot load programs from a folder with a backslash in its name: rename or move ${root}.`);
}

function requireNode() {
  const wanted = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node.replace('>=', '');
  const [have, need] = [process.versions.node, wanted].map((text) => text.split('.').map(Number));
  const older = have[0] < need[0] || (have[0] === need[0] && have[1] < need[1]);
  if (older) fail(`Kindred needs Node ${wanted} or later; this is ${process.versions.node}.`);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
