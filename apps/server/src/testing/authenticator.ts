import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';

/** A device that makes passkeys, without asking anybody. It keeps one key and counts its signatures. */
export class StandInAuthenticator {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #id = randomBytes(16);
  #signatures = 0;
  #userHandle = '';

  /** Answers what `navigator.credentials.create` is asked, on a page of the origin. */
  create({ challenge, user }: { challenge: string; user: { id: string } }, origin: string) {
    this.#userHandle = user.id;
    const data = this.#data(
      origin,
      Buffer.concat([Buffer.alloc(16), uint16(this.#id.length), this.#id, this.#cose()]),
    );
    // A map of three in CBOR: no attestation, and the authenticator's data.
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      ...[text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData')],
      Buffer.from([0x58, data.length]),
      data,
    ]);
    return this.#credential({
      clientDataJSON: clientData('webauthn.create', challenge, origin).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** Answers what `navigator.credentials.get` is asked, on a page of the origin. */
  get({ challenge }: { challenge: string }, origin: string) {
    this.#signatures++;
    const client = clientData('webauthn.get', challenge, origin);
    const data = this.#data(origin);
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
    return this.#credential({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: createSign('sha256').update(signed).sign(this.#keys.privateKey).toString('base64url'),
      userHandle: this.#userHandle,
    });
  }

  #credential<T>(response: T) {
    const id = this.#id.toString('base64url');
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }

  /** The user is there and was verified; the bit for a new credential goes with its key. */
  #data(origin: string, made?: Buffer): Buffer {
    const host = createHash('sha256').update(new URL(origin).hostname).digest();
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#signatures);
    return Buffer.concat([host, Buffer.from([made ? 0x45 : 0x05]), counter, made ?? Buffer.alloc(0)]);
  }

  /** The public key as COSE writes it in CBOR: an elliptic curve, ES256, P-256. */
  #cose(): Buffer {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const point = (name: number, value: string) =>
      Buffer.concat([Buffer.from([name, 0x58, 32]), Buffer.from(value, 'base64url')]);
    return Buffer.concat([Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1]), point(0x21, x), point(0x22, y)]);
  }
}

const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
const uint16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const clientData = (type: string, challenge: string, origin: string) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
