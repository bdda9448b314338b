import type { CodegenConfig } from '@graphql-codegen/cli';

/** Generates types in `test/gql/` for every operation that code passes to `graphql(...)`. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: ['src/**/*.ts', 'test/**/*.ts', '!test/gql/**'],
  ignoreNoDocuments: true,
  generates: {
    'test/gql/': {
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
          JSON: 'unknown',
          SafeInt: 'number',
          Base64: 'string',
          UUID: 'string',
          Upload: 'unknown',
        },
      },
    },
  },
};
export default config;
