// Packs the product as one package, kindred-VERSION.tgz (npm run pack -- --out DIR), that `npm install --global FILE` installs without
// this checkout and without a compiler. The package contains the workspaces; other packages come from the registry during installation.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildService, buildWeb } from './build.mjs';
import { productPackages, readLock } from './generate/locked.mjs';
import { thirdPartyNotices } from './generate/notices.mjs';
import { installDependencies } from './install.mjs';
import { findCrossCompiler, targets } from '../packages/native/tools/build-native.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** The bounds of the package in bytes; a larger package contains files by mistake. */
const limits = { packed: 48_000_000, unpacked: 58_700_000 };
/** These packages are not made for every platform. Without usearch, approximate search is off. */
const optional = ['usearch'];
/** The package has compiled code alone, so it needs neither the headers of the addon nor the types of onnxruntime. */
const onlyToBuild = ['node-api-headers', 'onnxruntime-common'];
/** Files besides the code that the running service reads; see apps/server/src/ground/folders.ts. */
const folders = [
  'models/combined',
  'models/network',
  'examples/starter',
  'apps/web/dist',
  'apps/server/bin',
  'apps/server/stack.yaml',
];
/** Figures that the page holds in its own code, and what only tests and training read. */
const unread = new Set(
  [
    'figures.json',
    'curves.json',
    'calibration-bins.json',
    'calibration-test.json',
    'calibration-databases-test.json',
  ]
    .map((name) => `models/combined/${name}`)
    .concat('models/network/vocabulary.tsv', 'models/network/validation.txt'),
);
const texts = ['LICENSE', 'CITATION.cff', 'CHANGELOG.md'];

const workspaces = new Map(
  ['packages', 'plugins'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => {
      const manifest = readJson(`${group}/${name}/package.json`);
      return [manifest.name, { folder: `${group}/${name}`, manifest }];
    }),
  ),
);

/** Returns the workspaces that the server needs, directly or not, and all their external packages. */
function dependenciesOf(server) {
  const ours = new Set();
  const others = {};
  const queue = [server];
  for (let manifest = queue.pop(); manifest; manifest = queue.pop())
    for (const [name, version] of Object.entries(manifest.dependencies ?? {})) {
      const inner = workspaces.get(name);
      if (inner === undefined) others[name] = version;
      else if (!ours.has(name)) {
        ours.add(name);
        queue.push(inner.manifest);
      }
    }
  return { ours: [...ours].sort(), others };
}

const addonName = 'kindred_native.node';
const nativeFolder = join(root, 'packages', 'native');

/** Gives the platforms whose native addon is in the package: all four where zig is, else this one if a compiler is. */
function buildAddons() {
  const platforms = Object.keys(targets);
  if (findCrossCompiler(platforms[0]) === null) {
    const here = `${process.platform}-${process.arch}`;
    process.stderr.write(`pack: without zig, the native addon is built for ${here} alone\n`);
    const own = join(nativeFolder, 'build', addonName);
    return existsSync(own) ? [[here, own]] : [];
  }
  return platforms.map((platform) => {
    const file = join(nativeFolder, 'build', platform, addonName);
    const tool = join(nativeFolder, 'tools', 'build-native.mjs');
    const { status } = spawnSync(process.execPath, [tool, '--target', platform, '--output', file], {
      stdio: ['ignore', 2, 2],
    });
    if (status !== 0) throw new Error(`the native addon for ${platform} was not built`);
    return [platform, file];
  });
}

/** Copies compiled code without its tests, types and maps. */
function copyCode(from, to) {
  const left = /\.(d\.ts|map|tsbuildinfo)$|[\\/]testing$/;
  cpSync(join(root, from), to, { recursive: true, filter: (path) => !left.test(path) });
}

async function stage(folder) {
  const { version, description, license, engines } = readJson('package.json');
  const server = readJson('apps/server/package.json');
  const { ours, others } = dependenciesOf(server);
  for (const path of folders)
    cpSync(join(root, path), join(folder, path), {
      recursive: true,
      filter: (from) => !unread.has(relative(root, from)),
    });
  for (const name of texts) cpSync(join(root, name), join(folder, name));
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices());
  copyCode('apps/server/dist', join(folder, 'apps/server/dist'));
  const migrations = 'apps/server/src/store/migrations';
  cpSync(join(root, migrations), join(folder, migrations), {
    recursive: true,
    filter: (path) => path.endsWith('migrations') || path.endsWith('.sql'),
  });
  writeJson(join(folder, 'apps/server/package.json'), { name: server.name, version, type: 'module' });
  // The files of the example set are packed without its scripts and tests.
  const examples = readdirSync(join(root, 'examples')).filter((name) =>
    /\.(gz|fasta|tsv|obo|md)$/.test(name),
  );
  for (const name of examples) cpSync(join(root, 'examples', name), join(folder, 'examples', name));
  for (const name of ours) stageWorkspace(workspaces.get(name), join(folder, 'node_modules', name));
  const isOptional = ([name]) => optional.includes(name);
  const kept = Object.entries(others).filter(([name]) => !onlyToBuild.includes(name));
  writeFileSync(join(folder, 'README.md'), readme(version));
  // The module is imported late, because the build before compiles it.
  const { manualPage } = await import('../apps/server/dist/cli/manual.js');
  const { commandLine } = await import('../apps/server/dist/cli/program.js');
  writeFileSync(join(folder, 'kindred.1'), manualPage(await commandLine(), version));
  writeJson(join(folder, 'package.json'), {
    name: 'kindred',
    version,
    description,
    license,
    type: 'module',
    // The manifest names only Node, because the product, unlike the clone, may be installed by pnpm and yarn.
    engines: { node: engines.node },
    bin: { kindred: 'apps/server/bin/kindred.mjs' },
    man: ['kindred.1'],
    exports: { './package.json': './package.json' },
    dependencies: {
      ...Object.fromEntries(kept.filter((entry) => !isOptional(entry))),
      ...Object.fromEntries(ours.map((name) => [name, version])),
    },
    optionalDependencies: {
      ...server.optionalDependencies,
      ...Object.fromEntries(kept.filter(isOptional)),
    },
    bundleDependencies: ours,
  });
}

