import * as connection from './connection.js';

/**
 * Code outside `store` gets these handles of the database to pass on to the repositories, and to begin
 * transactions. The repositories see the same objects with their query methods (connection.ts, which only
 * `store` and tests may import); here no method can be called. Each type is assignable to the other, so a
 * handle needs no unwrapping.
 */
export type Queryable = Sealed<connection.Queryable>;
export type Database = Sealed<connection.Database>;
/** A function that takes this, instead of a Queryable, must run inside a transaction. */
export type Transaction = Sealed<connection.Transaction>;

type Sealed<T> = { readonly [Name in keyof T]: SealedMember<T[Name]> };
// A call has no `this` and no arguments that fit; `any` lets the result pass for that of the method behind it.
// oxlint-disable-next-line typescript/no-explicit-any
type SealedMethod = (this: never, ...parameters: never) => any;
type SealedMember<M> = M extends (...parameters: never) => unknown
  ? SealedMethod
  : M extends { query: unknown }
    ? Sealed<M>
    : M;

export { closeDatabase, connectionsInUse, cutConnections, isOverloaded, pingDatabase } from './connection.js';
/**
 * Opens a pool on `url`; no connection is made before the first query. Close the pool with `closeDatabase`.
 */
export const openDatabase: (url: string, maxConnections?: number) => Database = connection.openDatabase;
/** Runs `work` in one transaction: commits when it resolves, rolls back when it throws. */
export const inTransaction: <T>(db: Database, work: (trx: Transaction) => Promise<T>) => Promise<T> =
  connection.inTransaction;
