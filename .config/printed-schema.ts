/** Prints the GraphQL schema, for the script that writes schema.graphql and the test that compares it. */
import { lexicographicSortSchema, printSchema } from 'graphql';

import { createSchema } from '../src/app/graphql/schema.js';
import { formatted } from './formatted.js';

/** The text of `schema.graphql`: types and fields sorted by name, so that a diff shows only what changed. */
export async function printedSchema(): Promise<string> {
  return await formatted('schema.graphql', printSchema(lexicographicSortSchema(await createSchema())));
}
