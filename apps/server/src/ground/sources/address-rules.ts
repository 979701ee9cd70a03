import { BlockList, isIP } from 'node:net';
import { ProblemError } from '@kindred/contracts';

/**
 * A host is allowed because the operator named it (then its address may be private), or because it is public.
 */
export type HostPermission = 'explicit' | 'public' | null;

interface HostEntry {
  host: string;
  /** A null port stands for the default port of the scheme. */
  port: number | null;
  wildcard: boolean;
}

/** The built-in sources use these hosts. Their names may only resolve to public addresses. */
export const defaultSourceHosts: readonly string[] = [
  'rest.uniprot.org',
  'ftp.uniprot.org',
  'www.ebi.ac.uk',
  'ftp.ebi.ac.uk',
  'purl.obolibrary.org',
  'current.geneontology.org',
  'release.geneontology.org',
  'snapshot.geneontology.org',
  'geneontology.org',
  'ftp.ncbi.nlm.nih.gov',
  'github.com',
  'raw.githubusercontent.com',
  'objects.githubusercontent.com',
  'release-assets.githubusercontent.com',
];

const privateRanges = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // IPv6 contains old forms of IPv4 addresses, besides ::1 and ::.
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fec0::', 10],
  ['ff00::', 8],
] as const;
/** Clouds serve machine credentials on link-local addresses. */
const linkLocalRanges = [
  ['169.254.0.0', 16],
  ['fe80::', 10],
  ['fd00:ec2::254', 128],
] as const;

const privateAddresses = blockList(privateRanges);
const linkLocalAddresses = blockList(linkLocalRanges);

function blockList(ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, family(address));
  return list;
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Tells which kind an IP address is. An IPv4 address inside IPv6 (`::ffff:a.b.c.d`) counts as IPv4. */
export function addressKind(address: string): 'public' | 'private' | 'link-local' {
  const plain = address.split('%')[0];
  if (linkLocalAddresses.check(plain, family(plain))) return 'link-local';
  return privateAddresses.check(plain, family(plain)) ? 'private' : 'public';
}

/** Gives the name or address of a URL's host without brackets and final dot. */
export function hostOf(url: URL): string {
  return url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

/**
 * Parses the allowed hosts. An entry is `host`, `host:port`, `*.domain` or `*`. A host named in full may have
 * a private address; the two wildcard forms and the built-in list (`null`) allow public addresses only.
 */
export class HostRules {
  readonly #entries: HostEntry[];
  readonly #builtIn: boolean;

  constructor(allowedHosts: readonly string[] | null, setting = 'SVC_FETCH_ALLOWED_HOSTS') {
    this.#builtIn = allowedHosts === null;
    this.#entries = (allowedHosts ?? defaultSourceHosts).map((entry) => parseEntry(entry, setting));
  }

  permission(url: URL): HostPermission {
    const host = hostOf(url);
    const port = url.port === '' ? null : Number(url.port);
    let permission: HostPermission = null;
    for (const entry of this.#entries) {
      if (entry.port !== port && !(entry.port === defaultPort(url) && port === null)) continue;
      if (!entry.wildcard && entry.host === host) return this.#builtIn ? 'public' : 'explicit';
      if (entry.wildcard && (entry.host === '' || host.endsWith(entry.host))) permission = 'public';
    }
    return permission;
  }
}

function defaultPort(url: URL): number {
  return url.protocol === 'https:' ? 443 : 80;
}

function parseEntry(text: string, setting: string): HostEntry {
  const match =
    /^(\*|(?:\*\.)?[^\s:/*[\]]+|\[[0-9a-f:.]+\]|[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*)(?::(\d{1,5}))?$/i.exec(
      text.trim(),
    );
  if (match === null) {
    throw new ProblemError(
      'validation_failed',
      `${setting}: ${JSON.stringify(text)} is not host, host:port, *.domain or *`,
    );
  }
  const name = match[1].replace(/^\[|\]$/g, '').toLowerCase();
  const wildcard = name.startsWith('*');
  return {
    host: wildcard ? name.slice(1) : name,
    port: match[2] === undefined ? null : Number(match[2]),
    wildcard,
  };
}
