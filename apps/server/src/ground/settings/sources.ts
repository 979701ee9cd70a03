import { flag, list, optionalText, publicKeys, webAddress } from './schemas.js';
import type { SettingRow } from './setting-row.js';

/** The rows name the hosts that operations may fetch from, and the programs that they may run. */
export const sourcesSettingRows = {
  fetchAllowedHosts: {
    env: 'SVC_FETCH_ALLOWED_HOSTS',
    yaml: 'sources.allowed_hosts',
    schema: list,
    whenUnset: 'the public hosts of GO, EBI, UniProt and NCBI',
    example: 'ftp.ebi.ac.uk,mirror.lab.example:8080',
    description: 'Hosts that the service may fetch from; a private address must be listed by name',
  },
  webhookAllowedHosts: {
    env: 'SVC_WEBHOOK_ALLOWED_HOSTS',
    yaml: 'sources.webhook_allowed_hosts',
    schema: list,
    whenUnset: 'any host with public addresses, by https on its default port',
    example: '*.lab.example,build.lab.example:8080',
    description:
      'Hosts that webhooks may lead to, written as in SVC_FETCH_ALLOWED_HOSTS. A host named in full may be private and use http',
  },
  packTrustedKeys: {
    env: 'SVC_PACK_TRUSTED_KEYS',
    yaml: 'sources.pack_trusted_keys',
    schema: publicKeys,
    whenUnset: 'none: packs of any signer',
    example: '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
    description: 'Public keys (as kindred reference key prints them) whose packed references are installed',
  },
  packSignatureDemanded: {
    env: 'SVC_PACK_SIGNATURE_DEMANDED',
    yaml: 'sources.pack_signature_demanded',
    schema: flag(false),
    example: 'true',
    description: 'Refuses packed references that no key of SVC_PACK_TRUSTED_KEYS has signed',
  },
  interproscanCommand: {
    env: 'SVC_INTERPROSCAN_COMMAND',
    yaml: 'sources.interproscan_command',
    schema: optionalText,
    example: '/opt/interproscan/interproscan.sh',
    description:
      'InterProScan on this machine, for run_interproscan_batch. It gets the default PATH and no other variable; use a script to set more',
  },
  geneFinderCommand: {
    env: 'SVC_GENE_FINDER_COMMAND',
    yaml: 'sources.gene_finder_command',
    schema: optionalText,
    whenUnset: 'the first of prodigal, pyrodigal and prodigal-gv that is installed',
    example: '/opt/prodigal/bin/prodigal',
    description: 'Prodigal, Pyrodigal or prodigal-gv on this machine, for kindred annotate --genes',
  },
  interproscanUrl: {
    env: 'SVC_INTERPROSCAN_URL',
    yaml: 'sources.interproscan_url',
    schema: webAddress('https://www.ebi.ac.uk/Tools/services/rest/iprscan5'),
    example: 'https://iprscan.lab.example/rest/iprscan5',
    description: "EBI's InterProScan job service, or one with the same API",
  },
  interproscanEmail: {
    env: 'SVC_INTERPROSCAN_EMAIL',
    yaml: 'sources.interproscan_email',
    schema: optionalText,
    example: 'lab@example.org',
    description: 'E-mail address that the InterProScan job service requires',
  },
} as const satisfies Record<string, SettingRow>;
