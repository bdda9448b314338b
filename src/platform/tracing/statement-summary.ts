const SUMMARIZED = 500;
const VERB = /^\s*(?:with\b[^]*?\)\s*(?=select|insert|update|delete))?\s*([a-z]+)/i;
const TABLE = /\b(?:from|into|update)\s+(?:only\s+)?"?([a-z_][a-z0-9_]*)/i;

/** `operation` is `SELECT`, `INSERT` …; `summary` also has the first table: `SELECT devices`. */
export function summaryOf(sql: string): { readonly operation: string; readonly summary: string } {
  const beginning = sql.length > SUMMARIZED ? sql.slice(0, SUMMARIZED) : sql;
  const verb = VERB.exec(beginning);
  const operation = verb?.[1]?.toUpperCase() ?? 'OTHER';
  // An INSERT may begin with a CTE on another table that draws the id of the row.
  const isInsert = operation === 'INSERT' && verb !== null;
  const table = TABLE.exec(isInsert ? beginning.slice(verb[0].length) : beginning)?.[1];
  return { operation, summary: table === undefined ? operation : `${operation} ${table}` };
}
