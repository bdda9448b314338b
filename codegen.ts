import type { CodegenConfig } from '@graphql-codegen/cli';

import { mutationDocuments } from './.config/console-mutations.ts';

/** Types for operations of the console. */
const types = {
  preset: 'client',
  documents: ['src/console/**/*.{ts,tsx}', '!src/console/gql/**', ...mutationDocuments],
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

/** Generates types for the operations that the console passes to `graphql(...)`, and documents of its mutations. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  ignoreNoDocuments: true,
  generates: {
    'src/console/gql/': types,
    'src/console/gql/mutations.ts': { plugins: ['./.config/console-mutations.ts'] },
  },
};
export default config;
