import { CompiledQuery, type DialectAdapter, type QueryExecutorProvider } from 'kysely';

/** SQL texts by shape, for each database. */
const texts = new WeakMap<DialectAdapter, Map<string, string>>();

/**
 * Runs a query whose SQL text is the same for every call with this `shape`: it is compiled by the first call, since
 * building and compiling a query takes longer than SQLite needs for a row by its id. `parameters` are the values that
 * the text binds, in its order.
 */
export async function runCached<R>(
  db: QueryExecutorProvider,
  shape: string,
  parameters: readonly unknown[],
  build: () => { compile(db: QueryExecutorProvider): CompiledQuery },
): Promise<R[]> {
  const executor = db.getExecutor();
  const known = texts.get(executor.adapter) ?? new Map<string, string>();
  texts.set(executor.adapter, known);
  let text = known.get(shape);
  if (text === undefined) {
    const compiled = build().compile(db);
    if (compiled.parameters.length !== parameters.length)
      throw new Error(`Wrong parameters for: ${compiled.sql}`);
    text = compiled.sql;
    known.set(shape, text);
  }
  return (await executor.executeQuery<R>(CompiledQuery.raw(text, [...parameters]))).rows;
}
