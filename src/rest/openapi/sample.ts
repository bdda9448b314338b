import { resolve, type Schema, type Schemas } from './schema.js';

/** Example values by field name. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  serial_number: '5A-00012345',
  number: '112233',
  logical_number: '112233',
  logical_numbers: '112233,112234',
  name: 'AREA 51',
  group_name: 'AREA 51',
  key: 'currency',
  value: 'BRL',
  description: 'What it is for',
  content: 'SHOW_MESSAGE|Closing at 18:00',
  bytecode: 'UE9TWE1M',
  crc: '31C3',
  email: 'ana@example.com',
  password: 'a long pass phrase',
  company_name: 'Acme Pagamentos',
  api_token: '0123456789abcdef0123456789abcdef01234567',
  uuid: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  time_zone: 'America/Sao_Paulo',
  app_name: 'payments.posxml',
  authorizer_url: 'https://authorizer.example.com',
  pos_display_label: 'Payments',
  framework_version: '7.2.0',
  expiration_date: '0729',
  first_digits: '516292',
  last_digits: '0008',
  last_sign_in_ip: '203.0.113.7',
  message: 'The notification was received and queued for processing.',
  total_pages: 1,
  entries: 1,
  total_entries: 1,
};

/** An example value of a schema. */
export function sampleOf(schema: Schema, components: Schemas, name = ''): unknown {
  if (schema.$ref !== undefined) return sampleOf(resolve(schema, components), components, name);
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf?.[0] !== undefined) return sampleOf(schema.anyOf[0], components, name);
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  if (type === 'object') return sampleObject(schema, components);
  if (type === 'array') return schema.items === undefined ? [] : [sampleOf(schema.items, components)];
  if (name in BY_NAME) return BY_NAME[name];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return 1;
  return 'text';
}

function sampleObject({ properties = {} }: Schema, components: Schemas): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, sampleOf(property, components, name)]),
  );
}

/** An example body: its required fields, or its first field if none is required. */
export function sampleBody({ properties = {}, required = [] }: Schema): object {
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
  return Object.fromEntries(names.map((name) => [name, sampleOf(properties[name] ?? {}, {}, name)]));
}
