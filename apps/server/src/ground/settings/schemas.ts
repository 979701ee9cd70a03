import { z } from 'zod';
import { rabbitServers } from '../addresses/rabbitmq.js';
import { isDatabaseAddress, sessionKindOf, sessionKinds } from '../addresses/database.js';

// The settings' schemas consist of these parts; each part takes text or a YAML value.

export const truthy = ['1', 'true', 'yes', 'on'];
export const falsy = ['0', 'false', 'no', 'off', ''];
/**
 * The specification says: 1, true, yes and on are true, in upper or lower case. Any other value that is not a
 * form of false is an error.
 */
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
        message: 'must be true (1, true, yes, on) or false (0, false, no, off)',
      });
      return z.NEVER;
    })
    .default(fallback);
/** The value says what a first start loads. true stands for `starter`, and false for `none`. */
export const firstData = z
  .union([z.boolean(), z.string()])
  .transform((value, context) => {
    const text = String(value).trim().toLowerCase();
    if (text === 'starter' || truthy.includes(text)) return 'starter';
    if (text === 'none' || falsy.includes(text)) return 'none';
    if (text === 'small') return text;
    context.addIssue({ code: 'custom', message: 'must be starter, small or none' });
    return z.NEVER;
  })
  .default('starter');
/** The environment gives numbers as texts. In the file, a list or boolean does not pass for a number. */
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
export const databaseAddress = z
  .string()
  .trim()
  .refine(isDatabaseAddress, { message: 'must be a postgresql:// address', abort: true })
  .refine(
    (text) => sessionKindOf(text) !== null,
    `has a target_session_attrs that is not one of ${sessionKinds.join(', ')}`,
  )
  .nullable()
  .default(null);
export const amqpAddress = z
  .string()
  .trim()
  .refine((text) => rabbitServers(text) !== null, 'must be an amqp:// or amqps:// address')
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
/** The list holds ed25519 public keys, each written as base64 of 32 bytes. */
export const publicKeys = list.transform((items, context) => {
  if (items?.every((item) => /^[A-Za-z0-9+/]{43}=$/.test(item)) !== false) return items ?? [];
  context.addIssue({ code: 'custom', message: 'must be a list of public keys of 44 characters each' });
  return z.NEVER;
});
/** The list holds entries such as `owner/name` or `owner/name=label`. */
export const repositories = list.transform((items, context) => {
  const parts = (items ?? []).map((item) => /^([\w.-]{1,100}\/[\w.-]{1,100})(?:=(.+))?$/.exec(item));
  if (parts.every((part) => part !== null))
    return parts.map(([, slug, role]) => ({ slug, role: role?.trim() ?? null }));
  context.addIssue({ code: 'custom', message: 'must be a list of owner/name or owner/name=label' });
  return z.NEVER;
});
/** Rates look like `10/minute`; several are joined by `;`. */
export const rateText = z
  .string()
  .regex(
    /^\s*\d+\s*\/\s*(second|minute|hour|day)(\s*;\s*\d+\s*\/\s*(second|minute|hour|day))*\s*$/,
    'must be a rate such as 10/minute or 10/minute;100/day',
  );
export const rate = (fallback: string) => rateText.default(fallback);

/** The list may hold some of the given names, in display order. */
export const chosen = (names: readonly string[]) =>
  list.transform((items, context) => {
    const wrong = items?.find((item, place) => !names.includes(item) || items.indexOf(item) !== place);
    if (wrong === undefined && items?.length !== 0) return items ?? [...names];
    context.addIssue({ code: 'custom', message: `must name some of ${names.join(', ')}, each once` });
    return z.NEVER;
  });
/** Pairs look like `name=label` and are joined by commas. */
export const labels = list.transform((items, context) => {
  const pairs = (items ?? []).map((item) => /^([^=]+)=(.+)$/.exec(item));
  if (pairs.every((pair) => pair !== null))
    return Object.fromEntries(pairs.map(([, name, words]) => [name.trim(), words.trim()]));
  context.addIssue({ code: 'custom', message: 'must be a list of name=label' });
  return z.NEVER;
});
