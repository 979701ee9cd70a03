import { expect, it } from 'vitest';
import type { AnnotateLimits } from '../../app/api/annotate.js';
import { readRecords } from '../../shared/sequence-input.js';
import { limitSentences } from './limit-sentences.js';
import { obstacle } from './limit-text.js';

const limits: AnnotateLimits = {
  max_upload_bytes: 50 * 2 ** 20,
  max_sequences: 50_000,
  max_residues: 20,
  sequences_today: { limit: 10, used: 0 },
  may_save: false,
  default_visibility: 'link',
  unsaved_hours: 24,
  in_browser: null,
};
const fasta = (count: number, sequence = 'MK') =>
  readRecords('fasta', Array.from({ length: count }, (_, i) => `>q${i}\n${sequence}\n`).join(''));

it('tells the limits in words', () => {
  expect(limitSentences(limits, false)).toEqual([
    'Without an account: 10 sequences a day.',
    'One upload: at most 50,000 sequences of 20 residues each, 50 MiB.',
  ]);
  const used = { ...limits, sequences_today: { limit: 1000, used: 4 } };
  expect(limitSentences(used, true)[0]).toBe('With your account: 1,000 sequences a day (996 left today).');
  expect(limitSentences({ ...limits, sequences_today: null }, true)).toHaveLength(1);
});

it('sees what the service would refuse', () => {
  expect(obstacle(fasta(10), limits)).toBeNull();
  expect(obstacle(fasta(11), limits)).toBe('These are 11 sequences; 10 of 10 are left for today.');
  expect(obstacle(fasta(1, 'M'.repeat(21)), limits)).toMatch(/21 residues; at most 20/);
  expect(obstacle(readRecords('bare', '>sequence\nMKTAY'), undefined)).toBeNull();
  expect(obstacle(readRecords('fasta', '>a\nM\n>a\nM'), undefined)).toBe(
    'Several sequences have the same name: a.',
  );
  expect(obstacle(readRecords('fasta', '>a\nM\n>a\nM'), undefined, 'leave_out')).toBeNull();
  expect(obstacle(fasta(1, 'M'.repeat(21)), limits, 'leave_out')).toBeNull();
  const small = { ...limits, sequences_today: null, max_sequences: 2 };
  expect(obstacle(fasta(3), small)).toBe('These are 3 sequences; one upload takes 2.');
});
