import type { CodegenConfig } from '@graphql-codegen/cli';

/** How types of operations are generated, for the tests and for the console. */
export const settings = {
  preset: 'client',
  presetConfig: { gqlTagName: 'graphql', fragmentMasking: false },
  config: {
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

/** Generates types in `test/gql/` for every operation that code passes to `graphql(...)`. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: ['src/**/*.ts', 'test/**/*.ts', '!test/gql/**', '!src/console/**'],
  ignoreNoDocuments: true,
  generates: { 'test/gql/': settings },
};
export default config;
