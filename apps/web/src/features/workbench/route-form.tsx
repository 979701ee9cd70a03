import { Alert, Button } from '@mantine/core';
import { operationRows, routeRow } from '@kindred/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { z } from 'zod';
import { callRoute, pathOf, type RouteKey } from '../../app/api/call-route.js';
import { ConfirmButton } from '../../shared/confirm-button.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { type Field, fieldsOf, type FormValues, valuesToSend } from './schema-fields.js';
import { SchemaForm } from './schema-form.js';
import { ValueView } from './value-view.js';
import styles from './workbench.module.css';

interface Props {
  route: RouteKey;
  /** The word on the button. */
  label: string;
  params: Record<string, string>;
  /** The question to confirm, if the action can't be undone. */
  warning: string | undefined;
  /** POST /jobs: the operation whose payload the form is of. */
  operation?: string | undefined;
}

/** What the form is made from: the target of each field, and the schema that checks it. */
function partsOf(route: RouteKey, operation: string | undefined) {
  const { method, path } = pathOf(route);
  const row = routeRow(method, path);
  const payload = operationRows.find(({ name }) => name === operation);
  if (payload !== undefined)
    return { place: 'payload', schema: payload.payload, queue: payload.queue } as const;
  if (row?.upload !== undefined) return { place: 'form', schema: row.upload.form } as const;
  return method === 'GET' || row?.body === undefined
    ? ({ place: 'query', schema: row?.query } as const)
    : ({ place: 'body', schema: row.body } as const);
}

/** A form drawn from the schema of a route, which also checks it before anything is sent. */
export function RouteForm({ route, label, params, warning, operation }: Props) {
  const parts = useMemo(() => partsOf(route, operation), [route, operation]);
  const fields = useMemo(() => fieldsOf(parts.schema), [parts]);
  const [values, setValues] = useState<FormValues>({});
  const queries = useQueryClient();
  const send = useMutation({
    mutationFn: async () => {
      const sent = checked(parts.schema, fields, values, parts.place === 'form');
      if (parts.place === 'payload')
        return callRoute(route, { body: { operation, queue_name: parts.queue, payload: sent } });
      if (parts.place === 'form') return callRoute(route, { params, form: formOf(sent) });
      return callRoute(route, { params, [parts.place]: sent });
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['rows'] }),
  });
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate();
      }}
    >
      <SchemaForm fields={fields} values={values} onChange={setValues} />
      {send.isError && <ProblemNote error={send.error} title="Not done" />}
      {send.isSuccess && <Done reply={send.data} />}
      <div>
        {warning === undefined ? (
          <Button type="submit" loading={send.isPending}>
            {label}
          </Button>
        ) : (
          <ConfirmButton
            question={`${label}?`}
            consequence={warning}
            act={label}
            loading={send.isPending}
            onConfirm={() => send.mutate()}
          >
            {label}
          </ConfirmButton>
        )}
      </div>
    </form>
  );
}

/** @throws Error with a sentence per field that the schema refuses */
function checked(
  schema: z.ZodType | undefined,
  fields: readonly Field[],
  values: FormValues,
  isForm: boolean,
) {
  const sent = valuesToSend(fields, values);
  // The server checks the parts of an upload, because a form has only texts.
  const result = isForm ? undefined : schema?.safeParse(sent);
  if (result === undefined || result.success) return sent;
  const labels = new Map(fields.map(({ name, label }) => [name, label]));
  const sentences = result.error.issues.map(
    (issue) => `${labels.get(String(issue.path[0])) ?? issue.path.join('.')}: ${issue.message}`,
  );
  throw new Error(sentences.join('. '));
}

function formOf(values: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) {
    if (value instanceof File) form.set(name, value);
    else form.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return form;
}

/** The result of the request; queued work has its own page. */
function Done({ reply }: { reply: unknown }) {
  const row = (typeof reply === 'object' && reply !== null ? reply : {}) as Record<string, unknown>;
  const isQueued = row.status === 'QUEUED' && typeof row.id === 'string';
  return (
    <Alert color="teal" role="status" title={isQueued ? 'Queued' : 'Done'}>
      {isQueued ? (
        <Link to="/jobs/$jobId" params={{ jobId: String(row.id) }}>
          Follow it
        </Link>
      ) : (
        reply !== null && <ValueView value={reply} />
      )}
    </Alert>
  );
}
