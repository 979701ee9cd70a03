import { loadSettings, type Settings } from '../../run/env.js';
import { checkPluginSettings } from '../../ground/plugins/installed.js';
import { checkBanks } from './banks.js';
import { checkDatabaseAndBroker } from './database.js';
import { type Check, type Finding, fault, warning } from './finding.js';
import { checkKernels } from './kernels.js';
import { checkDisk, checkService, checkStore } from './machine.js';
import { checkModels } from './models.js';
import { checkSecret, checkVariables } from './settings.js';
import { useMeantFolder } from '../with-service.js';

export type { Finding };

const checks: readonly Check[] = [
  checkSecret,
  checkService,
  checkDisk,
  checkDatabaseAndBroker,
  checkStore,
  checkKernels,
  checkModels,
  checkBanks,
];

/** Prints every finding; a fault sets the exit code 1. */
export async function printFindings(): Promise<void> {
  await useMeantFolder();
  const findings = await examine();
  process.stdout.write(findings.map(line).join(''));
  if (findings.some(({ state }) => state === 'fault')) process.exitCode = 1;
}

function line({ about, state, text, advice }: Finding): string {
  const mark = { ok: 'ok     ', warning: 'WARNING', fault: 'FAULT  ' }[state];
  return `${mark}  ${about.padEnd(10)} ${text}${advice === undefined ? '' : `\n${' '.repeat(20)}-> ${advice}`}\n`;
}

/** The examination changes nothing and starts no server. */
export async function examine(environment?: NodeJS.ProcessEnv): Promise<Finding[]> {
  let settings: Settings;
  try {
    settings = loadSettings({}, environment);
    await checkPluginSettings(settings.plugins);
  } catch (error) {
    return [
      fault('settings', (error as Error).message, 'Correct it first; nothing else can be checked before.'),
    ];
  }
  const findings = [
    ...(await checkVariables(settings)),
    ...settings.warnings.map((text) => warning('settings', text)),
  ];
  for (const check of checks)
    findings.push(
      ...(await check(settings).catch((error: Error) => [fault('doctor', error.message, 'Report it.')])),
    );
  return findings;
}
