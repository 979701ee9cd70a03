import { url } from '@kindred/contracts/fields';
import { uuidOf } from '@kindred/contracts/ids';
import { z } from 'zod';
import type { RouteKey } from '../../app/api/call-route.js';
import { aspectNames, isAspect } from '../../shared/aspect.js';

/** The ways in which a field of a form is drawn. */
export type FieldKind =
  | 'text'
  | 'long'
  | 'number'
  | 'switch'
  | 'choice'
  | 'choices'
  | 'lines'
  | 'row'
  | 'rows'
  | 'file'
  | 'source'
  | 'group'
  | 'json';

export interface Field {
  name: string;
  label: string;
  kind: FieldKind;
  required: boolean;
  /** Whether an empty field is sent as null, because the service needs a value, and null means none. */
  emptyIsNull: boolean;
  description: string | undefined;
  /** The options of the kinds `choice` and `choices`. */
  options: readonly string[];
  /** The list from which rows are chosen, for fields of one or several rows. */
  list: RowList | undefined;
  /** The fields of a group. */
  parts: readonly Field[];
  /** The default of the service. */
  usual: unknown;
}

interface JsonSchema {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  description?: string;
  default?: unknown;
  const?: unknown;
  propertyNames?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  minLength?: number;
  maxLength?: number;
  contentEncoding?: string;
  format?: string;
  allOf?: JsonSchema[];
}

const uuidWords = (z.toJSONSchema(uuidOf(), { io: 'input' }) as JsonSchema).description;
const address = z.toJSONSchema(url, { io: 'input' }) as JsonSchema;

/** Returns the fields of an object schema in its order, from its JSON Schema. A value without a plain form is typed as JSON. */
export function fieldsOf(schema: z.ZodType | undefined): Field[] {
  if (schema === undefined) return [];
  const [input, output] = (['input', 'output'] as const).map(
    (io) => z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema,
  );
  return fieldsIn(input ?? {}, output);
}

function fieldsIn(whole: JsonSchema, read: JsonSchema | undefined): Field[] {
  // The body of some routes may be left out as a whole, but its fields are the same.
  const [input, output] = [plain(whole), read && plain(read)];
  const required = new Set(input?.required ?? []);
  return Object.entries(propertiesOf(input)).flatMap(([name, given]) => {
    // A field with only one possible value needs no input.
    if (given.const !== undefined && !required.has(name)) return [];
    // A value that is parsed from text has no type of its own before it is parsed.
    const typed = plain(given).type === undefined && plain(given).enum === undefined;
    const property = plain(typed ? (output?.properties?.[name] ?? given) : given);
    const usual = given.default ?? property.default;
    const isDemanded = required.has(name) && usual === undefined;
    const mayBeNull = given.anyOf?.some(({ type }) => type === 'null') ?? false;
    const list = rowListOf(name, property);
    const kind = kindOf(name, property);
    const description = given.description ?? property.description;
    const field: Field = {
      name,
      label: list?.title ?? labelOfField(name, kind),
      kind,
      required: isDemanded && !mayBeNull,
      emptyIsNull: isDemanded && mayBeNull,
      // The description of how an id is written helps nobody who chooses a name; so it is with addresses of files.
      description:
        (list !== undefined && description === uuidWords) || description === address.description
          ? undefined
          : description,
      options: (property.enum ?? property.items?.enum ?? []).map(String),
      list,
      parts: kind === 'group' ? fieldsIn(property, undefined) : [],
      usual,
    };
    return [field];
  });
}

/** Returns the fields of an object. A record of numbers by a closed list of names has one field for each name. */
function propertiesOf({ properties, propertyNames, additionalProperties }: JsonSchema) {
  if (properties !== undefined) return properties;
  const value = additionalProperties;
  return typeof value === 'object' && (value.type === 'number' || value.type === 'integer')
    ? Object.fromEntries((propertyNames?.enum ?? []).map((name) => [String(name), value]))
    : {};
}

/** Returns the schema without the null of an optional field. */
function plain(schema: JsonSchema): JsonSchema {
  const parts = schema.anyOf?.filter((part) => part.type !== 'null');
  return parts?.length === 1 ? { ...schema, anyOf: undefined, ...parts[0] } : schema;
}

function kindOf(name: string, schema: JsonSchema): FieldKind {
  if (schema.contentEncoding === 'binary' || schema.format === 'binary') return 'file';
  if (schema.enum !== undefined) return 'choice';
  if (rowListOf(name, schema) !== undefined) return schema.type === 'array' ? 'rows' : 'row';
  if (schema.type === 'boolean') return 'switch';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (isSource(name, schema)) return 'source';
  if (schema.type === 'string')
    return (schema.maxLength ?? 0) > 1000 && !name.endsWith('url') ? 'long' : 'text';
  // A file of another program is pasted as a whole, so it is not a group.
  if (schema.type !== 'array') return isGroup(schema) && !name.endsWith('_json') ? 'group' : 'json';
  if (schema.items?.enum !== undefined) return 'choices';
  return schema.items?.type === 'string' ? 'lines' : 'json';
}

/** Says whether a field is the address of one file that an operation reads; a base is the address of many. */
function isSource(name: string, { type, minLength, maxLength }: JsonSchema): boolean {
  const isAddress = type === 'string' && minLength === address.minLength && maxLength === address.maxLength;
  return isAddress && /_(url|file)$/.test(name) && !name.endsWith('_base_url');
}

