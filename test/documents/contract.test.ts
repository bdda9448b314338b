import { describe, expect, it } from 'vitest';

import { PROBLEM_CODES } from '../../src/http/problem.js';
import { snakeCase } from '../../src/platform/validate.js';
import { DOCUMENT, ROUTES } from '../support/openapi-check.js';
import { firstCells, numberedSections, readDocument, tableRows } from './markdown.js';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}

const CONTRACT = readDocument('src/rest/CONTRACT.md');
const SECTIONS = numberedSections(CONTRACT);
const schemas = DOCUMENT.components.schemas as Readonly<Record<string, Schema>>;

const sectionOf = (number: number): string => SECTIONS.get(number) ?? '';

/** `METHOD /v1/path` of each call in a text. */
function callsIn(text: string): string[] {
  return tableRows(text, 'Method').map(([method = '', path = '']) => `${method} ${path.replaceAll('`', '')}`);
}

const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} /v1${path}`;

/** Names of fields in order; those of an object within it as `card.brand`. */
function fieldsOf(schema: Schema = {}): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    field.properties === undefined ? [name] : fieldsOf(field).map((inner) => `${name}.${inner}`),
  );
}

/** The response fields that a section documents, the audit fields written out. */
function documentedFields(section: string): string[] {
  const audited = tableRows(section, 'Response field').some(([cell]) => cell === 'audit fields');
  const audit = audited ? firstCells(sectionOf(33), 'Response field') : [];
  return [...firstCells(section, 'Response field'), ...audit];
}

describe('src/rest/CONTRACT.md', () => {
  it('numbers its sections from 1 without a gap', () => {
    const numbers = [...SECTIONS.keys()];
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  it('has every call of /v1 once, and no others', () => {
    expect(callsIn(CONTRACT).toSorted()).toEqual(ROUTES.map(nameOf).toSorted());
  });

  it.each([
    [10, 'Error'],
    [13, 'Pagination'],
  ])('section %i has the fields of %s', (number, schema) => {
    const documented = [...sectionOf(number).matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name);
    expect(documented).toEqual(fieldsOf(schemas[schema]));
  });

  it.each([
    [16, 'Parameter', []],
    [16, 'Metacontent', ['description']],
    [17, 'Device', []],
    [18, 'LogicalNumber', []],
    [19, 'Group', []],
    [20, 'App', []],
    [21, 'AppVersion', []],
    [23, 'StoredFile', []],
    [25, 'CompanyToken', []],
    [26, 'PushNotification', []],
    [27, 'Transaction', []],
    [34, 'User', []],
    [35, 'ParsedPayment', []],
  ])('section %i has the response fields of %s in their order', (number, schema, without: string[]) => {
    const documented = documentedFields(sectionOf(number)).filter((field) => !without.includes(field));
    expect(documented).toEqual(fieldsOf(schemas[schema]));
  });

  it.each([...SECTIONS].filter(([, section]) => callsIn(section).length > 0))(
    'section %i has the request fields and query parameters of its calls',
    (_number, section) => {
      const routes = ROUTES.filter((route) => callsIn(section).includes(nameOf(route)));
      const sent = routes.flatMap(({ body, parameters = [] }) => [
        ...Object.keys(body?.shape ?? {}).map(snakeCase),
        ...parameters.map(({ name }) => name),
      ]);
      const documented = ['Request field', 'Part or field', 'Query parameter'].flatMap((heading) =>
        firstCells(section, heading),
      );
      expect([...new Set(documented)].toSorted()).toEqual([...new Set(sent)].toSorted());
    },
  );

  it('has every error code', () => {
    const codes = tableRows(sectionOf(10), 'Status').flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
    expect(new Set(codes)).toEqual(new Set(PROBLEM_CODES));
  });
});
