#!/usr/bin/env node
import { constants } from 'node:os';

// The first process of a container gets no signal that it does not handle, not even while it starts, so handlers are set first.
if (process.pid === 1)
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(name, () => {
      if (process.listenerCount(name) === 1) process.exit(128 + constants.signals[name]);
    });
await import('../dist/main.js');
