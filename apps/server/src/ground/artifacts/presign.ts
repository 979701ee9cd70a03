import { createHash, createHmac } from 'node:crypto';

export interface SigningKey {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  region: string;
}

/** encodeURIComponent keeps some characters that a signature must encode (RFC 3986). */
const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/**
 * Adds a signature to the query of an object's address (AWS Signature Version 4): anyone who has the result
 * may GET the object until it expires. `address` has no query yet.
 * @cite AwsSigV4
 */
export function presignedGet(address: URL, key: SigningKey, when: { now: Date; ttlSeconds: number }): string {
  const time = when.now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const scope = `${time.slice(0, 8)}/${key.region}/s3/aws4_request`;
  const query = [
    ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
    ['X-Amz-Credential', `${key.accessKeyId}/${scope}`],
    ['X-Amz-Date', time],
    ['X-Amz-Expires', String(when.ttlSeconds)],
    ...(key.sessionToken === undefined ? [] : [['X-Amz-Security-Token', key.sessionToken]]),
    ['X-Amz-SignedHeaders', 'host'],
  ]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .join('&');
  const request = ['GET', address.pathname, query, `host:${address.host}`, '', 'host', 'UNSIGNED-PAYLOAD'];
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(request.join('\n'))].join('\n');
  const signingKey = [key.region, 's3', 'aws4_request'].reduce<Buffer>(
    hmac,
    hmac(`AWS4${key.secretAccessKey}`, time.slice(0, 8)),
  );
  return `${address.origin}${address.pathname}?${query}&X-Amz-Signature=${hmac(signingKey, toSign).toString('hex')}`;
}
