/**
 * The pool of a database that the store opened. The store's types keep it from callers, since SQL belongs there; benchmarks also measure it.
 * @param {import('@kindred/server/store/postgres/db').Database} db
 * @returns {import('pg').Pool}
 */
export const poolOf = (db) => /** @type {any} */ (db).pool;
