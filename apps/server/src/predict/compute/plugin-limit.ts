/** One call of a plugin that sets no limit may take this long; our plugins take about a second. */
export const defaultLimitSeconds = 600;
