import { z } from 'zod';

/** How a field of a form is drawn. */
export type FieldKind =
  | 'text'
  | 'long'
  | 'number'
  | 'switch'
  | 'choice'
  | 'choices'
  | 'lines'
  | 'row'
  | 'file'
  | 'json';

export interface Field {
  name: string;
  label: string;
  kind: FieldKind;
  required: boolean;
  description: string | undefined;
  /** Of choice and choices. */
  options: readonly string[];
  /** What the service takes where nothing is given. */
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
  maxLength?: number;
  contentEncoding?: string;
  format?: string;
  allOf?: JsonSchema[];
}

/** Fields of an object schema in its order, from its JSON Schema; what has no plain form is typed as JSON. */
export function fieldsOf(schema: z.ZodType | undefined): Field[] {
  if (schema === undefined) return [];
  const [input, output] = (['input', 'output'] as const).map(
    (io) => z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema,
  );
  const required = new Set(input?.required ?? []);
  return Object.entries(input?.properties ?? {}).map(([name, given]) => {
    // A value that is read out of text has no type of its own before it is read.
    const typed = plain(given).type === undefined && plain(given).enum === undefined;
    const property = plain(typed ? (output?.properties?.[name] ?? given) : given);
    const usual = given.default ?? property.default;
    return {
      name,
      label: labelOf(name),
      kind: kindOf(name, property),
      required: required.has(name) && usual === undefined,
      description: given.description ?? property.description,
      options: (property.enum ?? property.items?.enum ?? []).map(String),
      usual,
    };
  });
}

/** Without the null of an optional field. */
function plain(schema: JsonSchema): JsonSchema {
  const parts = schema.anyOf?.filter((part) => part.type !== 'null');
  return parts?.length === 1 ? { ...schema, anyOf: undefined, ...parts[0] } : schema;
}

function kindOf(name: string, schema: JsonSchema): FieldKind {
  if (schema.contentEncoding === 'binary' || schema.format === 'binary') return 'file';
  if (schema.enum !== undefined) return 'choice';
  if (name in referenceLists) return 'row';
  if (schema.type === 'boolean') return 'switch';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'string')
    return (schema.maxLength ?? 0) > 1000 && !name.endsWith('url') ? 'long' : 'text';
  if (schema.type !== 'array') return 'json';
  if (schema.items?.enum !== undefined) return 'choices';
  return schema.items?.type === 'string' ? 'lines' : 'json';
}

/** `embedding_config_id` as `Embedding config`. */
export function labelOf(name: string): string {
  const words =
    name
      .replace(/_ids?$/, '')
      .replaceAll('_', ' ')
      .replaceAll(/\b(go|obo|api|url|tsv|uri)\b/g, (short) => short.toUpperCase())
      .trim() || name;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Fields that name a row: the list that they are chosen from, and what its rows are called. */
export const referenceLists = {
  ontology_snapshot_id: { list: 'GET /annotations/snapshots', label: ['obo_version'] },
  annotation_set_id: { list: 'GET /annotations/sets', label: ['source', 'source_version'] },
  old_annotation_set_id: { list: 'GET /annotations/sets', label: ['source', 'source_version'] },
  new_annotation_set_id: { list: 'GET /annotations/sets', label: ['source', 'source_version'] },
  embedding_config_id: { list: 'GET /embeddings/configs', label: ['display_name', 'model_name'] },
  prediction_set_id: {
    list: 'GET /embeddings/prediction-sets',
    label: ['query_set_name', 'method', 'created_at'],
  },
  query_set_id: { list: 'GET /query-sets', label: ['name'] },
  evaluation_set_id: { list: 'GET /annotations/evaluation-sets', label: ['name', 'created_at'] },
  eval_evaluation_set_id: { list: 'GET /annotations/evaluation-sets', label: ['name', 'created_at'] },
  reranker_model_id: { list: 'GET /scoring/rerankers', label: ['name'] },
  scoring_config_id: { list: 'GET /scoring/configs', label: ['name'] },
} as const;

export type FormValues = Readonly<Record<string, unknown>>;

/**
 * What is sent: texts become values of the field's type, and empty fields are left out. @throws Error naming a field whose
 * JSON is broken
 */
export function valuesToSend(fields: readonly Field[], values: FormValues): Record<string, unknown> {
  const sent: Record<string, unknown> = {};
  for (const { name, kind, label } of fields) {
    const value = values[name];
    if (value === undefined || value === '' || value === null) continue;
    if (kind === 'lines') {
      const lines = String(value)
        .split(/[\n,]/)
        .map((line) => line.trim());
      sent[name] = lines.filter((line) => line !== '');
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
