import { join } from 'node:path';
import { type PluginCommand, type PluginCommands, ProblemError } from '@kindred/contracts';
import { tableOf } from './table-text.js';
import { catalogue, weightBytes } from './models/catalogue.js';
import { expectedSpeed } from './models/expected-speed.js';
import { type ModelPlace, modelPlace, type PlmSettings } from './settings.js';

type Command = PluginCommand<PlmSettings>;

const list: Command = {
  name: 'list',
  description: 'Models that are known or installed',
  async run(_given, context, terminal) {
    const place = modelPlace(context);
    const { createBackend } = await import('./backend.js');
    const { splitModelName } = await import('./models/model-name.js');
    const installed = await createBackend(place).models();
    const names = new Set(installed.map((model) => model.model_name));
    const known = new Set(catalogue.map(({ id }) => id));
    const others = installed.filter(
      ({ model_name }) => !known.has(model_name) && splitModelName(model_name).name === model_name,
    );
    const speeds = await Promise.all(
      catalogue.map(async (entry) => ({
        parameters: weightBytes(entry),
        speed: await speedOf(place, entry.id),
      })),
    );
    const table = tableOf([
      ['id', 'installed', 'dimension', 'layers', 'parameters', 'memory', 'proteins/s', 'licence', 'citation'],
      ...catalogue.map((entry, i) => [
        entry.id,
        names.has(entry.id) ? 'yes' : 'no',
        String(entry.dimension),
        String(entry.layers),
        entry.parameters,
        gigabytes(weightBytes(entry)),
        speedText(speeds[i].speed, expectedSpeed(weightBytes(entry), speeds)),
        entry.licence,
        entry.citation,
      ]),
      ...(await Promise.all(
        others.map(async ({ model_name, dimension }) => [
          model_name,
          'yes',
          String(dimension),
          '',
          '',
          '',
          speedText(await speedOf(place, model_name), null),
          '',
          '',
        ]),
      )),
    ]);
    terminal.write(table);
    terminal.remark(
      `Memory: for the weights as float32. Proteins/s: of one thread, as the self-check measured it on this machine; with ~, what that of the nearest checked model by size lets expect.\nModels folder: ${place.modelsDir}\n`,
    );
  },
};

type Terminal = Parameters<Command['run']>[2];

/** Installs ONNX Runtime if a model is to be run. @throws ProblemError unknown_model before any download */
async function ensureFor(modelsDir: string, id: string, terminal: Terminal): Promise<void> {
  const { requireInstalled } = await import('./models/installed.js');
  const { splitModelName } = await import('./models/model-name.js');
  await requireInstalled(modelsDir, splitModelName(id).name);
  await ensure(modelsDir, terminal);
}

async function ensure(modelsDir: string, terminal: Terminal): Promise<void> {
  const { ensureRuntime } = await import('./runtime/install.js');
  await ensureRuntime(modelsDir, { remark: (text) => terminal.remark(text) });
}

const gigabytes = (bytes: number) =>
  bytes < 1e9 ? `${(bytes / 1e6).toFixed()} MB` : `${(bytes / 1e9).toFixed(1)} GB`;

/** Returns the speed that the last self-check measured; null if there was none. */
async function speedOf({ modelsDir, modelDevice }: ModelPlace, name: string): Promise<number | null> {
  const { keptSpeed } = await import('./models/self-check.js');
  return keptSpeed(join(modelsDir, name), modelDevice);
}

function speedText(measured: number | null, expected: number | null): string {
  const two = (speed: number) => String(Number(speed.toPrecision(2)));
  if (measured !== null) return two(measured);
  return expected === null ? '' : `~${two(expected)}`;
}

const pull: Command = {
  name: 'pull',
  description: 'Download a model from the hub (SVC_MODEL_HUB_URL); continues a download that broke off',
  arguments: [{ name: 'id', description: 'id of the list, or owner/name of a repository' }],
  options: [
    { flags: '--revision <name>', description: 'branch, tag or commit', default: 'main' },
    { flags: '--accept-licence', description: 'you accept a licence that restricts use' },
  ],
  async run({ id, revision, acceptLicence }, context, terminal) {
    const { modelsDir } = modelPlace(context);
    const { pullModel } = await import('./models/install.js');
    const request = {
      modelsDir,
      hubUrl: context.settings.hub_url,
      id: String(id),
      revision: String(revision),
      acceptLicence: acceptLicence === true,
    };
    const { availableBytes } = await import('./inference/memory.js');
    const name = await pullModel(request, {
      planned: ({ licence, restriction, sizeBytes, memoryBytes }) => {
        terminal.remark(
          `Licence: ${licence ?? 'not stated'}${restriction === null ? '' : `. ${restriction}`}\n`,
        );
        terminal.remark(`Download: ${gigabytes(sizeBytes)}\n`);
        if (memoryBytes === null) return;
        const free = availableBytes();
        const tooLarge = memoryBytes > free ? `, more than the ${gigabytes(free)} that are free here` : '';
        terminal.remark(`Memory for float32: ${gigabytes(memoryBytes)} for each compute thread${tooLarge}\n`);
      },
      progress: (file, bytes, sizeBytes) => terminal.progress(file, bytes, sizeBytes),
    });
    terminal.write(`${name} is installed in ${modelsDir}. Next: kindred models check ${name}\n`);
    await ensure(modelsDir, terminal);
  },
};

