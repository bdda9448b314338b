/** One record for all rows with the same id: what many parents share is made once, and can be answered once. */
export function sharing<R extends object, T>(of: {
  readonly id: string & keyof R;
  readonly recordOf: (row: R) => T;
}): (row: R) => T {
  const made = new Map<unknown, T>();
  return (row) => {
    const record = made.get(row[of.id]) ?? of.recordOf(row);
    made.set(row[of.id], record);
    return record;
  };
}
