import { GraphQLScalarType, Kind } from 'graphql';
import { GraphQLDateTime, GraphQLJSON, GraphQLSafeInt, GraphQLUUID } from 'graphql-scalars';
import { GraphQLUpload, Upload as UploadSlot } from 'graphql-upload-minimal';

import { requestError } from './errors.js';

/** A timestamp as RFC 3339, for example 2026-11-20T00:00:00Z. */
export const DateTime = GraphQLDateTime;
export const JsonValue = GraphQLJSON;
export const Uuid = GraphQLUUID;
/** A whole number below 2^53, for amounts in cents: `Int` ends at 2^31. */
export const SafeInt = GraphQLSafeInt;
/** A file of a multipart request; `findSentFile` finds its bytes. */
export const Upload = new GraphQLScalarType({
  ...GraphQLUpload.toConfig(),
  description:
    'A file of a multipart request: a variable that is null in `operations`, with the file in a part of its own (GraphQL multipart request specification).',
  parseValue: (value) => {
    if (value instanceof UploadSlot) return value.promise;
    throw notSent();
  },
  parseLiteral: () => {
    throw notSent();
  },
});

/** Bytes as text. The model checks that the text is base64, so that an error becomes an entry of `userErrors`. */
export const Base64 = new GraphQLScalarType<string, string>({
  name: 'Base64',
  description: 'Bytes in base64, with the standard alphabet and padding.',
  serialize: (value) => {
    if (typeof value !== 'string') throw new Error('A Base64 field must resolve to a text');
    return value;
  },
  parseValue: textOnly,
  parseLiteral: (node) => textOnly(node.kind === Kind.STRING ? node.value : undefined),
});

function notSent(): Error {
  return requestError('A file must be a variable and comes as a part of a multipart request.');
}

function textOnly(value: unknown): string {
  if (typeof value === 'string') return value;
  throw requestError('Base64 must be a text.');
}
