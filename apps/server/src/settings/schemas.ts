import { z } from 'zod';

// Pieces of the schemas of settings: from text, or from a YAML value.

export const truthy = ['1', 'true', 'yes', 'on'];
export const falsy = ['0', 'false', 'no', 'off', ''];
/** The specification's rule: 1, true, yes, on in any case; anything else that is not plainly false is a mistake. */
export const flag = (fallback: boolean) =>
  z
    .union([z.boolean(), z.string()])
    .transform((value, context) => {
      if (typeof value === 'boolean') return value;
      const text = value.trim().toLowerCase();
      if (truthy.includes(text)) return true;
      if (falsy.includes(text)) return false;
      context.addIssue({
        code: 'custom',
        message: 'is neither true (1, true, yes, on) nor false (0, false, no, off)',
      });
      return z.NEVER;
    })
    .default(fallback);
/** Numbers of the environment are texts; a list or a truth value in the file is no number. */
export const fromText = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
export const integer = (min: number, max: number, fallback: number) =>
  z.preprocess(fromText, z.int().min(min).max(max).default(fallback));
export const text = (fallback: string) => z.string().trim().min(1).default(fallback);
const addressOf = (schemes: RegExp, kind: string) =>
  z
    .string()
    .trim()
    .refine((text) => schemes.test(text) && URL.canParse(text), `must be ${kind} address`);
const httpAddress = addressOf(/^https?:\/\/[^/]/i, 'an http:// or https://');
export const webAddress = (fallback: string) => httpAddress.default(fallback);
export const optionalWebAddress = httpAddress.nullable().default(null);
export const databaseAddress = addressOf(/^postgres(ql)?:\/\//i, 'a postgresql://')
  .nullable()
  .default(null);
export const amqpAddress = addressOf(/^amqps?:\/\/[^/]/i, 'an amqp:// or amqps://')
  .nullable()
  .default(null);
export const optionalText = z.string().trim().min(1).nullable().default(null);
export const list = z
  .union([z.array(z.string()), z.string()])
  .transform((value) =>
    (typeof value === 'string' ? value.split(',') : value)
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  )
  .nullable()
  .default(null);
/** `owner/name` or `owner/name=words`. */
export const repositories = list.transform((items, context) => {
  const parts = (items ?? []).map((item) => /^([\w.-]{1,100}\/[\w.-]{1,100})(?:=(.+))?$/.exec(item));
  if (parts.every((part) => part !== null))
    return parts.map(([, slug, role]) => ({ slug, role: role?.trim() ?? null }));
  context.addIssue({ code: 'custom', message: 'is not a list of owner/name or owner/name=words' });
  return z.NEVER;
});
/** Rates such as `10/minute`, joined by `;`. */
export const rateText = z
  .string()
  .regex(
    /^\s*\d+\s*\/\s*(second|minute|hour|day)(\s*;\s*\d+\s*\/\s*(second|minute|hour|day))*\s*$/,
    'is not a rate such as 10/minute or 10/minute;100/day',
  );
export const rate = (fallback: string) => rateText.default(fallback);

/** A choice of the given names, in the order in which they are to be shown. */
export const chosen = (names: readonly string[]) =>
  list.transform((items, context) => {
    const wrong = items?.find((item, place) => !names.includes(item) || items.indexOf(item) !== place);
    if (wrong === undefined && items?.length !== 0) return items ?? [...names];
    context.addIssue({ code: 'custom', message: `must name some of ${names.join(', ')}, each once` });
    return z.NEVER;
  });
/** `name=words`, joined by commas. */
export const labels = list.transform((items, context) => {
  const pairs = (items ?? []).map((item) => /^([^=]+)=(.+)$/.exec(item));
  if (pairs.every((pair) => pair !== null))
    return Object.fromEntries(pairs.map(([, name, words]) => [name.trim(), words.trim()]));
  context.addIssue({ code: 'custom', message: 'is not a list of name=words' });
  return z.NEVER;
});
