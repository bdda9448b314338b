import { readFileSync } from 'node:fs';

import { namingPath } from '../platform/files.js';
import { isObject, parsedJson } from '../platform/validate.js';
import { CommandError, EXIT } from './command-error.js';
import type { CommandIo } from './command-io.js';

/** Address of a server; by default, of this machine. Errors: `CommandError`. */
export function serverUrl({ environment }: CommandIo, given?: string): URL {
  const text = given ?? `http://127.0.0.1:${environment.PORT ?? '4000'}`;
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new CommandError(`--url: ${text} is no http or https URL.`);
}

/** The first line of a file that is not empty, for example a token. Errors: `CommandError`. */
export function firstLine(path: string): string {
  const lines = namingPath(path, () => readFileSync(path, 'utf8')).split('\n');
  const line = lines.map((each) => each.trim()).find((each) => each !== '');
  if (line === undefined) throw new CommandError(`${path} is empty.`);
  return line;
}

/** Runs GraphQL operations of one field on a server; each resolves to its value. Errors: `CommandError` for any refusal. */
export function connected(io: CommandIo, options: { readonly url?: string; readonly tokenFile: string }) {
  const [url, token] = [serverUrl(io, options.url), firstLine(options.tokenFile)];
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  return async <T>(query: string, variables: object): Promise<T> => {
    const request = { method: 'POST', headers, body: JSON.stringify({ query, variables }) };
    const response = await fetch(new URL('/graphql', url), request).catch(() => {
      throw new CommandError(`${url.origin} cannot be reached.`, EXIT.busy);
    });
    const text = await response.text();
    const body = parsedJson(text);
    const { data = null, errors = [] } = isObject(body) ? body : {};
    const messages = (errors as readonly { readonly message: string }[]).map(({ message }) => message);
    if (messages.length > 0) throw new CommandError(messages.join('\n'));
    if (isObject(data)) return Object.values(data)[0] as T;
    throw new CommandError(`${url.origin} responds with ${response.status}: ${text.slice(0, 300)}`);
  };
}
