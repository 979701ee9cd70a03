/**
 * The time for which a test waits for what must happen. Only a hang takes so long: on a machine that does other work, a process may need
 * a minute to start.
 */
export const patienceMs = 300_000;

/** The options of `vi.waitUntil` and `vi.waitFor`, whose default is one second. */
export const patience = { timeout: patienceMs, interval: 10 };
