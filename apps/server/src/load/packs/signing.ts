import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { ProblemError } from '@kindred/contracts';
import { z } from 'zod';
import type { SignatureRules } from '../../work/operation/operation.js';

/** A signed message begins with this text, so that a signature made for another purpose never fits a pack. */
const purpose = Buffer.from('kindred reference pack 1\n');
/** The DER encoding of an ed25519 public key begins with these bytes; the key's 32 bytes follow. */
const derPrefix = Buffer.from('302a300506032b6570032100', 'hex');

const signatureFile = z.strictObject({
  algorithm: z.literal('ed25519'),
  public_key: z.base64().length(44),
  signature: z.base64().length(88),
});

/** These rules only check that a signature, if there is one, belongs to the content. */
export const anySigner: SignatureRules = { trustedKeys: [], signatureDemanded: false };

/** Settings and messages name a key by the base64 of its 32 bytes. */
export function publicKeyText(key: KeyObject): string {
  return createPublicKey(key as never)
    .export({ type: 'spki', format: 'der' })
    .subarray(derPrefix.length)
    .toString('base64');
}

/** Makes a key pair; the private key is returned as PEM. */
export function newKeyPair(): { privatePem: string; publicKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const privatePem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  return { privatePem, publicKey: publicKeyText(privateKey) };
}

/** Makes the file that says who vouches for a manifest. */
export function signatureOf(manifest: Buffer, privateKey: KeyObject): Buffer {
  const content: z.infer<typeof signatureFile> = {
    algorithm: 'ed25519',
    public_key: publicKeyText(privateKey),
    signature: sign(null, Buffer.concat([purpose, manifest]), privateKey).toString('base64'),
  };
  return Buffer.from(`${JSON.stringify(content)}\n`);
}

/**
 * Checks a manifest against the rules of this service. `file` is null for an unsigned pack.
 * @returns the public key of the signer, or null for an unsigned pack
 * @throws ProblemError bad_file
 */
export function checkSignature(manifest: Buffer, file: Buffer | null, rules: SignatureRules): string | null {
  if (file === null) {
    if (!rules.signatureDemanded) return null;
    throw refused(
      'it is not signed, and this service installs signed packs alone (SVC_PACK_SIGNATURE_DEMANDED)',
    );
  }
  const parsed = signatureFile.safeParse(jsonIn(file));
  if (!parsed.success) throw refused('its signature cannot be read');
  const { public_key, signature } = parsed.data;
  const key = createPublicKey({
    key: Buffer.concat([derPrefix, Buffer.from(public_key, 'base64')]),
    type: 'spki',
    format: 'der',
  });
  const message = Buffer.concat([purpose, manifest]);
  if (!verify(null, message, key, Buffer.from(signature, 'base64')))
    throw refused('its signature is not that of its content');
  if (rules.trustedKeys.length === 0 && rules.signatureDemanded)
    throw refused('this service knows no key that may sign (SVC_PACK_TRUSTED_KEYS)');
  if (rules.trustedKeys.length > 0 && !rules.trustedKeys.includes(public_key))
    throw refused(`it is signed by the key ${public_key}, which is not among SVC_PACK_TRUSTED_KEYS`);
  return public_key;
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}

function refused(why: string): ProblemError {
  return new ProblemError('bad_file', `The pack was refused: ${why}. Nothing was installed.`);
}
