import type { CodegenConfig } from '@graphql-codegen/cli';

import { mutationDocuments } from './.config/console-mutations.ts';

/** How types of operations are generated. */
const settings = {
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

/** Types in `src/console/gql/` for operations that the console passes to `graphql(...)`, and documents of its mutations. */
export const ofConsole = {
  'src/console/gql/': {
    ...settings,
    documents: ['src/console/**/*.{ts,tsx}', '!src/console/gql/**', ...mutationDocuments],
    config: { ...settings.config, documentMode: 'string' },
  },
  'src/console/gql/mutations.ts': { plugins: ['./.config/console-mutations.ts'] },
} as const satisfies CodegenConfig['generates'];

/** Generates them, and types in `test/gql/` for the operations of tests and of the rest of the code. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  ignoreNoDocuments: true,
  generates: {
    'test/gql/': {
      ...settings,
      documents: ['src/**/*.ts', 'test/**/*.ts', '!test/gql/**', '!src/console/**'],
    },
    ...ofConsole,
  },
};
export default config;
