import type { Input, Reply } from '@kindred/client';
import { api } from './client.js';

export type Passkey = Reply<'GET', '/auth/passkeys'>[number];

/** Browsers make passkeys for host names alone, on pages that nobody can read on the way. */
export const passkeysWork = () =>
  typeof window.PublicKeyCredential === 'function' && !/^[\d.]+$|:/.test(window.location.hostname);

export const listPasskeys = () => api.get('/auth/passkeys');
export const removePasskey = (id: string) => api.delete('/auth/passkeys/:id', { params: { id } });

/** Lets the browser make a passkey, and adds it to the account. The browser asks its owner meanwhile. */
export async function addPasskey(name: string): Promise<Passkey> {
  const { startRegistration } = await browserPart();
  const options = await api.post('/auth/passkeys/options');
  const credential = await asked(() => startRegistration({ optionsJSON: options as never }));
  const body = { name, credential } as unknown as Input<'POST', '/auth/passkeys'>['body'];
  return api.post('/auth/passkeys', { body });
}

/** Signs in by a passkey that the visitor chooses in the browser. */
export async function signInByPasskey() {
  const { startAuthentication } = await browserPart();
  const options = await api.post('/auth/passkey-login/options');
  const credential = await asked(() => startAuthentication({ optionsJSON: options as never }));
  const body = { credential } as unknown as Input<'POST', '/auth/passkey-login'>['body'];
  return api.post('/auth/passkey-login', { body });
}

const browserPart = () => import('@simplewebauthn/browser');

/** Browsers do not say why nothing came: nobody learns from it which passkeys a device has. */
async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { name, code } = error as { name?: string; code?: string };
    if (name === 'InvalidStateError' || code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
      throw new Error('This device has a passkey of your account already.', { cause: error });
    throw new Error(
      'The browser gave no passkey: it was cancelled, took too long, or there is none for this service.',
      {
        cause: error,
      },
    );
  }
}
