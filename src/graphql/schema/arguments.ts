import type { GraphQLSchema } from 'graphql';
import { Extensions } from 'type-graphql';

import type { GraphqlContext } from '../execution/context.js';

/** Resolves a mutation from its coerced arguments. */
export type ResolveArguments = (
  args: Readonly<Record<string, unknown>>,
  ctx: GraphqlContext,
) => Promise<object>;

/**
 * Declares that a mutation takes its arguments as graphql-js coerced them. type-graphql would first make instances of
 * its classes of all input objects, in one go: 30 µs for each payment.
 */
export const resolvesArguments = (resolve: ResolveArguments): ReturnType<typeof Extensions> =>
  Extensions({ resolvesArguments: resolve });

/** Puts these resolvers in the place of type-graphql's. */
export function resolveByArguments(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const resolve = field.extensions.resolvesArguments as ResolveArguments | undefined;
    if (resolve === undefined) continue;
    field.resolve = (_source, args: Readonly<Record<string, unknown>>, ctx: GraphqlContext) =>
      resolve(args, ctx);
  }
}
