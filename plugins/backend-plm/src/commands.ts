import { join } from 'node:path';
import type { PluginCommand, PluginCommands } from '@kindred/contracts';
import { catalogue, weightBytes } from './models/catalogue.js';
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
    const table = tableOf([
      ['id', 'installed', 'dimension', 'layers', 'parameters', 'memory', 'proteins/s', 'licence', 'citation'],
      ...(await Promise.all(
        catalogue.map(async (entry) => [
          entry.id,
          names.has(entry.id) ? 'yes' : 'no',
          String(entry.dimension),
          String(entry.layers),
          entry.parameters,
          gigabytes(weightBytes(entry)),
          await speedOf(place, entry.id),
          entry.licence,
          entry.citation,
        ]),
      )),
      ...(await Promise.all(
        others.map(async ({ model_name, dimension }) => [
          model_name,
          'yes',
          String(dimension),
          '',
          '',
          '',
          await speedOf(place, model_name),
          '',
          '',
        ]),
      )),
    ]);
    terminal.write(table);
    terminal.remark(
      `Memory: for the weights as float32. Proteins/s: of one thread, measured by the self-check on this machine.\nModels folder: ${place.modelsDir}\n`,
    );
  },
};

const gigabytes = (bytes: number) => `${(bytes / 1e9).toPrecision(bytes < 1e10 ? 2 : 3)} GB`;

/** As the last self-check measured it; empty where there was none. */
async function speedOf({ modelsDir, modelDevice }: ModelPlace, name: string): Promise<string> {
  const { keptSpeed } = await import('./models/self-check.js');
  const speed = await keptSpeed(join(modelsDir, name), modelDevice);
  return speed === null ? '' : speed.toPrecision(2);
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column])).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
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
  },
};

const check: Command = {
  name: 'check',
  description: 'Compare the files with those that were added, and run the self-check',
  arguments: [{ name: 'id', description: 'name of an installed model' }],
  options: [{ flags: '--int8', description: 'with int8 weights, compared with float32' }],
  async run({ id, int8 }, context, terminal) {
    const { modelsDir, modelDevice: device } = modelPlace(context);
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

/** `kindred models`: manages the language models of this machine; works without the service. */
export const commands: PluginCommands<PlmSettings> = {
  name: 'models',
  description: 'Protein language models: list, fetch, add, check',
  commands: [list, pull, add, check],
};
