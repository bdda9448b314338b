import { isObjectType, type GraphQLSchema } from 'graphql';
import { Extensions } from 'type-graphql';

import type { GraphqlContext } from '../execution/context.js';

/** Resolves a field of `source` from its coerced arguments. */
export type ResolveArguments<Source = unknown, Arguments = Readonly<Record<string, unknown>>> = (
  source: Source,
  args: Arguments,
  ctx: GraphqlContext,
) => unknown;

/**
 * Declares that a field takes its arguments as graphql-js coerced them. type-graphql would first make
 * instances of its classes of all input objects, again for each source: 30 µs for each payment, 8 µs for each
 * comparison of a filter.
 */
export const resolvesArguments = <Source, Arguments>(
  resolve: ResolveArguments<Source, Arguments>,
): ReturnType<typeof Extensions> => Extensions({ resolvesArguments: resolve });

/** Replaces the resolvers of type-graphql by these resolvers. */
export function resolveByArguments(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const resolve = field.extensions.resolvesArguments as ResolveArguments | undefined;
      if (resolve !== undefined)
        field.resolve = (source, args: Readonly<Record<string, unknown>>, ctx: GraphqlContext) =>
          resolve(source, args, ctx);
    }
  }
}
