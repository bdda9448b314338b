import { resolve, type Schema, type Schemas } from '../openapi/schema.js';
import { html, inline, table, type Markup } from './markup.js';

/** A table of an object's fields, with those of nested objects as `card.brand`. */
export function fieldTable(schema: Schema, schemas: Schemas, mark: 'required' | 'none'): Markup {
  return table(['Field', 'Type', 'Meaning'], fieldRows(schema, schemas, mark));
}

function fieldRows(schema: Schema, schemas: Schemas, mark: 'required' | 'none', prefix = ''): Markup[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const whole = resolve(property, schemas);
    const isRequired = mark === 'required' && schema.required?.includes(name) === true;
    const row = html`<tr>
      <td><code>${prefix}${name}</code>${isRequired ? html` <em>required</em>` : ''}</td>
      <td>${typeOf(whole)}</td>
      <td>${inline(meaningOf(whole))}</td>
    </tr>`;
    const inner = whole.properties === undefined ? innerOf(whole, schemas) : whole;
    return [row, ...(inner === undefined ? [] : fieldRows(inner, schemas, mark, `${prefix}${name}.`))];
  });
}

function innerOf(schema: Schema, schemas: Schemas): Schema | undefined {
  const form = schema.anyOf?.map((each) => resolve(each, schemas)).find((each) => each.properties);
  return form ?? (schema.items === undefined ? undefined : resolve(schema.items, schemas));
}

/** For example `text or null`, `list of integer`. */
export function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(String).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.$ref !== undefined) return 'object';
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  const types = [schema.type ?? 'any JSON'].flat().map((type) => (type === 'string' ? 'text' : type));
  return types.join(' or ');
}

function meaningOf(schema: Schema): string {
  const { description, minLength = 0, maxLength, maximum, maxItems, contentEncoding } = schema;
  const limits = [
    maxLength === undefined
      ? ''
      : `${minLength > 0 ? `${minLength} to` : 'At most'} ${maxLength} characters.`,
    maximum === undefined ? '' : `At most ${maximum}.`,
    maxItems === undefined ? '' : `At most ${maxItems} entries.`,
    contentEncoding === undefined ? '' : `Encoded as ${contentEncoding}.`,
    schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\` if absent.`,
  ];
  return [description ?? '', ...limits].filter((text) => text !== '').join(' ');
}
