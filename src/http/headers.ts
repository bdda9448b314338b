import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/**
 * The value of a request's header; `name` in lower case. Each order in which clients send their headers gives `headers` another
 * hidden class. V8 compiles code that names a property for the classes seen so far, and again at the next one; with
 * the name as a parameter it looks the property up, whatever the class.
 */
export function headerOf<Name extends Lowercase<string>>(
  { headers }: Pick<IncomingMessage, 'headers'>,
  name: Name,
): IncomingHttpHeaders[Name] {
  return headers[name];
}
