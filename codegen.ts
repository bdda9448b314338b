import type { CodegenConfig } from '@graphql-codegen/cli';

import { mutationDocuments } from './.config/console-schema.ts';

/** Types for operations of the console. */
const types = {
  preset: 'client',
  presetConfig: { gqlTagName: 'graphql', fragmentMasking: false },
  config: {
    documentMode: 'string',
    importExtension: '.js',
    useTypeImports: true,
    enumsAsTypes: true,
    strictScalars: true,
    scalars: {
      ID: 'string',
      DateTime: 'string',
      Duration: 'string',
      JSON: 'unknown',
      SafeInt: 'number',
      Base64: 'string',
      UUID: 'string',
      Upload: 'unknown',
    },
  },
} as const satisfies CodegenConfig['generates'][string];

/** Generates types for the operations that the console passes to `graphql(...)`, and what it needs of the schema. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: ['src/console/**/*.{ts,tsx}', '!src/console/gql/**', ...mutationDocuments],
  pluckConfig: { globalGqlIdentifierName: ['graphql', 'fragment'] },
  ignoreNoDocuments: true,
  generates: {
    'src/console/gql/': types,
    'src/console/gql/schema.ts': { plugins: ['./.config/console-schema.ts'] },
  },
};
export default config;
