import { defaultFieldResolver, type GraphQLSchema } from 'graphql';

import { GraphqlContext } from './context.js';

/** Lets each change know which mutation asks for it, and with which arguments. */
export function tellMutations(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const resolve = field.resolve ?? defaultFieldResolver;
    field.resolve = (root: unknown, args: Record<string, unknown>, context: unknown, info) => {
      if (!(context instanceof GraphqlContext)) throw new Error('A mutation without a context');
      const call = { field: info.fieldName, alias: String(info.path.key), args };
      return resolve(root, args, context.during(call), info);
    };
  }
}
