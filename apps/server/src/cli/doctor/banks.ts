import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sweepableDrafts } from '../../ground/drafts.js';
import { bankFault, outdatedBank } from '../../predict/compute/reference-bank.js';
import { type Check, fault, type Finding, ok, warning } from './finding.js';

/** Looks at the headers and the sizes of all files of each bank, not at their content. */
export const checkBanks: Check = async ({ dataDir }) => {
  const folder = join(dataDir, 'banks');
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.endsWith('.draft'));
  const findings: Finding[] = [];
  let outdated = 0;
  for (const name of names) {
    const wrong = await bankFault(join(folder, name));
    if (wrong === outdatedBank) outdated++;
    else if (wrong !== null)
      findings.push(
        fault(
          'banks',
          `${join(folder, name)} is damaged: ${wrong}`,
          'Delete this folder; the next job that needs it builds it again.',
        ),
      );
  }
  const old = outdated === 0 ? '' : `, ${outdated} of another version, which the next builds replace`;
  const text = `${names.length - outdated - findings.length} reference banks in ${folder}${old}`;
  const drafts = await sweepableDrafts(folder);
  if (drafts.length === 0) return [...findings, ok('banks', text)];
  return [
    ...findings,
    warning('banks', `${text}, ${drafts.length} unfinished`, 'The next start of a worker deletes them.'),
  ];
};
