import { GraphQLScalarType, Kind } from 'graphql';
import { GraphQLDateTime, GraphQLJSON, GraphQLSafeInt, GraphQLUUID } from 'graphql-scalars';
import { GraphQLUpload, Upload as UploadSlot } from 'graphql-upload-minimal';

import { requestError } from './errors.js';

/** An instant, RFC 3339. */
export const DateTime = GraphQLDateTime;
export const JsonValue = GraphQLJSON;
export const Uuid = GraphQLUUID;
/** A whole number that a double holds exactly, for amounts: `Int` ends at 2^31. */
export const SafeInt = GraphQLSafeInt;
/** A file of a multipart request; what is behind it is found with `findSentFile`. */
export const Upload = new GraphQLScalarType({
  ...GraphQLUpload.toConfig(),
  description: 'A file: null in the operation, and sent beside it (GraphQL multipart request specification).',
  parseValue: (value) => {
    if (value instanceof UploadSlot) return value.promise;
    throw notSent();
  },
  parseLiteral: () => {
    throw notSent();
  },
});

/** Bytes as text. Whether a text is base64 at all is for the model to say, as a `userErrors` entry of its field. */
export const Base64 = new GraphQLScalarType<string, string>({
  name: 'Base64',
  description: 'Bytes in base64: standard alphabet, padded.',
  serialize: (value) => {
    if (typeof value !== 'string') throw new Error('Base64 is answered as a text');
    return value;
  },
  parseValue: textOnly,
  parseLiteral: (node) => textOnly(node.kind === Kind.STRING ? node.value : undefined),
});

function notSent(): Error {
  return requestError('A file is a variable and comes as a part of a multipart request.');
}

function textOnly(value: unknown): string {
  if (typeof value === 'string') return value;
  throw requestError('Base64 is sent as a text.');
}
