import { expect, it } from 'vitest';
import { plainColour } from './picture-file.js';

it('writes mixed colours as every program for pictures knows them', () => {
  expect(plainColour('color(srgb 1 0.5 0)')).toBe('rgb(255, 128, 0)');
  expect(plainColour('color(srgb 0.2 1e-7 1.02)')).toBe('rgb(51, 0, 255)');
  expect(plainColour('rgb(1, 2, 3)')).toBe('rgb(1, 2, 3)');
  expect(plainColour('4px')).toBe('4px');
});
