import { InvalidArgumentError } from 'commander';

/** The functions parse option values for commander. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('Give a whole number from 1 on.');
  return Number(text);
}

/** Parses `name=value`; repeated options become one object with all pairs. */
export function pair(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1 || at === text.length - 1) throw new InvalidArgumentError('Give name=value.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

export function fraction(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError('Give a number from 0 to 1.');
  return value;
}

/** Parses an information content. The largest that the API takes is more than that of one protein in all that are known. */
export function bits(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 64))
    throw new InvalidArgumentError('Give a number of bits from 0 to 64.');
  return value;
}
