import { z } from 'zod';

import type { ReadWork } from '../../database/work.js';
import type { Page, PageRequest } from '../../platform/requests/page.js';
import type { Revised } from '../route.js';
import { camelCase } from './camel-case.js';
import { timestamp } from './timestamps.js';

/** A text that is the body of a response, or a part of it, as it is. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** A record of which nothing but the text of its fields was made. */
export class RecordText extends JsonText implements Revised {
  constructor(
    text: string,
    readonly id: number,
    readonly revision: number,
  ) {
    super(text);
  }
}

/** What a column of a row has for a value of a field: instants as milliseconds, flags as numbers, JSON as its text. */
type ColumnOf<Value> = Value extends boolean
  ? number | boolean
  : Value extends string
    ? string | number
    : Value extends object
      ? string
      : Value;

/** Columns of the same names as fields. */
export type ColumnsOf<F> = { readonly [Name in keyof F]: ColumnOf<F[Name]> };

/** A row that has a column of the same name for each field. */
export type RowOf<F> = ColumnsOf<F> & Revised;

/** Reads rows, and returns what `read` makes of them. */
export interface RowReader<Row> {
  readonly list: <V>(work: ReadWork, page: PageRequest, read: (row: Row) => V) => Promise<Page<V>>;
  /** Errors: `not_found`. */
  readonly get: <V>(work: ReadWork, id: number, read: (row: Row) => V) => Promise<V>;
}

/** The same, with the texts of their fields. */
export interface TextReader {
  readonly list: (work: ReadWork, page: PageRequest) => Promise<Page<RecordText>>;
  readonly get: (work: ReadWork, id: number) => Promise<RecordText>;
}

/**
 * Makes the text of a response from rows in one pass: stored JSON is put into it unread, and there are no `Date`
 * objects. The bytes are those of `JSON.stringify` for the record of the row (`test/rest/row-text.test.ts`).
 */
export function textReader<Row extends Revised>(shape: z.ZodObject, rows: RowReader<Row>): TextReader {
  const textOf = rowWriter(shape);
  const read = (row: Row): RecordText => new RecordText(textOf(row), row.id, row.revision);
  return {
    list: (work, page) => rows.list(work, page, read),
    get: (work, id) => rows.get(work, id, read),
  };
}

type Writer = (value: unknown) => string;

/** The JSON text of a row, with the fields of the shape in their order. `own` are the texts of some columns, null included. */
export function rowWriter(
  shape: z.ZodObject,
  own: Readonly<Record<string, Writer>> = {},
): (row: object) => string {
  const fields = Object.entries(shape.shape).map(([name, schema], index) => ({
    name,
    before: `${index === 0 ? '' : ','}${JSON.stringify(name)}:`,
    write: own[name] ?? orNull(writerOf(name, schema)),
  }));
  return (row) => {
    const values = row as Readonly<Record<string, unknown>>;
    let text = '{';
    for (const { name, before, write } of fields) text += before + write(values[name]);
    return `${text}}`;
  };
}

const orNull =
  (write: Writer): Writer =>
  (value) =>
    value === null ? 'null' : write(value);

function writerOf(name: string, schema: unknown): Writer {
  if (schema instanceof z.ZodNullable) return writerOf(name, schema.unwrap());
  if (schema instanceof z.ZodBoolean) return (value) => (Number(value) === 0 ? 'false' : 'true');
  if (schema instanceof z.ZodNumber) return String;
  if (schema instanceof z.ZodRecord) return String;
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) {
    return (value) => (typeof value === 'number' ? `"${timestamp(value)}"` : quoted(String(value)));
  }
  throw new Error(`No text is made of a column like ${name}`);
}

/**
 * The JSON text of an object that was stored as JSON: its properties have the names of the fields in camel case, and those
 * of objects in it too. Absent ones are left out. The bytes are those of `JSON.stringify` for the fields of the object.
 */
export function objectWriter(shape: z.ZodObject): (stored: object) => string {
  const fields = Object.entries(shape.shape).map(([name, schema]) => ({
    property: camelCase(name),
    before: `${JSON.stringify(name)}:`,
    write: orNull(valueWriter(name, schema)),
  }));
  return (stored) => {
    const values = stored as Readonly<Record<string, unknown>>;
    let text = '';
    for (const { property, before, write } of fields) {
      const value = values[property];
      if (value !== undefined) text += `${text === '' ? '' : ','}${before}${write(value)}`;
    }
    return `{${text}}`;
  };
}

function valueWriter(name: string, schema: unknown): Writer {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    return valueWriter(name, schema.unwrap());
  }
  if (schema instanceof z.ZodObject) return objectWriter(schema) as Writer;
  if (schema instanceof z.ZodRecord) return JSON.stringify;
  return writerOf(name, schema);
}

/** Characters that JSON has as they are. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** The JSON text of a text. */
export function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
