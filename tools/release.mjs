// Makes everything that is published from this checkout in DIR: npm run release -- --out DIR [--publish]. That is the package for npm
// with its bill of materials, the Python client, checksums, and a statement of what they were made from. Without --publish, it is a
// rehearsal: all steps run except the last, which only says what it would send. docs/how-to/release.md says when to give --publish.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const textOf = (path) => readFileSync(join(root, path), 'utf8');
const { version } = JSON.parse(textOf('package.json'));

/** The tools that build the Python client and check what people see of it, and the compiler of the native addon for all platforms. */
const pythonTools = ['build==1.6.1', 'twine==7.0.0', 'ziglang==0.17.1'];

/** The files with the version besides the manifests of npm, which `npm version` keeps. */
const versionPlaces = {
  'clients/python/pyproject.toml': /^version = "(.*)"$/m,
  'CITATION.cff': /^version: (.*)$/m,
  'ops/helm/kindred/Chart.yaml': /^appVersion: "?([^"\n]*)"?$/m,
  'workflows/bioconda/kindred/meta.yaml': /set version = "(.*?)"/,
};

/** @returns the output @throws Error if the program ends otherwise than with 0 */
function run(program, args, { cwd = root, env = {}, quiet = false } = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', quiet ? 'pipe' : 'inherit'],
  });
  if (error !== undefined || status !== 0)
    throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? [stdout, stderr].join('\n')}`);
  return stdout.trim();
}
const git = (...args) => run('git', args, { quiet: true });
const isInstalled = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

function checkVersions() {
  for (const [path, pattern] of Object.entries(versionPlaces)) {
    const found = pattern.exec(textOf(path))?.[1];
    if (found !== version) throw new Error(`${path} has the version ${found}, and package.json ${version}`);
  }
  const manifests = JSON.parse(textOf('package-lock.json')).packages;
  for (const [path, { version: own, link }] of Object.entries(manifests))
    if (!path.includes('node_modules') && link !== true && own !== version)
      throw new Error(`${path}/package.json has the version ${own}, and package.json ${version}`);
  return `${version}, in all manifests`;
}

/** Returns the reasons why this checkout cannot be released. */
function hindrances() {
  const found = [];
  if (git('status', '--porcelain') !== '') found.push('there are changes that are not committed');
  if (!git('tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`))
    found.push(`the commit has no tag v${version}`);
  if (
    !new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, 'm').test(
      textOf('CHANGELOG.md'),
    )
  )
    found.push(`CHANGELOG.md has no dated section ${version}`);
  if (/^## Unreleased\n+[^#\s]/m.test(textOf('CHANGELOG.md').replaceAll(/^### .*\n+/gm, '')))
    found.push('CHANGELOG.md has lines under Unreleased');
  return found;
}

/** Installs the tools, and returns their Python. */
function pythonOf(scratch) {
  const python = join(scratch, 'venv', 'bin', 'python');
  run('python3', ['-m', 'venv', join(scratch, 'venv')]);
  run(python, ['-m', 'pip', 'install', '--quiet', '--no-compile', ...pythonTools], { quiet: true });
  return python;
}

function packProduct(out, python) {
  const place = 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))';
  const env = { ZIG: run(python, ['-c', place]) };
  run(process.execPath, ['tools/pack.mjs', '--out', out], { env });
  return `kindred-${version}.tgz, kindred-${version}.cdx.json`;
}

/** Packs wheel and source package from a copy, because building writes next to the sources. */
function packPython(out, scratch, python) {
  cpSync(join(root, 'clients/python'), join(scratch, 'client'), { recursive: true });
  // The time is that of the commit, so that the bytes are the same whenever the client is built.
  const env = { SOURCE_DATE_EPOCH: git('log', '-1', '--format=%ct') };
  run(python, ['-m', 'build', '--outdir', out, join(scratch, 'client')], { env, quiet: true });
  const files = filesOf(out).filter((name) => name.startsWith('kindred_client-'));
  run(python, ['-m', 'twine', 'check', '--strict', ...files.map((name) => join(out, name))], { quiet: true });
  return files;
}

