import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { ProblemError } from '@kindred/contracts';
import { addressKind, type HostPermission, HostRules, hostOf } from './address-rules.js';

/** A name resolves to all its addresses. Tests replace this function to imitate a hostile name server. */
export type ResolveAll = (host: string) => Promise<LookupAddress[]>;

const resolveBySystem: ResolveAll = (host) =>
  new Promise((resolve, reject) => {
    dnsLookup(host, { all: true, verbatim: true }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses);
    });
  });

/**
 * Decides which addresses the service may fetch from. Callers ask before each request, redirects included,
 * and at each connection.
 */
export class FetchGuard {
  readonly #rules: HostRules;
  readonly #resolve: ResolveAll;
  readonly #setting: string;

  /** @param setting names the setting in which the operator allows a host */
  constructor(
    allowedHosts: readonly string[] | null,
    resolve: ResolveAll = resolveBySystem,
    setting = 'SVC_FETCH_ALLOWED_HOSTS',
  ) {
    this.#rules = new HostRules(allowedHosts, setting);
    this.#resolve = resolve;
    this.#setting = setting;
  }

  /** @throws ProblemError address_refused */
  check(url: URL): HostPermission {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      const hint = url.protocol === 'ftp:' ? '; EBI, NCBI and UniProt serve the same paths by https:' : '';
      throw refused(url, `the scheme ${url.protocol} is not http: or https:${hint}`);
    }
    if (url.username !== '' || url.password !== '')
      throw refused(url, 'an address may not carry a name or password');
    const permission = this.#rules.permission(url);
    if (permission === null) {
      throw refused(
        url,
        `${url.host} is not among the allowed hosts; an operator can add it to ${this.#setting}`,
      );
    }
    const host = hostOf(url);
    if (isIP(host) !== 0 && permission !== 'explicit') this.#refuseUnlessPublic(url, host);
    return permission;
  }

  /**
   * The lookup serves one request: every address of the name must be allowed, and the connection uses the
   * address that was checked here, so that a second DNS reply cannot lead elsewhere.
   */
  lookupFor(url: URL): LookupFunction {
    const permission = this.check(url);
    return (hostname, options, callback) => {
      this.#resolve(hostname)
        .then((addresses) => {
          if (addresses.length === 0)
            throw Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
          for (const { address } of addresses) this.#refuseAddress(url, address, permission);
          const wanted = options.family === 4 || options.family === 6 ? options.family : 0;
          const usable = wanted === 0 ? addresses : addresses.filter((entry) => entry.family === wanted);
          const chosen = usable.length > 0 ? usable : addresses;
          if (options.all) callback(null, chosen);
          else callback(null, chosen[0].address, chosen[0].family);
        })
        .catch((error: NodeJS.ErrnoException) => callback(error, '', 0));
    };
  }

  /**
   * A name may resolve to a private address if the operator named it in full. A link-local address must be
   * listed as an address.
   */
  #refuseAddress(url: URL, address: string, permission: HostPermission): void {
    if (permission !== 'explicit') this.#refuseUnlessPublic(url, address);
    else if (addressKind(address) === 'link-local') {
      throw refused(url, `${hostOf(url)} leads to the link-local address ${address}`);
    }
  }

  #refuseUnlessPublic(url: URL, address: string): void {
    const kind = addressKind(address);
    if (kind === 'public') return;
    throw refused(
      url,
      `${address} is a ${kind} address; only a host that ${this.#setting} names in full may have one`,
    );
  }
}

function refused(url: URL, reason: string): ProblemError {
  return new ProblemError(
    'address_refused',
    `The service may not contact ${url.protocol}//${url.host}: ${reason}.`,
  );
}
