import type { CodegenConfig } from '@graphql-codegen/cli';

import { settings } from '../codegen.ts';

/** Generates types in `src/console/gql/` for every operation that the console passes to `graphql(...)`. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: ['src/console/**/*.{ts,tsx}', '!src/console/gql/**'],
  ignoreNoDocuments: true,
  generates: { 'src/console/gql/': { ...settings, config: { ...settings.config, documentMode: 'string' } } },
};
export default config;
