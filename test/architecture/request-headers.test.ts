import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** A header that is read by its name, or a request that is taken apart for that. */
const BY_NAME =
  /request\.headers(\[|\??\.)|\} = request\.headers;|\bheaders\b[^}()]*\}: (Request|IncomingMessage)\b/;

it('headers of requests are read by `headerOf`', () => {
  const files = globSync('src/**/*.ts');
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((file) => BY_NAME.test(readFileSync(file, 'utf8')))).toEqual([]);
  const before = 'function bearerToken({ headers }: Request) {';
  expect([BY_NAME.test(before), BY_NAME.test('headers: request.headers,')]).toEqual([true, false]);
});
