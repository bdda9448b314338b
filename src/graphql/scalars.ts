import { GraphQLDateTime, GraphQLJSON } from 'graphql-scalars';

/** An instant, RFC 3339. */
export const DateTime = GraphQLDateTime;
export const JsonValue = GraphQLJSON;
