// Makes docs/reference/operations.md from the payload schemas in packages/contracts/src/resources/.
import { operationRows } from '@kindred/contracts/operations';
import { z } from 'zod';

const introduction = `# Operations

What \`POST /v1/jobs\` runs: \`{"operation": ..., "queue_name": ..., "payload": {...}}\`. The payload is checked when the job is sent, and a key
that is not listed here is refused. Role: the least that may queue it.

Generated from \`packages/contracts/src/resources/\`; do not edit.
`;

export function operationsReference() {
  return `${introduction}\n${operationRows.map(section).join('\n')}`;
}

function section({ name, queue, light, description, payload }) {
  const head = `## ${name}\n\n${description}. Queue \`${queue}\`, role ${light ? 'researcher' : 'operator'}.\n`;
  const { properties = {}, required = [] } = z.toJSONSchema(payload, { io: 'input' });
  const rows = Object.entries(properties).map(
    ([field, schema]) =>
      `| \`${field}\` | ${typeOf(schema)} | ${initial(field, schema, required)} | ${cell(schema.description ?? '')} |`,
  );
  if (rows.length === 0) return `${head}\nThe payload may be anything.\n`;
  return `${head}\n| field | type | default | meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

function initial(field, schema, required) {
  if (required.includes(field)) return 'required';
  return schema.default === undefined ? 'none' : `\`${JSON.stringify(schema.default)}\``;
}

function typeOf(schema) {
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(' or ');
  if (schema.format === 'uuid') return 'UUID';
  if (schema.type === 'array') return `list of ${typeOf(schema.items)}`;
  if (schema.type === 'integer' || schema.type === 'number') return `${schema.type}${range(schema)}`;
  return schema.type;
}

function range({ minimum, maximum }) {
  const bounded = maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER;
  if (minimum !== undefined && bounded) return ` ${minimum} to ${maximum}`;
  return minimum === undefined ? '' : `, ${minimum} or more`;
}

function cell(text) {
  return text.replaceAll('|', '\\|');
}
