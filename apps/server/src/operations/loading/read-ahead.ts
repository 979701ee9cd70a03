/** Gives what `source` gives, and reads the next item while the last one is worked on. */
export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  const read = () => {
    const next = iterator.next();
    // A failure is thrown where it is awaited; until then it must not end the process.
    next.catch(() => {});
    return next;
  };
  let next = read();
  try {
    for (let item = await next; item.done !== true; item = await next) {
      next = read();
      yield item.value;
    }
  } finally {
    await next.catch(() => {});
    await iterator.return?.();
  }
}
