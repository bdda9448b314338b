/** The value that a text writes in JSON; a text that is not JSON is the value itself. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
