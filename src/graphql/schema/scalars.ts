import { GraphQLScalarType, Kind } from 'graphql';
import { GraphQLDateTime, GraphQLJSON, GraphQLSafeInt, GraphQLUUID } from 'graphql-scalars';
import { GraphQLUpload, Upload as UploadSlot } from 'graphql-upload-minimal';

import { durationText, readDuration } from '../../platform/clock.js';
import { readInstant, TIMESTAMP_EXAMPLE } from '../../platform/timestamps.js';
import { requestError } from './errors.js';

/** A timestamp, read as on every other surface; printed in UTC with milliseconds. */
export const DateTime = new GraphQLScalarType<Date, Date>({
  ...GraphQLDateTime.toConfig(),
  description:
    'A timestamp with `Z` or an offset, for example 2026-03-01T12:00:00Z, 2026-03-01T09:00-0300 or 2026-03-01T12:00:00.250Z. A fraction is cut to milliseconds. Printed in UTC with milliseconds.',
  parseValue: instantFrom,
  parseLiteral: (node) => instantFrom(node.kind === Kind.STRING ? node.value : undefined),
});
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

/** A length of time; its value is in milliseconds. */
export const Duration = new GraphQLScalarType<number, string>({
  name: 'Duration',
  description: 'A length of time in seconds, minutes, hours or days, for example 0s, 30s, 15m, 24h or 7d.',
  serialize: (value) => durationText(Number(value)),
  parseValue: durationFrom,
  parseLiteral: (node) => durationFrom(node.kind === Kind.STRING ? node.value : undefined),
});

/** Bytes as text. The model checks the base64, so that an error becomes an entry of `userErrors`. */
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

function instantFrom(value: unknown): Date {
  const at = typeof value === 'string' ? readInstant(value) : undefined;
  if (at !== undefined) return at;
  throw requestError(`DateTime must be a timestamp such as ${TIMESTAMP_EXAMPLE}, and a time that exists.`);
}

function durationFrom(value: unknown): number {
  const milliseconds = typeof value === 'string' ? readDuration(value) : undefined;
  if (milliseconds !== undefined) return milliseconds;
  throw requestError('Duration must be a length of time such as 30s, 15m, 24h or 7d.');
}

function textOnly(value: unknown): string {
  if (typeof value === 'string') return value;
  throw requestError('Base64 must be a text.');
}
