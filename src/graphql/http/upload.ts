import { Upload as UploadSlot } from 'graphql-upload-minimal';

import type { Upload, UploadedFile } from '../../http/body/multipart.js';
import { parsedJson } from '../../platform/encoding/json.js';
import { operationRefused } from '../limits/limits.js';

/** Files by the value of the variable, and by the coerced value of the argument. */
const files = new WeakMap<object, UploadedFile>();

/** The file of a value of the scalar `Upload`; undefined for other values. */
export function findSentFile(value: unknown): UploadedFile | undefined {
  return typeof value === 'object' && value !== null ? files.get(value) : undefined;
}

type Json = Record<string, unknown>;

/**
 * The operation of a multipart request (GraphQL multipart request specification, one file): the variable that
 * `map` names, null in the request, becomes the file. Throws `OperationRefused`.
 */
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

function malformedUpload(message: string): Error {
  return operationRefused('BAD_REQUEST', message);
}
