import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { examineModels } from '../models/examine.js';
import { ensureRuntime, installRuntime } from './install.js';
import { findRuntime, loadRuntime } from './load.js';
import { runtimeFolder, runtimeVersion } from './place.js';

/** The program stands for npm: it installs the package for two platforms, and records its arguments. */
const npm = `
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
if (process.env.FAULT) { console.error('npm error code ENOTFOUND'); process.exit(1); }
const folder = 'node_modules/onnxruntime-node';
for (const place of [process.platform + '/' + process.arch, 'beos/m68k']) {
  mkdirSync(folder + '/bin/napi-v6/' + place, { recursive: true });
  writeFileSync(folder + '/bin/napi-v6/' + place + '/library', '');
}
writeFileSync(folder + '/package.json', JSON.stringify({ name: 'onnxruntime-node', main: 'main.js' }));
writeFileSync(folder + '/main.js', process.env.BROKEN ? 'throw new Error("GLIBC_9.9 not found")' : 'exports.Tensor = "mine"');
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
writeFileSync(folder + '/asked', JSON.stringify({ args: process.argv.slice(2), dependencies, locked: packages[folder] }));
mkdirSync('.npm');
`;

let modelsDir: string;
let remarks: string[];
beforeEach(() => {
  modelsDir = mkdtempSync(join(tmpdir(), 'kindred-runtime-'));
  remarks = [];
  writeFileSync(join(modelsDir, 'npm.cjs'), npm);
});
afterEach(() => {
  rmSync(modelsDir, { recursive: true });
  for (const name of ['FAULT', 'BROKEN']) delete process.env[name];
});

const install = () =>
  installRuntime(modelsDir, {
    remark: (text) => remarks.push(text),
    npm: [process.execPath, join(modelsDir, 'npm.cjs')],
  });
/** A module from which no package can be resolved. */
const elsewhere = () => join(modelsDir, 'elsewhere.js');
const folders = () => readdirSync(modelsDir).filter((name) => name.startsWith('.onnxruntime'));

describe('ONNX Runtime', () => {
  it('is that of the checkout where there is one, and then nothing is installed', async () => {
    expect(findRuntime(modelsDir)).toMatch(/node_modules.onnxruntime-node/);
    await ensureRuntime(modelsDir, { remark: (text) => remarks.push(text), npm: ['false'] });
    expect(remarks).toEqual([]);
  });

  it('that is nowhere is refused with what to do', () => {
    expect(() => loadRuntime(modelsDir, elsewhere())).toThrow(
      /need ONNX Runtime .*kindred models check <name>.* or copy .*\.onnxruntime-/,
    );
  });

  it('is installed beside the models with the locked version and digest, for this platform alone', async () => {
    await install();
    expect(remarks.join('')).toMatch(/^Installing ONNX Runtime .* MB/);
    const folder = join(runtimeFolder(modelsDir), 'node_modules', 'onnxruntime-node');
    const asked = JSON.parse(readFileSync(join(folder, 'asked'), 'utf8'));
    expect(asked.args.slice(0, 2)).toEqual(['ci', '--ignore-scripts']);
    expect(asked.dependencies).toEqual({ 'onnxruntime-node': runtimeVersion() });
    expect(asked.locked).toMatchObject({
      version: runtimeVersion(),
      integrity: expect.stringMatching(/^sha512-/),
    });
    expect(readdirSync(join(folder, 'bin', 'napi-v6', process.platform))).toEqual([process.arch]);
    expect(readdirSync(join(folder, 'bin', 'napi-v6', 'beos'))).toEqual([]);
    expect(folders()).toEqual([runtimeFolder(modelsDir).slice(modelsDir.length + 1)]);
    expect(readdirSync(runtimeFolder(modelsDir))).not.toContain('.npm');
    expect(loadRuntime(modelsDir, elsewhere()).Tensor).toBe('mine');
  });

  it('stays as another process installed it meanwhile', async () => {
    mkdirSync(runtimeFolder(modelsDir));
    writeFileSync(join(runtimeFolder(modelsDir), 'theirs'), '');
    await install();
    expect(readdirSync(runtimeFolder(modelsDir))).toEqual(['theirs']);
    expect(folders()).toHaveLength(1);
  });

  it('that cannot be downloaded leaves nothing, and the error says what npm said and what else helps', async () => {
    process.env.FAULT = 'yes';
    await expect(install()).rejects.toThrow(/npm error code ENOTFOUND.*kindred models check.* or copy /);
    expect(folders()).toEqual([]);
  });

  it('that does not run here says why', async () => {
    process.env.BROKEN = 'yes';
    await install();
    expect(() => loadRuntime(modelsDir, elsewhere())).toThrow(
      /does not run on this machine \(GLIBC_9.9 not found\)/,
    );
  });

  it('that is missing is a fault of an installation with models', async () => {
    mkdirSync(join(modelsDir, 'mine'));
    const [first] = await examineModels(modelsDir, elsewhere());
    expect(first).toMatchObject({ state: 'fault', text: expect.stringContaining('not installed') });
    await install();
    const [next] = await examineModels(modelsDir, elsewhere());
    expect(next.text).toMatch(/^mine/);
  });
});
