import { groupedBy } from '@kindred/kernels/arrays';
import type { Settings } from '../../run/env.js';
import { listProcessReports, type ProcessReportRow } from '../../store/jobs/process-reports.repository.js';
import type { Database } from '../../store/postgres/db.js';
import { productVersion } from '../../ground/version.js';
import { fingerprintsOf, type SharedSetting, sharedSettings } from '../shared-settings.js';
import { type Finding, ok, warning } from './finding.js';

type Reported = Pick<ProcessReportRow, 'role' | 'host' | 'pid' | 'version'> & {
  fingerprints: Record<string, string>;
};

/**
 * Compares the settings that all processes must share: those of the living processes, and those of this
 * command.
 */
export async function checkProcesses(settings: Settings, db: Database): Promise<Finding[]> {
  const running = (await listProcessReports(db)) as Reported[];
  if (running.length === 0) return [ok('processes', 'none runs on this database')];
  return compareProcesses(running, fingerprintsOf(settings));
}

/** Splits the processes by their values; `own` are the fingerprints of this command. */
export function compareProcesses(
  running: readonly Reported[],
  own: Readonly<Record<string, string>>,
): Finding[] {
  const findings = [...versionsOf(running)];
  for (const setting of sharedSettings) {
    const found = compareSetting(setting, running, own);
    findings.push(...found);
    // The fingerprints of the other settings are keyed with the secret, so they say nothing if the secret
    // differs.
    if (setting.name === sharedSettings[0].name && found.length > 0) return findings;
  }
  if (findings.length > 0) return findings;
  return [ok('processes', `${running.length} with the same version, secret, broker and artifact store`)];
}

function versionsOf(running: readonly Reported[]): Finding[] {
  const versions = groupedBy(running, ({ version }) => version);
  if (versions.size === 1 && versions.has(productVersion)) return [];
  return [
    warning(
      'processes',
      `this command is ${productVersion}; ${described(versions, (version) => version)}`,
      'Fine during an upgrade; then start the old ones again with the new version.',
    ),
  ];
}

function compareSetting(
  { name, state, harm, advice }: SharedSetting,
  running: readonly Reported[],
  own: Readonly<Record<string, string>>,
): Finding[] {
  const groups = groupedBy(running, ({ fingerprints }) => fingerprints[name] ?? 'not reported');
  const about = name === 'SVC_JWT_SECRET' ? 'secret' : 'settings';
  if (groups.size > 1) {
    const text = `${name}: these processes have different values: ${described(groups)}; ${harm}`;
    return [{ about, state, text, advice }];
  }
  if (groups.has(own[name])) return [];
  return [
    warning(
      about,
      `${name}: this command has another value than the ${running.length} running processes`,
      'Run it with their settings (environment or settings file); otherwise the next lines are about another service.',
    ),
  ];
}

const shownProcesses = 4;

/** Writes `http 12 and worker 14 on a | http 7 on b`; with `label`, `0.2.0: http 12 on a | ...`. */
function described(
  groups: ReadonlyMap<string, readonly Reported[]>,
  label?: (key: string) => string,
): string {
  return [...groups]
    .map(([key, members]) => {
      const names = members
        .slice(0, shownProcesses)
        .map(({ role, pid, host }) => `${role} ${pid} on ${host}`);
      const more = members.length - names.length;
      const list = names.join(', ') + (more > 0 ? ` and ${more} more` : '');
      return label === undefined ? list : `${label(key)}: ${list}`;
    })
    .join(' | ');
}
