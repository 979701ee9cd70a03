import { list, optionalText, webAddress } from './schemas.js';
import type { SettingRow } from './setting-row.js';

/** What operations may fetch and run. */
export const sourcesSettingRows = {
  fetchAllowedHosts: {
    env: 'SVC_FETCH_ALLOWED_HOSTS',
    yaml: 'sources.allowed_hosts',
    schema: list,
    whenUnset: 'the public hosts of GO, EBI, UniProt and NCBI',
    example: 'ftp.ebi.ac.uk,mirror.lab.example:8080',
    description: 'Hosts that the service may fetch from; a private address must be listed by name',
  },
  interproscanCommand: {
    env: 'SVC_INTERPROSCAN_COMMAND',
    yaml: 'sources.interproscan_command',
    schema: optionalText,
    example: '/opt/interproscan/interproscan.sh',
    description:
      'InterProScan of this machine, for run_interproscan_batch. It gets the usual PATH and no other variable; let a script set what it needs',
  },
  interproscanUrl: {
    env: 'SVC_INTERPROSCAN_URL',
    yaml: 'sources.interproscan_url',
    schema: webAddress('https://www.ebi.ac.uk/Tools/services/rest/iprscan5'),
    example: 'https://iprscan.lab.example/rest/iprscan5',
    description: 'InterProScan job service of EBI, or one that speaks as it does',
  },
  interproscanEmail: {
    env: 'SVC_INTERPROSCAN_EMAIL',
    yaml: 'sources.interproscan_email',
    schema: optionalText,
    example: 'lab@example.org',
    description: 'E-mail address that the InterProScan job service asks for',
  },
} as const satisfies Record<string, SettingRow>;
