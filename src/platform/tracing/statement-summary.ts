const SUMMARIZED = 500;
const VERB = /^\s*(?:with\b[^]*?\)\s*(?=select|insert|update|delete))?\s*([a-z]+)/i;
const TABLE = /\b(?:from|into|update)\s+(?:only\s+)?"?([a-z_][a-z0-9_]*)/i;

/** `operation` is `SELECT`, `INSERT` …; `summary` has the first table too: `SELECT devices`. */
export function summaryOf(sql: string): { readonly operation: string; readonly summary: string } {
  const beginning = sql.length > SUMMARIZED ? sql.slice(0, SUMMARIZED) : sql;
  const operation = VERB.exec(beginning)?.[1]?.toUpperCase() ?? 'OTHER';
  const table = TABLE.exec(beginning)?.[1];
  return { operation, summary: table === undefined ? operation : `${operation} ${table}` };
}
