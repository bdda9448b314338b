import type { graphql as typed } from '../gql';

/**
 * The text of an operation, with the types of its variables and its response. One operation with its fragments is one
 * text: `npm run codegen` reads it here, so that pages carry no second copy.
 */
export const graphql = ((text: string) => text) as unknown as typeof typed;
