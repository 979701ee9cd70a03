// Builds the native addon: packages/native/build/kindred_native.node.
//
//   node packages/native/tools/build-native.mjs [--force] [--sanitize] [--output FILE]
//
// Needs g++ or clang++ (or the one that CXX names). Does nothing when the addon is newer than its sources. Exits 0
// when the addon is there, 3 when no compiler was found, 1 when compiling failed. --sanitize builds with the address
// and undefined-behaviour sanitizers.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../src-cc/', import.meta.url));
const defaultOutput = fileURLToPath(new URL('../build/kindred_native.node', import.meta.url));

const avx2 = ['-mavx2', '-mfma'];
// The headers of gcc 12 for AVX-512 trigger these two warnings.
const avx512 = [
  '-mavx512f',
  '-mavx512bw',
  '-mavx512vl',
  '-mavx512dq',
  '-mavx512vnni',
  '-mfma',
  '-Wno-uninitialized',
  '-Wno-maybe-uninitialized',
];

/** Each object has a source file and flags of its own. */
const portable = [
  'addon',
  'align-plain',
  'align-run',
  'bank',
  'homology',
  'homology-plain',
  'kernels',
  'large-pages',
  'knn-plain',
  'network',
  'network-plain',
  'search',
  'tile',
].map((name) => [name, []]);
const x86 = [
  ['align-avx2', avx2],
  ['align-avx512', avx512],
  ['homology-avx2', avx2],
  ['homology-avx512', avx512],
  ['knn-avx2', avx2],
  ['knn-avx2', [...avx2, '-mavxvnni', '-DKINDRED_AVXVNNI']],
  ['knn-avx512', avx512],
  ['network-avx2', avx2],
  ['network-avx2', [...avx2, '-mavxvnni', '-DKINDRED_AVXVNNI']],
  ['network-avx512', avx512],
];

/** Returns the first C++ compiler that runs, or null. */
export function findCompiler() {
  for (const name of [process.env.CXX, 'g++', 'clang++', 'c++']) {
    if (name && spawnSync(name, ['--version']).status === 0) return name;
  }
  return null;
}

export function isBuilt(output = defaultOutput) {
  if (!existsSync(output)) return false;
  const built = statSync(output).mtimeMs;
  return [fileURLToPath(import.meta.url), ...readdirSync(source).map((name) => join(source, name))].every(
    (file) => statSync(file).mtimeMs <= built,
  );
}

function runCompiler(compiler, args) {
  return new Promise((done, fail) => {
    const child = spawn(compiler, args, { cwd: source, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
    child.on('error', fail);
    child.on('close', (code) =>
      code === 0 ? done() : fail(new Error(`${compiler} ${args.join(' ')}\n${text}`)),
    );
  });
}

/** Compiles in a temporary folder and renames the result, so that no other process loads half a file. */
export async function buildAddon(compiler, { output = defaultOutput, sanitize = false } = {}) {
  mkdirSync(dirname(output), { recursive: true });
  const folder = mkdtempSync(join(dirname(output), 'objects-'));
  const headers = createRequire(import.meta.url)('node-api-headers').include_dir;
  const isX86 = process.arch === 'x64';
  const flags = [
    '-std=c++17',
    '-fPIC',
    '-fvisibility=hidden',
    '-ffp-contract=off',
    // These two flags change no result; they turn loops with comparisons and roots into vectors.
    '-fno-trapping-math',
    '-fno-math-errno',
    '-Wall',
    '-Wextra',
    '-pthread',
    `-I${headers}`,
    '-DNAPI_VERSION=8',
  ];
  flags.push(
    ...(sanitize
      ? ['-O1', '-g', '-fno-omit-frame-pointer', '-fsanitize=address,undefined', '-fno-sanitize-recover=all']
      : ['-O3']),
  );
  if (isX86) flags.push('-DKINDRED_X86');
  try {
    const objects = [...portable, ...(isX86 ? x86 : [])].map(([name, more], index) => ({
      name,
      more,
      object: join(folder, `${index}-${name}.o`),
    }));
    const queue = [...objects];
    const worker = async () => {
      for (let job = queue.pop(); job; job = queue.pop())
        await runCompiler(compiler, [...flags, ...job.more, '-c', `${job.name}.cc`, '-o', job.object]);
    };
    await Promise.all([worker(), worker()]);
    const undefinedSymbols = process.platform === 'darwin' ? ['-undefined', 'dynamic_lookup'] : [];
    const linked = join(folder, 'kindred_native.node');
    await runCompiler(compiler, [
      ...flags,
      '-shared',
      ...undefinedSymbols,
      ...objects.map(({ object }) => object),
      '-o',
      linked,
    ]);
    renameSync(linked, output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return output;
}

async function main(args) {
  const sanitize = args.includes('--sanitize');
  const named = args.indexOf('--output');
  const output =
    named >= 0
      ? resolve(args[named + 1])
      : sanitize
        ? defaultOutput.replace('.node', '_sanitized.node')
        : defaultOutput;
  if (!args.includes('--force') && isBuilt(output)) return 0;
  const compiler = findCompiler();
  if (!compiler) {
    process.stderr.write(
      'build-native: no C++ compiler (g++ or clang++) was found; searches and alignments run without the addon\n',
    );
    return 3;
  }
  const started = Date.now();
  await buildAddon(compiler, { output, sanitize });
  process.stdout.write(`build-native: ${output} (${((Date.now() - started) / 1000).toFixed(1)} s)\n`);
  return 0;
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`build-native: ${error.message}\n`);
    return 1;
  });
}
