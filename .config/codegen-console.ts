import type { CodegenConfig } from '@graphql-codegen/cli';

import { ofConsole } from '../codegen.ts';

/** Generates the types of the console's operations only, for its build. */
const config: CodegenConfig = { schema: 'schema.graphql', ignoreNoDocuments: true, generates: ofConsole };
export default config;
