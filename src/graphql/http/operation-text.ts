import type { Request } from 'express';
import { Kind, parse, type OperationDefinitionNode } from 'graphql';
import { Upload as UploadSlot } from 'graphql-upload-minimal';

import type { Upload, UploadedFile } from '../../http/body/multipart.js';
import { readQuery } from '../../http/request.js';
import { isIdempotencyKey } from '../../platform/requests.js';
import { parsedJson } from '../../platform/validate.js';
import type { Admission } from '../limits/admission.js';
import type { Variables } from '../limits/cost.js';
import { LIMITS, operationRefused, type OperationRefused } from '../limits/limits.js';

export type Json = Readonly<Record<string, unknown>>;

export interface OperationText {
  readonly query: string;
  readonly variables: Variables;
  readonly operationName: string | null;
}

/** An operation as JSON: `{ query, variables, operationName }`, or `documentId` for the query. Throws `OperationRefused`. */
export function readOperationText(sent: Json, documents: Pick<Admission, 'documentOf'>): OperationText {
  const { variables, operationName = null, documentId = null } = sent;
  const query = documentId === null || sent.query ? sent.query : documents.documentOf(documentId);
  if (typeof query !== 'string' || query === '')
    throw operationRefused('BAD_REQUEST', '"query" must be a text that is not empty.');
  // PHP writes a map without entries as an empty list, and forms of other clients write empty texts.
  const isNone =
    variables == null || variables === '' || (Array.isArray(variables) && variables.length === 0);
  if (!isNone && !isObjectOrNothing(variables)) throw noObject('variables');
  if (operationName !== null && typeof operationName !== 'string') {
    throw operationRefused(
      'BAD_REQUEST',
      '"operationName" must be the name of an operation in "query", as a text. Leave it out for the only operation.',
    );
  }
  return {
    query,
    variables: isNone ? {} : (variables as Variables),
    operationName: operationName === '' ? null : operationName,
  };
}

/** Body of a POST, or query string of a GET with objects as JSON texts. Throws `OperationRefused`. */
export function sentBy({ method, originalUrl, body }: Request): Json {
  const sent = method === 'GET' ? fromQuery(originalUrl) : (body as Json);
  if (!isObjectOrNothing(sent.extensions)) throw noObject('extensions');
  return sent;
}

function fromQuery(url: string): Json {
  const { variables, extensions, ...sent } = Object.fromEntries(readQuery(url));
  return { ...sent, ...parsed('variables', variables), ...parsed('extensions', extensions) };
}

function parsed(name: string, text: string | undefined): Json {
  if (text === undefined || text === '') return {};
  const value = parsedJson(text);
  if (value === undefined) throw noObject(name);
  return { [name]: value };
}

function noObject(name: string): OperationRefused {
  return operationRefused('BAD_REQUEST', `"${name}" must be a JSON object, for example {"id":"R3JvdXA6MQ"}.`);
}

const isObjectOrNothing = (value: unknown): boolean =>
  value == null || (typeof value === 'object' && !Array.isArray(value));

/** Mutations that run without a caller. */
const SIGN_INS = [
  'signIn',
  'signInByLink',
  'signInByPasskey',
  'passkeyOptions',
  'passwordSetByLink',
  'passwordRequest',
  'emailConfirm',
];

/** True if an operation does nothing but one of these. */
export function onlySignsIn({ selectionSet }: OperationDefinitionNode): boolean {
  const [field, ...more] = selectionSet.selections;
  return field?.kind === Kind.FIELD && more.length === 0 && SIGN_INS.includes(field.name.value);
}

/** True if the body of a request is one operation that only signs in. */
export function isSignIn({ query }: Json): boolean {
  try {
    const { definitions } = parse(String(query), { maxLexicalTokens: LIMITS.tokens });
    const [operation, ...others] = definitions.filter(({ kind }) => kind !== Kind.FRAGMENT_DEFINITION);
    return operation?.kind === Kind.OPERATION_DEFINITION && others.length === 0 && onlySignsIn(operation);
  } catch {
    return false;
  }
}

/** `extensions.idempotencyKey` of an operation over a socket, which has headers in its handshake only. */
export function idempotencyKeyOf({ extensions }: Json): string | null {
  const key = (extensions as Json | null | undefined)?.idempotencyKey;
  if (key == null) return null;
  if (typeof key === 'string' && isIdempotencyKey(key)) return key;
  throw operationRefused(
    'BAD_REQUEST',
    'An idempotencyKey has 1 to 255 printable ASCII characters and no spaces.',
  );
}

/** Files by the value of the variable, and by the coerced value of the argument. */
const files = new WeakMap<object, UploadedFile>();

/** The file of a value of the scalar `Upload`; undefined for other values. */
export function findSentFile(value: unknown): UploadedFile | undefined {
  return typeof value === 'object' && value !== null ? files.get(value) : undefined;
}

/** The operation of a multipart request; its file becomes the variable in `map`. Throws `OperationRefused`. */
export function operationWithFile({ fields, file }: Upload): Json {
  const operation = objectIn(fields, 'operations');
  const path = pathIn(objectIn(fields, 'map'));
  if (file === null) throw malformedUpload('The file that "map" names is missing.');
  setVariable(operation, path, slotOf(file));
  return operation;
}

/** The scalar coerces the slot to its promise. */
function slotOf(file: UploadedFile): UploadSlot {
  const slot = new UploadSlot();
  files.set(slot, file).set(slot.promise, file);
  return slot;
}

function objectIn(fields: Upload['fields'], name: string): Json {
  const text = fields.get(name);
  if (text === undefined) throw malformedUpload(`The field "${name}" is missing.`);
  if (typeof text !== 'string') throw malformedUpload(`The field "${name}" must be given once.`);
  const value = parsedJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformedUpload(`The field "${name}" must hold a JSON object.`);
  }
  return value as Json;
}

const PATH = /^variables(\.([A-Za-z][A-Za-z0-9_]{0,63}|0|[1-9][0-9]{0,3})){1,8}$/;

function pathIn(map: Json): readonly string[] {
  const [paths, ...others] = Object.values(map);
  const [path, ...more] = Array.isArray(paths) ? (paths as unknown[]) : [];
  if (others.length > 0 || more.length > 0) throw malformedUpload('Send one file, for one variable.');
  if (typeof path !== 'string' || !PATH.test(path)) {
    throw malformedUpload(
      'The field "map" must name the variable of the file, for instance "variables.input.file".',
    );
  }
  return path.split('.');
}

/** Own properties only: setting an inherited one would change a prototype. */
function setVariable(operation: Json, path: readonly string[], slot: UploadSlot): void {
  let target: object = operation;
  for (const name of path.slice(0, -1)) {
    const inner = own(target, name);
    if (typeof inner !== 'object' || inner === null) throw noSuchVariable();
    target = inner;
  }
  const last = path.at(-1) ?? '';
  if (own(target, last) !== null) throw noSuchVariable();
  Object.defineProperty(target, last, { value: slot, enumerable: true });
}

function own(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Json)[name] : undefined;
}

function noSuchVariable(): Error {
  return malformedUpload('The variable that "map" names must be present and null.');
}

const malformedUpload = (message: string): Error => operationRefused('BAD_REQUEST', message);
