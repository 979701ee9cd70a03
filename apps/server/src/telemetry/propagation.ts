import { context, propagation } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { requestIdPropagator } from './request-id.js';

/** The propagator follows the W3C Trace Context (https://www.w3.org/TR/trace-context/). */
export const traceContext = new W3CTraceContextPropagator();

/**
 * Installs W3C Trace Context without the SDK. A trace that a caller began travels with requests and messages
 * even when this process records no spans, and so does the id of the request. If the SDK is on, it uses the
 * same parts.
 */
export function installPropagation(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const propagators = [traceContext, requestIdPropagator];
  propagation.setGlobalPropagator(new CompositePropagator({ propagators }));
}

/** Removes the propagation, for tests and before another setup. */
export function removePropagation(): void {
  context.disable();
  propagation.disable();
}
