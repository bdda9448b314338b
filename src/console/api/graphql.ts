import type { graphql as typed } from '../gql';
import type * as types from '../gql/graphql';

/**
 * The text of an operation, with the types of its variables and its response. One operation with its fragments is one
 * text: `npm run codegen` reads it here, so that pages carry no second copy.
 */
export const graphql = ((text: string) => text) as unknown as typeof typed;

type Generated<Name extends string> = (typeof types)[`${Name}FragmentDoc` & keyof typeof types];
type RowOf<Document> = Document extends types.TypedDocumentString<infer Row, unknown> ? Row : never;

/** The text of a fragment, with what it selects and the name of the type that it is on, `Device`. */
export const fragment = ((text: string) => text) as unknown as <Name extends string, Type extends string>(
  text: `${string}fragment ${Name} on ${Type} {${string}`,
) => types.TypedDocumentString<RowOf<Generated<Name>> & { readonly __typename?: Type }, unknown>;
