const SUMMARIZED = 500;
const VERB = /^\s*(?:with\b[^]*?\)\s*(?=select|insert|update|delete))?\s*([a-z]+)/i;
const TABLE = /\b(?:from|into|update)\s+(?:only\s+)?"?([a-z_][a-z0-9_]*)/i;

/** `operation` is `SELECT`, `INSERT` …; `summary` has the first table too: `SELECT devices`. */
export function summaryOf(sql: string): { readonly operation: string; readonly summary: string } {
  const beginning = sql.length > SUMMARIZED ? sql.slice(0, SUMMARIZED) : sql;
  const verb = VERB.exec(beginning);
  const operation = verb?.[1]?.toUpperCase() ?? 'OTHER';
  // A row may be inserted together with the drawing of its id, which comes first.
  const isInsert = operation === 'INSERT' && verb !== null;
  const table = TABLE.exec(isInsert ? beginning.slice(verb[0].length) : beginning)?.[1];
  return { operation, summary: table === undefined ? operation : `${operation} ${table}` };
}
