import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { startStubServer } from '../../testing/stub-server.js';
import { addressKind, HostRules } from './address-rules.js';
import { FetchGuard } from './fetch-guard.js';
import { createSourceOpener, noRetry } from './opener.js';

const refusal = { code: 'address_refused' };

describe('addressKind', () => {
  it.each([
    ['8.8.8.8', 'public'],
    ['2a00:1450:4001::1', 'public'],
    ['10.1.2.3', 'private'],
    ['172.31.0.1', 'private'],
    ['172.32.0.1', 'public'],
    ['192.168.1.1', 'private'],
    ['127.8.8.8', 'private'],
    ['100.64.0.1', 'private'],
    ['0.0.0.0', 'private'],
    ['255.255.255.255', 'private'],
    ['::1', 'private'],
    ['::127.0.0.1', 'private'],
    ['::8.8.8.8', 'private'],
    ['::ffff:0:127.0.0.1', 'private'],
    ['::ffff:0:8.8.8.8', 'private'],
    ['::ffff:8.8.8.8', 'public'],
    ['fc00::1', 'private'],
    ['fdab::1', 'private'],
    ['::ffff:127.0.0.1', 'private'],
    ['::ffff:7f00:1', 'private'],
    ['64:ff9b::7f00:1', 'private'],
    ['2002:7f00:1::', 'private'],
    ['169.254.169.254', 'link-local'],
    ['::ffff:169.254.169.254', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['fd00:ec2::254', 'link-local'],
  ])('%s is %s', (address, kind) => {
    expect(addressKind(address)).toBe(kind);
  });
});

describe('HostRules', () => {
  const rules = new HostRules([
    'files.example.org',
    'mirror.example.org:8443',
    '*.wild.org',
    '[::1]:8080',
    '127.0.0.1:99',
  ]);
  it.each([
    ['https://files.example.org/a', 'explicit'],
    ['http://FILES.example.org./a', 'explicit'],
    ['https://files.example.org:8443/a', null],
    ['https://mirror.example.org:8443/', 'explicit'],
    ['https://mirror.example.org/', null],
    ['https://a.wild.org/', 'public'],
    ['https://wild.org/', null],
    ['https://evilwild.org/', null],
    ['http://[::1]:8080/', 'explicit'],
    ['http://[::1]/', null],
    ['http://127.0.0.1:99/', 'explicit'],
    ['http://2130706433:99/', 'explicit'],
    ['https://files.example.org.evil.net/', null],
  ])('%s: %s', (url, permission) => {
    expect(rules.permission(new URL(url))).toBe(permission);
  });

  it('knows the public sources when nothing is set, and nothing else', () => {
    const builtIn = new HostRules(null);
    expect(builtIn.permission(new URL('https://rest.uniprot.org/x'))).toBe('public');
    expect(builtIn.permission(new URL('https://example.org/'))).toBeNull();
  });

  it("refuses an entry that it can't read", () => {
    expect(() => new HostRules(['http://x.org/'])).toThrow('SVC_FETCH_ALLOWED_HOSTS');
  });
});

describe('FetchGuard', () => {
  const answers =
    (...addresses: string[]) =>
    async (): Promise<LookupAddress[]> =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const openWith = (allowedHosts: string[] | null, addresses: string[], url: string) =>
    createSourceOpener({
      importDirs: [],
      allowedHosts,
      resolve: answers(...addresses),
      retry: noRetry,
    }).open(url, {});

  it('refuses other schemes, hosts that are not listed, and addresses with a password', () => {
    const guard = new FetchGuard(['example.org']);
    for (const url of [
      'ftp://example.org/x',
      'https://other.org/',
      'https://me:word@example.org/',
      'data:text/plain,x',
    ]) {
      expect(() => guard.check(new URL(url)), url).toThrow(expect.objectContaining(refusal));
    }
  });

  it.each([
    ['a private address', ['10.0.0.7']],
    ['one private among public ones', ['8.8.8.8', '192.168.0.1']],
    ['the metadata address', ['169.254.169.254']],
    ['a mapped loopback address', ['::ffff:127.0.0.1']],
  ])('refuses a public name that leads to %s', async (_name, addresses) => {
    await expect(openWith(null, addresses, 'https://rest.uniprot.org/x')).rejects.toMatchObject(refusal);
    await expect(openWith(['*'], addresses, 'https://any.org/x')).rejects.toMatchObject(refusal);
  });

  it('refuses an address under a wildcard, and link-local even for a listed name', async () => {
    await expect(openWith(['*'], [], 'http://127.0.0.1:1/')).rejects.toMatchObject(refusal);
    await expect(openWith(['inside.org'], ['169.254.169.254'], 'http://inside.org/')).rejects.toMatchObject(
      refusal,
    );
  });

  it('connects to the address that was checked, even if the name changes later', async () => {
    const stub = await startStubServer((request, response) => response.end(request.headers.host));
    const port = new URL(stub.url).port;
    try {
      let asked = 0;
      const resolve = async (): Promise<LookupAddress[]> => {
        asked++;
        return [{ address: asked === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }];
      };
      const opener = createSourceOpener({
        importDirs: [],
        allowedHosts: [`inside.test:${port}`],
        resolve,
        retry: noRetry,
      });
      const { bytes } = await opener.open(`http://inside.test:${port}/`, {});
      const chunks: Uint8Array[] = [];
      for await (const chunk of bytes) chunks.push(chunk);
      expect(Buffer.concat(chunks).toString()).toBe(`inside.test:${port}`);
      expect(asked).toBe(1);
    } finally {
      await stub.close();
    }
  });

  it('checks every redirect', async () => {
    const stub = await startStubServer((request, response) => {
      const target = { '/a': '/b', '/b': 'http://169.254.169.254/latest', '/loop': '/loop', '/ok': '/end' }[
        request.url ?? ''
      ];
      if (target === undefined) response.end('arrived');
      else response.writeHead(302, { location: target }).end();
    });
    const opener = createSourceOpener({
      importDirs: [],
      allowedHosts: [stub.host],
      retry: noRetry,
    });
    try {
      await expect(opener.open(`${stub.url}/a`, {})).rejects.toMatchObject(refusal);
      expect(stub.requests).toEqual(['/a', '/b']);
      await expect(opener.open(`${stub.url}/loop`, {})).rejects.toMatchObject({ code: 'fetch_failed' });
      const chunks: Uint8Array[] = [];
      for await (const chunk of (await opener.open(`${stub.url}/ok`, {})).bytes) chunks.push(chunk);
      expect(Buffer.concat(chunks).toString()).toBe('arrived');
    } finally {
      await stub.close();
    }
  });
});
