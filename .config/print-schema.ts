import 'reflect-metadata';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { readFileSync, writeFileSync } from 'node:fs';
import { format, type Options } from 'prettier';

import { createSchema } from '../src/app/schema.js';

// Writes schema.graphql. Types and fields are sorted, so that moving code does not change the file.
const style = JSON.parse(readFileSync(new URL('prettier.json', import.meta.url), 'utf8')) as Options;
const text = printSchema(lexicographicSortSchema(await createSchema()));
writeFileSync(
  new URL('../schema.graphql', import.meta.url),
  await format(text, { ...style, parser: 'graphql' }),
);
