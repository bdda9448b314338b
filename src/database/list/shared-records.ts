/** Converts rows; rows with the same id become the same object, so that a record of many parents exists once. */
export function sharing<R extends object, T>(of: {
  readonly id: string & keyof R;
  readonly recordOf: (row: R) => T;
}): (row: R) => T {
  const records = new Map<unknown, T>();
  return (row) => {
    const record = records.get(row[of.id]) ?? of.recordOf(row);
    records.set(row[of.id], record);
    return record;
  };
}
