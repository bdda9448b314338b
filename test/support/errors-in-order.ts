import { inject } from 'vitest';

/**
 * The same response with its GraphQL errors in order: PostgreSQL answers statements that are sent together in any order.
 * On SQLite, the response itself.
 */
export function errorsInOrder(response: string): string {
  const start = response.indexOf('{"errors":[');
  if (start === -1 || inject('database') === 'sqlite') return response;
  const { errors, ...others } = JSON.parse(response.slice(start)) as { readonly errors: readonly object[] };
  const texts = errors.map((error) => JSON.stringify(error)).sort();
  return `${response.slice(0, start)}{"errors":[${texts.join()}],${JSON.stringify(others).slice(1)}`;
}