function labelOfField(name: string, kind: FieldKind): string {
  if (kind === 'rows') return labelOf(name.replace(/_ids$/, 's'));
  return kind === 'source' ? `${labelOf(name.replace(/_(url|file)$/, ''))} file` : labelOf(name);
}

/** Says whether an object has only known fields. */
function isGroup(schema: JsonSchema): boolean {
  return schema.anyOf === undefined && Object.keys(propertiesOf(schema)).length > 0;
}

/** The labels of fields whose names say it in the words of the service. */
const labels: Readonly<Record<string, string>> = {
  annotation_set_chosen_by: 'Annotations chosen by',
  caller_count: 'Callers in all',
  display_name: 'Name',
  embedding_config_chosen_by: 'Similarity model chosen by',
  embedding_count: 'Vectors',
  entry_count: 'Proteins',
  last_login_at: 'Last sign-in',
  model_backend: 'Backend',
  model_name: 'Model',
  query_set_name: 'Run',
  term_counts: 'Terms',
  timeout_seconds: 'Longest wait, seconds',
};

/**
 * Makes a label of a name: `old_annotation_set_id` becomes `Old annotation set`, `protein_count` becomes `Proteins`, `created_at` becomes
 * `Created`, and `size_bytes` becomes `Size`, because the value has the unit.
 */
export function labelOf(name: string): string {
  if (isAspect(name)) return aspectNames[name];
  const known = labels[name];
  if (known !== undefined) return known;
  const words =
    name
      .replace(/_(ids?|bytes|label|at)$/, '')
      .replace(/_count$/, 's')
      .replaceAll('_', ' ')
      .replaceAll(/\b(go|obo|gaf|fasta|ia|eco|api|url|tsv|uri)\b/g, (short) => short.toUpperCase())
      .trim() || name;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A list from which rows are chosen by name. */
export interface RowList {
  list: RouteKey;
  /** The fields of a row that make its name. */
  words: readonly string[];
  /** The title in the form, if the name of the field says something else. */
  title?: string;
}

const annotationSets: RowList = { list: 'GET /annotations/sets', words: ['source', 'source_version'] };
const evaluationSets: RowList = {
  list: 'GET /annotations/evaluation-sets',
  words: ['old_annotation_set_label', 'new_annotation_set_label', 'created_at'],
};

const embeddingConfigs: RowList = {
  list: 'GET /embeddings/configs',
  words: ['display_name', 'model_name'],
};

/** The fields that name a row. Fields that name several rows have an s at the end. */
export const rowLists: Readonly<Record<string, RowList>> = {
  ontology_snapshot_id: { list: 'GET /annotations/snapshots', words: ['obo_version'] },
  annotation_set_id: annotationSets,
  old_annotation_set_id: annotationSets,
  new_annotation_set_id: annotationSets,
  embedding_config_id: embeddingConfigs,
  more_embedding_config_id: embeddingConfigs,
  prediction_set_id: {
    list: 'GET /embeddings/prediction-sets',
    words: ['query_set_name', 'method', 'created_at'],
  },
  query_set_id: { list: 'GET /query-sets', words: ['name'] },
  evaluation_set_id: evaluationSets,
  eval_evaluation_set_id: evaluationSets,
  train_evaluation_set_id: evaluationSets,
  reranker_model_id: { list: 'GET /scoring/rerankers', words: ['name'] },
  scoring_config_id: { list: 'GET /scoring/configs', words: ['name'] },
  run_id: { list: 'GET /experiment-runs', words: ['name', 'status'], title: 'Experiment' },
  job_id: { list: 'GET /jobs', words: ['operation', 'status', 'created_at'] },
};

function rowListOf(name: string, schema: JsonSchema): RowList | undefined {
  return rowLists[schema.type === 'array' ? name.replace(/s$/, '') : name];
}

export type FormValues = Readonly<Record<string, unknown>>;

/**
 * Returns the values to send: texts become values of the field's type, and empty fields are left out.
 *
 * @throws Error naming a field whose JSON is broken
 */
export function valuesToSend(fields: readonly Field[], values: FormValues): Record<string, unknown> {
  const sent: Record<string, unknown> = {};
  for (const { name, kind, label, emptyIsNull, parts } of fields) {
    const value = values[name];
    if (value === undefined || value === '' || value === null) {
      if (emptyIsNull) sent[name] = null;
    } else if (kind === 'lines') {
      const lines = String(value)
        .split(/[\n,]/)
        .map((line) => line.trim());
      sent[name] = lines.filter((line) => line !== '');
    } else if (kind === 'group') {
      const inside = valuesToSend(parts, value as FormValues);
      if (Object.keys(inside).length > 0) sent[name] = inside;
    } else if (kind === 'json') sent[name] = parseJson(label, String(value));
    else sent[name] = value;
  }
  return sent;
}

function parseJson(label: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${label}: this is not JSON. Write an object such as {"name": 1}, or leave it empty.`, {
      cause,
    });
  }
}

/**
 * Returns the values to send, checked by the schema of the route. @throws Error with a sentence for each field that the schema refuses
 */
export function checkedValues(
  schema: z.ZodType | undefined,
  fields: readonly Field[],
  values: FormValues,
): Record<string, unknown> {
  const sent = valuesToSend(fields, values);
  const result = schema?.safeParse(sent);
  if (result === undefined || result.success) return sent;
  const labels = new Map(fields.map(({ name, label }) => [name, label]));
  const sentences = result.error.issues.map(
    (issue) => `${labels.get(String(issue.path[0])) ?? issue.path.join('.')}: ${issue.message}`,
  );
  throw new Error(sentences.join('. '));
}
