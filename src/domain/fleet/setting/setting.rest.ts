import { z } from 'zod';

import { DomainError } from '../../../platform/errors.js';
import { normalized } from '../../../platform/validate.js';
import {
  type Call,
  type ReadWork,
  type RecordFields,
  resourceRoutes,
  auditShape,
  fieldsOf,
} from '../../../rest/index.js';
import { parameters } from './parameter.service.js';
import {
  type OwnedRecord,
  type Owner,
  OwnerSelector,
  type Metacontent,
  type Parameter,
} from './setting.model.js';
import { getOwner, type OwnedRecords, metacontents } from './setting.service.js';

const ownerShape = {
  group_id: z.int().nullable().describe('Group that owns the record.'),
  logical_number_id: z.int().nullable().describe('Logical number that owns the record.'),
};

/** The five routes of a resource whose records belong to a logical number or a group (contract 2 and 16). */
function ownedRoutes<R extends OwnedRecord>(records: OwnedRecords<R>, fields: RecordFields<R>) {
  const { name, models } = records;
  const placeholder = `${name}_id`;
  const ofGroup = `group_${name}`;
  const ofLogicalNumber = `logical_number_${name}`;
  return resourceRoutes<R>({
    path: `/${name}s`,
    name: {
      names: [ofLogicalNumber, ofGroup],
      of: ({ groupId }) => (groupId === null ? ofLogicalNumber : ofGroup),
    },
    ownerSelector: OwnerSelector,
    key: {
      placeholder,
      find: async (work, call) => records.get(work, await ownerOf(work, call), call.id(placeholder, name)),
    },
    fields,
    list: {
      summary: `List the ${name}s of an owner`,
      isLarge: true,
      handle: async (work, page, call) => records.list(work, await ownerOf(work, call), page),
    },
    read: { summary: `Read a ${name}` },
    create: {
      summary: `Create a ${name}`,
      body: models.create,
      handle: async (work, input, call) => records.create(work, await ownerOf(work, call), input),
    },
    update: {
      summary: `Change a ${name}`,
      body: models.update,
      handle: (work, record, input) => records.update(work, record, input),
    },
    delete: { summary: `Delete a ${name}`, handle: (work, record) => records.delete(work, record) },
  });
}

const SELECTOR_FIELDS = Object.keys(OwnerSelector.shape);

/** Owner in the body, or else in the query (contract 2). Errors: `malformed` if they differ, and those of `getOwner`. */
async function ownerOf(work: ReadWork, call: Call): Promise<Owner> {
  const inBody = selectorIn((field) => call.ownerInput[field]);
  const inQuery = selectorIn((field) => call.query.get(field));
  if (Object.keys(inBody).length === 0) return await getOwner(work, inQuery);
  for (const [field, value] of Object.entries(inQuery)) {
    if (inBody[field] === value) continue;
    const message = `The body and the query differ in "${field}": send the owner in one of them.`;
    throw new DomainError('malformed', message);
  }
  return await getOwner(work, inBody);
}

function selectorIn(read: (field: string) => unknown): Readonly<Record<string, unknown>> {
  const entries = SELECTOR_FIELDS.map((field) => {
    const value = read(field);
    return [field, typeof value === 'string' ? normalized(value) : value] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null));
}

const MetacontentShape = z
  .strictObject({
    id: z.int(),
    key: z.string(),
    value: z.unknown().describe('Any JSON.'),
    ...ownerShape,
    ...auditShape,
  })
  .meta({ id: 'Metacontent', description: 'A JSON value that terminals read by its key.' });

/** /v1/metacontents (contract 16). */
export const metacontentRoutes = ownedRoutes(metacontents, fieldsOf(MetacontentShape).from<Metacontent>({}));

const ParameterShape = z
  .strictObject({
    id: z.int(),
    key: z.string(),
    value: z.string(),
    description: z.string().nullable(),
    ...ownerShape,
    ...auditShape,
  })
  .meta({ id: 'Parameter', description: 'A text that terminals read by its key.' });

/** /v1/parameters (contract 16). */
export const parameterRoutes = ownedRoutes(parameters, fieldsOf(ParameterShape).from<Parameter>({}));
