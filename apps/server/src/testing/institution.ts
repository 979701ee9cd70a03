import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** The facts that the stand-in knows about a person. */
export interface StandInPerson {
  email?: string;
  email_verified?: boolean;
  preferred_username?: string;
  name?: string;
  groups?: string[];
}

export interface StandInInstitution {
  issuer: string;
  /** People by the name that they sign in with; any password is right. */
  people: Map<string, StandInPerson>;
  /**
   * Goes through the pages of the institution as a browser does, from the address that the service led to.
   * @returns the address that the institution leads back to
   */
  visit(address: string, name: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts a real OpenID provider on this machine, with a page for the login and one for the consent. */
export async function startInstitution(baseUrl: string, name: string): Promise<StandInInstitution> {
  const people = new Map<string, StandInPerson>();
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'kindred',
        client_secret: 'the secret of the client',
        redirect_uris: [`${baseUrl}/v1/auth/institutions/${name}/callback`],
        post_logout_redirect_uris: [`${baseUrl}/sign-in`],
      },
    ],
    cookies: { keys: ['a key of the stand-in'] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username', 'name'],
      groups: ['groups'],
    },
    scopes: ['openid', 'email', 'profile', 'groups'],
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...people.get(id) }),
    }),
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
  });
  server.on('request', provider.callback());
  return {
    issuer,
    people,
    visit: (address, who) => visit({ issuer, address, who }),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

async function visit({ issuer, address, who }: { issuer: string; address: string; who: string }) {
  const jar = new Map<string, string>();
  const open = async (url: string, form?: Record<string, string>) => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([key, value]) => `${key}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, key, value] = /^([^=]+)=([^;]*)/.exec(cookie) as RegExpExecArray;
      jar.set(key, value);
    }
    return response;
  };
  let response = await open(address);
  for (let step = 0; step < 12; step++) {
    const location = response.headers.get('location');
    if (location !== null) {
      const next = new URL(location, issuer).href;
      if (!next.startsWith(issuer)) return next;
      response = await open(next);
      continue;
    }
    const page = await response.text();
    const action = /action="([^"]+)"/.exec(page)?.[1];
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (action === undefined || prompt === undefined)
      throw new Error(`the institution says ${response.status}: ${page.slice(0, 300)}`);
    response = await open(new URL(action, issuer).href, { prompt, login: who, password: 'any' });
  }
  throw new Error('the institution never led back');
}
