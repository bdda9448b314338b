import { Upload as UploadSlot } from 'graphql-upload-minimal';

import type { SentFile } from '../../resources/file/file.model.js';
import { operationRefused } from '../limits/limits.js';

const received = new WeakMap<object, SentFile>();

/** The file behind a variable, which is here already; undefined for what is no upload. */
export function findSentFile(value: unknown): SentFile | undefined {
  return typeof value === 'object' && value !== null ? received.get(value) : undefined;
}

/** What a multipart request brought: the form's fields, and one file. */
export interface MultipartParts {
  readonly fields: ReadonlyMap<string, string>;
  readonly file: SentFile | null;
}

type Json = Record<string, unknown>;

/**
 * The operation of a multipart request, its file in the place that `map` names (GraphQL multipart request
 * specification, one file): a variable that is null until then. Throws a `Refusal`.
 */
export function operationWithFile({ fields, file }: MultipartParts): Json {
  const operation = objectIn(fields, 'operations');
  const path = pathIn(objectIn(fields, 'map'));
  if (file === null) throw broken('The file that "map" names is missing.');
  place(operation, path, slotOf(file));
  return operation;
}

function slotOf(file: SentFile): UploadSlot {
  const slot = new UploadSlot();
  received.set(slot.promise, file);
  return slot;
}

function objectIn(fields: ReadonlyMap<string, string>, name: string): Json {
  const text = fields.get(name);
  if (text === undefined) throw broken(`The field "${name}" is missing.`);
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw broken(`The field "${name}" must hold a JSON object.`);
  }
  return value as Json;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const PATH = /^variables(\.([A-Za-z][A-Za-z0-9_]{0,63}|0|[1-9][0-9]{0,3})){1,8}$/;

function pathIn(map: Json): readonly string[] {
  const [paths, ...others] = Object.values(map);
  const [path, ...more] = Array.isArray(paths) ? (paths as unknown[]) : [];
  if (others.length > 0 || more.length > 0) throw broken('Send one file, for one variable.');
  if (typeof path !== 'string' || !PATH.test(path)) {
    throw broken('The field "map" must name the variable of the file, for instance "variables.input.file".');
  }
  return path.split('.');
}

/** Own properties only: what an object inherits belongs to the whole process. */
function place(operation: Json, path: readonly string[], slot: UploadSlot): void {
  let at: object = operation;
  for (const name of path.slice(0, -1)) {
    const inner = own(at, name);
    if (typeof inner !== 'object' || inner === null) throw notThere();
    at = inner;
  }
  const last = path.at(-1) ?? '';
  if (own(at, last) !== null) throw notThere();
  Object.defineProperty(at, last, { value: slot, enumerable: true });
}

function own(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Json)[name] : undefined;
}

function notThere(): Error {
  return broken('The variable that "map" names must be there, and null.');
}

function broken(message: string): Error {
  return operationRefused('BAD_REQUEST', message);
}