const add: Command = {
  name: 'add',
  description: 'Copy a model from a folder, without a network',
  arguments: [{ name: 'folder', description: 'config.json, tokenizer and safetensors files, or model.onnx' }],
  options: [{ flags: '--name <name>', description: 'name of the model (default: that of the folder)' }],
  async run({ folder, name }, context, terminal) {
    const { modelsDir } = modelPlace(context);
    const { addModel } = await import('./models/install.js');
    const added = await addModel(modelsDir, String(folder), name === undefined ? undefined : String(name));
    terminal.write(`${added} is installed in ${modelsDir}. Next: kindred models check ${added}\n`);
    await ensure(modelsDir, terminal);
  },
};

const check: Command = {
  name: 'check',
  description: 'Compare the files with those that were added, and run the self-check',
  arguments: [{ name: 'id', description: 'name of an installed model' }],
  options: [{ flags: '--int8', description: 'with int8 weights, compared with float32' }],
  async run({ id, int8 }, context, terminal) {
    const { modelsDir, modelDevice: device } = modelPlace(context);
    await ensureFor(modelsDir, String(id), terminal);
    const { checkInstalled } = await import('./models/check-installed.js');
    const { verified, report } = await checkInstalled(modelsDir, String(id), { int8: int8 === true, device });
    const lines = [
      verified > 0 ? `files: ${verified} as they were added` : 'files: not compared (added by hand)',
      `dimension: ${report.dimension}`,
      `speed: ${(1000 / report.proteinsPerSecond).toPrecision(3)} ms a protein, one thread (float32, ${report.meanResidues} residues on average)`,
      'alone equals in company: yes, to the last bit',
      report.knownCosine === null
        ? 'known sequence: its vector was stored now'
        : `known sequence: cosine ${report.knownCosine.toFixed(6)} to the stored vector`,
      ...(report.int8 === null
        ? []
        : [
            `int8: cosine to float32 ${report.int8.cosine.toFixed(5)}, overlap of the five nearest ${report.int8.overlap.toFixed(3)}, a scale for each ${report.int8.shared}`,
          ]),
    ];
    terminal.write(`${id} passed its check\n${lines.map((line) => `  ${line}\n`).join('')}`);
  },
};

const layers: Command = {
  name: 'layers',
  description: 'Compare the layers of a model over a reference of yours, and recommend a configuration',
  arguments: [{ name: 'id', description: 'name of an installed model' }],
  options: [
    { flags: '--fasta <file>', description: 'sequences of the reference' },
    {
      flags: '--annotations <file>',
      description: 'their terms: GAF (experimental ones count), or protein and term',
    },
    { flags: '--obo <file>', description: 'ontology, OBO format' },
    {
      flags: '--layers <list>',
      description: 'layers to compare, for instance 0,1,0+15 (default: all, and a few joined)',
    },
    { flags: '--max-proteins <number>', description: 'a random sample of so many', default: '1000' },
    { flags: '--neighbours <number>', description: 'neighbours of each protein', default: '5' },
    { flags: '--bootstrap <number>', description: 'resamples for the intervals', default: '1000' },
    { flags: '--seed <number>', description: 'seed of sample and bootstrap', default: '1' },
  ],
  async run(given, context, terminal) {
    const { chooseLayers, parseCandidates } = await import('./layers/choose.js');
    const { readReference } = await import('./layers/reference.js');
    await ensureFor(modelPlace(context).modelsDir, String(given.id), terminal);
    const seed = wholeNumber(given, 'seed', 0);
    const reference = await readReference({
      fasta: requiredFile(given, 'fasta'),
      annotations: requiredFile(given, 'annotations'),
      obo: requiredFile(given, 'obo'),
      maxProteins: wholeNumber(given, 'maxProteins', 2),
      seed,
    });
    terminal.remark(`${reference.accessions.length} proteins, ${reference.term.length} annotations\n`);
    const { figures, recommended } = await chooseLayers(modelPlace(context), reference, {
      model: String(given.id),
      candidates: given.layers === undefined ? null : parseCandidates(String(given.layers)),
      k: wholeNumber(given, 'neighbours', 1),
      resamples: wholeNumber(given, 'bootstrap', 1),
      seed,
      progress: (done, total) => terminal.progress('embedding', done, total),
    });
    const { layerTable } = await import('./layers/table.js');
    terminal.write(layerTable(figures));
    terminal.write(`Recommended: ${JSON.stringify(recommended)}\n`);
  },
};

type Given = Parameters<Command['run']>[0];

function requiredFile(given: Given, name: string): string {
  const path = given[name];
  if (typeof path === 'string') return path;
  throw new ProblemError('validation_failed', `models layers needs --${name} <file>`);
}

function wholeNumber(given: Given, name: string, least: number): number {
  const value = Number(given[name]);
  if (Number.isInteger(value) && value >= least && value <= 1e6) return value;
  const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new ProblemError('validation_failed', `--${option} must be a whole number from ${least} to 1000000`);
}

/** The commands of `kindred models`, which manage the language models of this machine. They work without the service. */
export const commands: PluginCommands<PlmSettings> = {
  name: 'models',
  description: 'Protein language models: list, fetch, add, check, choose layers',
  commands: [list, pull, add, check, layers],
};
