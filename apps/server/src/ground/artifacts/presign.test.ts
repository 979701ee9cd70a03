import { expect, it } from 'vitest';
import { presignedGet } from './presign.js';

it('signs as the worked example of the AWS documentation', () => {
  const signed = presignedGet(
    new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
    {
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      region: 'us-east-1',
    },
    { now: new Date('2013-05-24T00:00:00Z'), ttlSeconds: 86_400 },
  );
  expect(new URL(signed).searchParams.get('X-Amz-Signature')).toBe(
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});
