// This file has no import, since the web client has it.

/**
 * Writes the names of all embedding configurations that a prediction set was made with, the main one first; null if it compared no
 * vectors.
 */
export function embeddingText({
  embedding_config_name: main,
  more_embedding_configs: more,
}: {
  embedding_config_name: string | null;
  more_embedding_configs: readonly { name: string }[];
}): string | null {
  return main === null ? null : [main, ...more.map(({ name }) => name)].join(' and ');
}
