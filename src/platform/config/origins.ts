const FORM = /^https?:\/\/[^\s/?#@*]+$/i;

/**
 * A comma-separated list of origins, as browsers send them: `https://dash.example, http://localhost:5173`.
 * Errors: an `Error` that quotes the first entry that is no origin.
 */
export function parseOrigins(value: string): readonly string[] {
  if (value === '') return [];
  return value.split(',').map((entry) => originOf(entry.trim()));
}

/** The origin as browsers spell it: in lower case, without the default port of the scheme. */
function originOf(entry: string): string {
  if (!FORM.test(entry) || !URL.canParse(entry)) {
    throw new Error(
      `"${entry}" is not an origin: write https://host or https://host:port, without a path, a slash at the end or *`,
    );
  }
  return new URL(entry).origin;
}
