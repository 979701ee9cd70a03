import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type ContextManager,
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type TextMapGetter,
  type TextMapPropagator,
  type TextMapSetter,
  TraceFlags,
  trace,
} from '@opentelemetry/api';

/**
 * W3C Trace Context over the OpenTelemetry API alone: a trace that a caller began travels with requests and messages even when this process
 * records no spans. The SDK, where it is on, uses the same two parts.
 */
export function installPropagation(): void {
  context.setGlobalContextManager(new LocalStorageContexts().enable());
  propagation.setGlobalPropagator(new TraceParent());
}

/** For tests, and before another set-up. */
export function removePropagation(): void {
  context.disable();
  propagation.disable();
}

const traceParent = 'traceparent';
const traceState = 'tracestate';
const version00 = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** https://www.w3.org/TR/trace-context/ : version-traceid-parentid-flags. */
export class TraceParent implements TextMapPropagator {
  inject(active: Context, carrier: unknown, setter: TextMapSetter): void {
    const span = trace.getSpanContext(active);
    if (span === undefined || !isSpanContextValid(span)) return;
    const flags = (span.traceFlags & 0xff).toString(16).padStart(2, '0');
    setter.set(carrier, traceParent, `00-${span.traceId}-${span.spanId}-${flags}`);
    const state = span.traceState?.serialize();
    if (state) setter.set(carrier, traceState, state);
  }

  extract(active: Context, carrier: unknown, getter: TextMapGetter): Context {
    const given = getter.get(carrier, traceParent);
    const match = version00.exec(String(Array.isArray(given) ? given[0] : given).trim());
    if (match === null) return active;
    const [, version, traceId, spanId, flags, more] = match;
    // ff is forbidden; version 00 has nothing behind the flags; later versions may.
    if (version === 'ff' || (version === '00' && more !== undefined)) return active;
    const span = {
      traceId,
      spanId,
      traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
      isRemote: true,
    };
    return isSpanContextValid(span) ? trace.setSpanContext(active, span) : active;
  }

  fields(): string[] {
    return [traceParent, traceState];
  }
}

class LocalStorageContexts implements ContextManager {
  private readonly storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.storage.getStore() ?? ROOT_CONTEXT;
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    active: Context,
    work: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.storage.run(active, () => work.apply(self, args));
  }

  bind<T>(active: Context, target: T): T {
    if (typeof target !== 'function') return target;
    const storage = this.storage;
    return function bound(this: unknown, ...args: unknown[]) {
      return storage.run(active, () => target.apply(this, args));
    } as T;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    this.storage.disable();
    return this;
  }
}
