import { expect, it } from 'vitest';
import { accessionList } from './index.js';

it.each([
  ['P12345\nq9nae2\n', ['P12345', 'Q9NAE2']],
  ['# mine\r\nP12345-2, A0A024R1R8; P12345-2\r\n', ['P12345-2', 'A0A024R1R8']],
  ['\ufeffP12345', ['P12345']],
])('reads %j', (text, accessions) => expect(accessionList(text)).toEqual(accessions));

it.each(['', '# P12345\n', 'MKTAYIAKQR', 'P12345\nMKTAYIAKQR\n', 'P12345-0', '>P12345\nMK', 'b0001'])(
  'does not take %j for accessions',
  (text) => expect(accessionList(text)).toBeNull(),
);
