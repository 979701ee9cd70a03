/** Yields the items of `source`, and reads the next item while the caller works on the last one. */
export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  const read = () => {
    const next = iterator.next();
    // The empty handler avoids an unhandledRejection; the error surfaces at the await.
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
