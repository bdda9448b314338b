import { z } from 'zod';

import { camelCase } from './camel-case.js';
import { objectWriter } from './row-text.js';

/** A part of the text of an object: a name with its value, or the begin or end of an object in it. */
interface Piece {
  readonly stored: string;
  readonly shown: string;
  /** The pattern of the value; null if there is none. */
  readonly value: string | null;
  readonly isOptional: boolean;
  /** Stands after an optional value that is the first of its object. */
  readonly comma: string;
}

/** Texts without escapes. */
const TEXT = '"[^"\\\\]*"';
const VALUE = `${TEXT}|null|true|false|-?\\d+`;
/** Without objects in it. */
const RECORD = `\\{(?:${TEXT}|[^"{}])*\\}`;

/**
 * Makes the text of a response from the JSON text of an object that was stored, without parsing it: values are copied, and
 * names become those of the shape. A text of another form, for example with escapes or in another order, is parsed and
 * written by `objectWriter`, which makes the same bytes. The last field of a shape is not optional.
 */
export function storedWriter(shape: z.ZodObject): (text: string) => string {
  const write = objectWriter(shape);
  const pieces = piecesOf(shape);
  const form = new RegExp(`^\\{${pieces.map(patternOf).join('')}\\}$`);
  return (text) => {
    const values = form.exec(text);
    if (values === null) return write(JSON.parse(text) as object);
    let shown = '{';
    let index = 0;
    for (const piece of pieces) {
      if (piece.value === null) {
        shown += piece.shown;
        continue;
      }
      index += 1;
      const value = values[index];
      if (value !== undefined) shown += piece.shown + value + piece.comma;
    }
    return `${shown}}`;
  };
}

function patternOf({ stored, value, isOptional, comma }: Piece): string {
  const name = stored.replace(/[{}]/g, '\\$&');
  if (value === null) return name;
  const pattern = `${name}(${value})${comma}`;
  return isOptional ? `(?:${pattern})?` : pattern;
}

/** In the order of the shape. */
function piecesOf(shape: z.ZodObject): Piece[] {
  const mark = (stored: string, shown = stored): Piece => ({
    ...{ stored, shown, value: null, isOptional: false, comma: '' },
  });
  let before = '';
  return Object.entries(shape.shape).flatMap(([name, schema]) => {
    const isOptional = schema instanceof z.ZodOptional;
    const stored = `${before}${JSON.stringify(camelCase(name))}:`;
    const shown = `${before}${JSON.stringify(name)}:`;
    const comma = isOptional && before === '' ? ',' : '';
    before = comma === '' ? ',' : '';
    // An object that is null is one of another form, which `objectWriter` writes.
    const inner: unknown = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
    if (inner instanceof z.ZodObject) {
      return [mark(`${stored}{`, `${shown}{`), ...piecesOf(inner), mark('}')];
    }
    const value = schema instanceof z.ZodRecord ? RECORD : VALUE;
    return [{ stored, shown, value, isOptional, comma }];
  });
}