const filesOf = (folder) => readdirSync(folder).sort();
const sha256 = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** Writes an in-toto statement with SLSA provenance: which files came from which commit and which lock file, by which command. */
function writeProvenance(out, names) {
  const subject = names.map((name) => ({ name, digest: { sha256: sha256(join(out, name)) } }));
  const commit = git('rev-parse', 'HEAD');
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'npm run release',
        externalParameters: { version },
        internalParameters: {
          node: process.version,
          platform: `${process.platform}-${process.arch}`,
          pythonTools,
        },
        resolvedDependencies: [
          { name: 'kindred', digest: { gitCommit: commit } },
          { name: 'package-lock.json', digest: { sha256: sha256(join(root, 'package-lock.json')) } },
        ],
      },
      runDetails: { builder: { id: 'tools/release.mjs' } },
    },
  };
  const name = `kindred-${version}.intoto.json`;
  writeFileSync(join(out, name), `${JSON.stringify(statement, null, 2)}\n`);
  const sums = [...names, name].map((one) => `${sha256(join(out, one))}  ${one}\n`);
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
  return `${name}, SHA256SUMS`;
}

/** Returns the commands that send everything; the image is built first. */
function sending(out, { python, files }) {
  const engine = ['podman', 'docker', 'buildah'].find(isInstalled);
  const image = process.env.KINDRED_IMAGE;
  const tag = `${image ?? 'IMAGE'}:${version}`;
  return [
    ['npm', 'publish', join(out, `kindred-${version}.tgz`), '--provenance', '--access', 'public'],
    [python, '-m', 'twine', 'upload', ...files.map((name) => join(out, name))],
    [engine ?? 'podman', 'build', '--file', 'ops/container/Containerfile', '--tag', tag, '.'],
    [engine ?? 'podman', 'push', tag],
  ];
}

function publish(commands) {
  if (process.env.KINDRED_IMAGE === undefined)
    throw new Error('KINDRED_IMAGE must say where the image goes, without its tag');
  if (!isInstalled(commands[2][0]))
    throw new Error('podman, docker or buildah must be installed: it builds the image');
  for (const [program, ...args] of commands) run(program, args);
}

function rehearse(out, commands) {
  // A dry run sends nothing, and checks what it would send.
  const args = ['publish', join(out, `kindred-${version}.tgz`), '--dry-run', '--access', 'public'];
  run('npm', args, { quiet: true, env: { npm_config_offline: 'true' } });
  for (const command of commands)
    process.stdout.write(`        ${command.map((word) => basename(word)).join(' ')}\n`);
}

function main() {
  const { values } = parseArgs({
    options: { out: { type: 'string' }, publish: { type: 'boolean', default: false } },
  });
  if (values.out === undefined) throw new Error('usage: npm run release -- --out DIR [--publish]');
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  if (filesOf(out).length > 0) throw new Error(`${out} is not empty: what is published comes from one run`);
  const say = (name, detail) => process.stdout.write(`ok      ${name}: ${detail}\n`);
  const hindered = hindrances();
  if (values.publish && hindered.length > 0) throw new Error(`nothing was published: ${hindered.join('; ')}`);
  const scratch = mkdtempSync(join(tmpdir(), 'kindred-release-'));
  try {
    say('version', checkVersions());
    const python = pythonOf(scratch);
    say('product', packProduct(out, python));
    const files = packPython(out, scratch, python);
    say('Python client', files.join(', '));
    say('provenance', writeProvenance(out, filesOf(out)));
    const commands = sending(out, { python, files });
    if (values.publish) {
      publish(commands);
      say('published', version);
      return;
    }
    say('rehearsal', 'with --publish it would run');
    rehearse(out, commands);
    for (const reason of hindered) process.stdout.write(`not yet a release: ${reason}\n`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

try {
  main();
} catch (error) {
  process.stderr.write(`release: ${error.message}\n`);
  process.exitCode = 1;
}
