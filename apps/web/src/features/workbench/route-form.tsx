import { Alert, Button } from '@mantine/core';
import { operationRows } from '@kindred/contracts/operations';
import { routeRow } from '@kindred/contracts/routes';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { z } from 'zod';
import { callRoute, deletedBy, dependentsOf, pathOf } from '../../app/api/call-route.js';
import { ConfirmButton, type DependentsQuestion } from '../../shared/confirm-button.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { addressOfFormer } from './addresses.js';
import type { Act } from './resources.js';
import { checkedValues, fieldsOf, type FormValues } from './schema-fields.js';
import { SchemaForm } from './schema-form.js';
import { ValueView } from './value-view.js';
import styles from './workbench.module.css';

interface Props {
  act: Pick<Act, 'route' | 'label' | 'warning' | 'operation' | 'fields' | 'adds'>;
  params: Record<string, string>;
  /** The row that the act changes. */
  rowId?: string | undefined;
}

/** Returns the parts of the form: the target of its fields, their schema, which checks them, and the fields. */
function partsOf({ route, operation, fields: named, adds }: Props['act']) {
  const { method, path } = pathOf(route);
  const row = routeRow(method, path);
  const from = <Place extends string>(
    place: Place,
    schema: z.ZodType | undefined,
    only: readonly string[] | undefined = named,
  ) => ({ place, schema, fields: fieldsOf(schema).filter(({ name }) => only?.includes(name) ?? true) });
  const payload = operationRows.find(({ name }) => name === operation);
  if (payload !== undefined) return { ...from('payload', payload.payload), queue: payload.queue };
  if (adds !== undefined) return from('params', row?.params, [adds.to]);
  if (row?.upload !== undefined) return from('form', row.upload.form);
  return method === 'GET' || row?.body === undefined ? from('query', row?.query) : from('body', row.body);
}

/** Draws a form from the schema of a route, which also checks the values before anything is sent. */
export function RouteForm({ act, params, rowId }: Props) {
  const { route, label, warning, operation, adds } = act;
  const parts = useMemo(() => partsOf(act), [act]);
  const { fields } = parts;
  const [values, setValues] = useState<FormValues>({});
  const queries = useQueryClient();
  const doomed = deletedBy(route);
  const dependents: DependentsQuestion | undefined = doomed && {
    key: [doomed, params, values],
    ask: async () => dependentsOf(doomed, { params, query: checkedValues(parts.schema, fields, values) }),
  };
  const send = useMutation({
    mutationFn: async () => {
      // The server checks the parts of an upload, because a form has only texts.
      const sent = checkedValues(parts.place === 'form' ? undefined : parts.schema, fields, values);
      switch (parts.place) {
        case 'payload':
          return callRoute(route, { body: { operation, queue_name: parts.queue, payload: sent } });
        case 'params': {
          const chosen = Object.fromEntries(Object.entries(sent).map(([name, id]) => [name, String(id)]));
          return callRoute(route, {
            params: { ...params, ...chosen },
            body: adds === undefined ? {} : { [adds.as]: [rowId] },
          });
        }
        case 'form':
          return callRoute(route, { params, form: formOf(sent) });
        case 'query':
          return callRoute(route, { params, query: sent });
        case 'body':
          return callRoute(route, { params, body: sent });
      }
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
      {send.isSuccess &&
        (adds === undefined ? <Done reply={send.data} /> : <Added page={adds.page} reply={send.data} />)}
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
            dependents={dependents}
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

function formOf(values: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) {
    if (value instanceof File) form.set(name, value);
    else form.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return form;
}

/** Shows the row that got a member, on its own page. */
function Added({ page, reply }: { page: string; reply: unknown }) {
  const { id, name } = reply as { id: string; name: string };
  return (
    <Alert color="teal" role="status" title="Added">
      <Link {...addressOfFormer(page)} search={{ open: id }}>
        Open {name}
      </Link>
    </Alert>
  );
}

/** Shows the result of the request. Queued work has its own page. */
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
