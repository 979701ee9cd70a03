// Builds the native addon: packages/native/build/kindred_native.node.
//
//   node packages/native/tools/build-native.mjs [--force] [--sanitize] [--target PLATFORM] [--output FILE]
//
// Needs g++ or clang++ (or the one that CXX names). Does nothing when the addon is newer than its sources. Exits 0
// when the addon is there, 3 when no compiler was found, 1 when compiling failed. --sanitize builds with the address
// and undefined-behaviour sanitizers. --target (linux-x64, linux-arm64, darwin-arm64, darwin-x64) builds for a platform
// that need not be this one, and needs zig (or the one that ZIG names), which has the libraries of all of them.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

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

/** The platforms of the packed product, as zig names them. Node 20 needs glibc 2.28, and its addons need no later one. */
export const targets = {
  'linux-x64': 'x86_64-linux-gnu.2.28',
  'linux-arm64': 'aarch64-linux-gnu.2.28',
  'darwin-arm64': 'aarch64-macos.11.0',
  'darwin-x64': 'x86_64-macos.11.0',
};

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

/** Returns the first C++ compiler that runs, with its own arguments, or null. */
export function findCompiler() {
  for (const name of [process.env.CXX, 'g++', 'clang++', 'c++']) {
    if (name && spawnSync(name, ['--version']).status === 0) return [name];
  }
  return null;
}

/** Returns zig as a compiler for the platform, with its own arguments, or null if zig is not installed. */
export function findCrossCompiler(target) {
  const zig = process.env.ZIG ?? 'zig';
  return spawnSync(zig, ['version']).status === 0 ? [zig, 'c++', '-target', targets[target]] : null;
}

export function isBuilt(output = defaultOutput) {
  if (!existsSync(output)) return false;
  const built = statSync(output).mtimeMs;
  return [fileURLToPath(import.meta.url), ...readdirSync(source).map((name) => join(source, name))].every(
    (file) => statSync(file).mtimeMs <= built,
  );
}

function runCompiler([program, ...own], args) {
  return new Promise((done, fail) => {
    const child = spawn(program, [...own, ...args], { cwd: source, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
    child.on('error', fail);
    child.on('close', (code) =>
      code === 0 ? done() : fail(new Error(`${program} ${args.join(' ')}\n${text}`)),
    );
  });
}

const here = `${process.platform}-${process.arch}`;

/** Compiles in a temporary folder and renames the result, so that no other process loads half a file. */
export async function buildAddon(compiler, { output = defaultOutput, sanitize = false, target = here } = {}) {
  mkdirSync(dirname(output), { recursive: true });
  const folder = mkdtempSync(join(dirname(output), 'objects-'));
  const headers = createRequire(import.meta.url)('node-api-headers').include_dir;
  const isX86 = target.endsWith('-x64');
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
    const undefinedSymbols = target.startsWith('darwin') ? ['-undefined', 'dynamic_lookup'] : [];
    const linked = join(folder, 'kindred_native.node');
    await runCompiler(compiler, [
      ...flags,
      '-shared',
      // The linker of macOS leaves symbols out by itself.
      ...(target.startsWith('linux') && !sanitize ? ['-s'] : []),
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
  const { values } = parseArgs({
    args,
    options: {
      force: { type: 'boolean', default: false },
      'if-possible': { type: 'boolean', default: false },
      sanitize: { type: 'boolean', default: false },
      target: { type: 'string' },
      output: { type: 'string' },
    },
  });
  const { sanitize, target } = values;
  if (target !== undefined && targets[target] === undefined)
    throw new Error(`--target is one of ${Object.keys(targets).join(', ')}`);
  const usual = sanitize ? defaultOutput.replace('.node', '_sanitized.node') : defaultOutput;
  const output = resolve(values.output ?? usual);
  if (!values.force && isBuilt(output)) return 0;
  const compiler = target === undefined ? findCompiler() : findCrossCompiler(target);
  if (!compiler) {
    process.stderr.write(`build-native: ${lacking(target)}\n`);
    return 3;
  }
  const started = Date.now();
  await buildAddon(compiler, { output, sanitize, target });
  process.stdout.write(`build-native: ${output} (${((Date.now() - started) / 1000).toFixed(1)} s)\n`);
  return 0;
}

const lacking = (target) =>
  target === undefined
    ? 'no C++ compiler (g++ or clang++) was found; searches and alignments run without the addon'
    : `zig was not found, which builds for ${target} (set ZIG to its program)`;

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`build-native: ${error.message}\n`);
    return 1;
  });
}
