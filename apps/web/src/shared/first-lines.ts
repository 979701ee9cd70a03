import { problemOf } from '@kindred/client';

const shown = 6;
const longest = 400;

/** Reads the first lines of a file that the service streams. The rest is not read. */
export async function firstLines(address: string, signal: AbortSignal): Promise<string[]> {
  const response = await fetch(address, { signal, credentials: 'same-origin' });
  if (!response.ok) throw await problemOf(response);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (reader !== undefined && text.split('\n').length <= shown) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
  }
  await reader?.cancel();
  return text
    .split('\n')
    .slice(0, shown)
    .filter((line) => line !== '')
    .map((line) => (line.length > longest ? `${line.slice(0, longest)} …` : line));
}
