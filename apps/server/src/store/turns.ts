/** Gives the event loop a turn: other requests and heartbeats come in between. */
export function letOthersRun(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Items of a long list that a single statement or turn takes. */
export const itemsPerTurn = 5000;
