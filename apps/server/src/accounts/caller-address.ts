import { isIP } from 'node:net';

const groupsOfNetwork = 4;
const allGroups = 8;

/**
 * Gives the address that limits of anonymous callers count: an IPv4 address, or the /64 network of an IPv6
 * address. A home connection has a whole network of IPv6 addresses, so a single address would not limit it.
 * An IPv4 address that a socket shows as IPv6 counts as IPv4.
 */
export function callerAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head, tail] = address.toLowerCase().split('%')[0].split('::');
  const first = groupsOf(head);
  const last = groupsOf(tail ?? '');
  const groups = [...first, ...Array<number>(allGroups - first.length - last.length).fill(0), ...last];
  const isMapped = groups.slice(0, 6).join() === '0,0,0,0,0,65535';
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.');
  return `${groups
    .slice(0, groupsOfNetwork)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** Reads the groups of 16 bits; an IPv4 address at the end counts as two groups. */
function groupsOf(text: string): number[] {
  return text
    .split(':')
    .filter(Boolean)
    .flatMap((group) => {
      if (!group.includes('.')) return [Number.parseInt(group, 16)];
      const [a, b, c, d] = group.split('.').map(Number);
      return [a * 256 + b, c * 256 + d];
    });
}