function stageWorkspace({ folder, manifest }, to) {
  mkdirSync(to, { recursive: true });
  copyCode(join(folder, 'dist'), join(to, 'dist'));
  const { name, version, license, type, exports, kindred } = manifest;
  // The manifest of a workspace lists no external packages, because the manifest of the product does.
  writeJson(join(to, 'package.json'), { name, version, license, type, exports, kindred });
  // These folders are copied, because the code reads them from next to `dist`: its WebAssembly, and the lock file of what it installs.
  for (const name of ['wasm', 'runtime'])
    if (existsSync(join(root, folder, name)))
      cpSync(join(root, folder, name), join(to, name), {
        recursive: true,
        filter: (path) => !path.endsWith('.c'),
      });
  if (name !== '@kindred/native') return;
  const addons = buildAddons();
  for (const [platform, file] of addons) cpSync(file, join(to, 'prebuilt', platform, addonName));
  if (addons.length === 0)
    process.stderr.write('pack: no native addon was built; the package has the portable kernels only\n');
}

const readme = (version) => `# Kindred ${version}

Protein function annotation by nearest kin: proteins in, Gene Ontology terms out, with the evidence.

    kindred selftest                        # proves this installation in 10 to 20 seconds
    kindred start                           # the service, with its page and a reference of 78,000 proteins
    kindred annotate my.fasta -o terms.tsv  # annotate from the command line

\`kindred --help\` lists all commands. Data are kept in \`./data\`, or where SVC_DATA_DIR says.
`;

const writeJson = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

/**
 * Writes what the product is made of, as CycloneDX. npm describes all packages of the lock file: where it is to leave out those for
 * development, it also leaves out what the product shares with them.
 */
function writeBill(file) {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const npm = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (npm.status !== 0) throw new Error('npm sbom failed; the lines above say why');
  const whole = JSON.parse(npm.stdout);
  const bill = billOf(whole, productIds());
  writeJson(file, bill);
  process.stdout.write(`${file}: CycloneDX ${bill.specVersion}, ${bill.components.length} components\n`);
}

/** Names with versions of the external packages of the product. */
function productIds() {
  const packages = readLock();
  return new Set(
    [...productPackages()]
      .filter((path) => path.includes('node_modules/'))
      .map((path) => {
        const inFolder = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
        return `${packages[path].name ?? inFolder}@${packages[path].version}`;
      }),
  );
}

/** @throws Error naming what npm did not describe */
function billOf(whole, ids) {
  const idOf = ({ name, version }) => `${name}@${version}`;
  const components = whole.components.filter((one) => ids.has(idOf(one)));
  const described = new Set(components.map(idOf));
  const missing = [...ids].filter((id) => !described.has(id));
  if (missing.length > 0) throw new Error(`npm sbom does not describe ${missing.join(', ')}`);
  const refs = new Set(components.map((one) => one['bom-ref']).concat(whole.metadata.component['bom-ref']));
  const dependencies = whole.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
  return { ...whole, components, dependencies };
}

async function main() {
  const { values } = parseArgs({ options: { out: { type: 'string' } } });
  if (values.out === undefined) throw new Error('usage: npm run pack -- --out DIR');
  await installDependencies(root, 'service');
  if (!(await buildService(root)) || !(await buildWeb(root)))
    throw new Error('the build failed; the lines above say where');
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'kindred-pack-'));
  try {
    await stage(folder);
    const npm = spawnSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', out], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (npm.status !== 0) throw new Error('npm pack failed; the lines above say why');
    const [{ filename, unpackedSize, entryCount }] = Object.values(JSON.parse(npm.stdout));
    const file = join(out, filename);
    writeBill(file.replace(/\.tgz$/, '.cdx.json'));
    const packed = statSync(file).size;
    const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
    process.stdout.write(
      `${file}: ${megabytes(packed)} MB, ${megabytes(unpackedSize)} MB unpacked, ${entryCount} files\n`,
    );
    if (packed > limits.packed || unpackedSize > limits.unpacked)
      throw new Error(
        `the package is larger than its bounds of ${megabytes(limits.packed)} MB packed and ${megabytes(limits.unpacked)} MB unpacked`,
      );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`pack: ${error.message}\n`);
  process.exitCode = 1;
}
