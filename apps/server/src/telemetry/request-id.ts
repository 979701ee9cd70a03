import { randomUUID } from 'node:crypto';
import { requestId, requestIdHeader } from '@kindred/contracts';
import {
  type Context,
  context,
  createContextKey,
  type TextMapGetter,
  type TextMapPropagator,
  type TextMapSetter,
} from '@opentelemetry/api';

/** Spans have the id of the request in this attribute. */
export const requestIdAttribute = 'kindred.request_id';

const key = createContextKey('id of the request that this work belongs to');

/** Gives the caller's id if it is short and harmless; otherwise a new one. */
export function requestIdOf(headers: Record<string, unknown>): string {
  return callersId(headers[requestIdHeader]) ?? randomUUID();
}

function callersId(value: unknown): string | null {
  if (value === undefined) return null;
  return requestId.safeParse(value).data ?? null;
}

/** Makes a context in which work belongs to the request; null means to none. */
export function inRequest(parent: Context, id: string | null): Context {
  return id === null ? parent.deleteValue(key) : parent.setValue(key, id);
}

/** Gives the id of the request that the running code works for; null if no request asked for the work. */
export function currentRequestId(from: Context = context.active()): string | null {
  return (from.getValue(key) as string | undefined) ?? null;
}

/** Runs `work` for the request that sent a message with these headers; for none if they name none. */
export function forRequestOf<T>(headers: Readonly<Record<string, string>>, work: () => T): T {
  return context.with(inRequest(context.active(), callersId(headers[requestIdHeader])), work);
}

/** The propagator carries the id with the messages that the work sends. */
export const requestIdPropagator: TextMapPropagator = {
  fields: () => [requestIdHeader],
  inject(from: Context, carrier: unknown, setter: TextMapSetter) {
    const id = currentRequestId(from);
    if (id !== null) setter.set(carrier, requestIdHeader, id);
  },
  extract(into: Context, carrier: unknown, getter: TextMapGetter) {
    const id = callersId(getter.get(carrier, requestIdHeader));
    return id === null ? into : inRequest(into, id);
  },
};
