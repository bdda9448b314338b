import 'reflect-metadata';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { readFileSync } from 'node:fs';
import { format, type Options } from 'prettier';

import { createSchema } from '../src/app/schema.js';

/** The text of `schema.graphql`: types and fields sorted by name, so that a diff shows only what changed. */
export async function printedSchema(): Promise<string> {
  const style = JSON.parse(readFileSync(new URL('prettier.json', import.meta.url), 'utf8')) as Options;
  const text = printSchema(lexicographicSortSchema(await createSchema()));
  return await format(text, { ...style, parser: 'graphql' });
}
