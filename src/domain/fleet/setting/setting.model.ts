import { z } from 'zod';

import { brokenByJsonText, type Json } from '../../../platform/encoding/json.js';
import { rule } from '../../../platform/rules.js';
import { printableName, boundedBytes, freeText, type Audit } from '../../../platform/validate.js';

/** The owner of a parameter or metacontent: a logical number or a group. */
export type Owner =
  | { readonly logicalNumberId: number; readonly groupId: null }
  | { readonly logicalNumberId: null; readonly groupId: number };

/** Selects an owner by id: exactly one of the two is given. */
export interface OwnerIds {
  readonly logicalNumberId: number | null;
  readonly groupId: number | null;
}

/** Selects an owner by number or name: exactly one of the two is given (contract 2). */
export const OwnerSelector = z.object({
  number: z.string().nullish().describe('A logical number: its record is the owner.'),
  name: z.string().nullish().describe('The name of a group: the group is the owner.'),
});

/** A record of an owner; the key is unique for the owner. */
export interface OwnedRecord extends Audit {
  readonly id: number;
  readonly key: string;
  readonly groupId: number | null;
  readonly logicalNumberId: number | null;
}

const MAX_VALUE_BYTES = 256 * 1024;

const value = z
  .unknown()
  .transform((given, context): Json => {
    const broken = given === undefined ? rule('is required') : brokenByJsonText(given, MAX_VALUE_BYTES);
    if (broken === undefined) return given as Json;
    context.addIssue({ code: 'custom', ...broken });
    return z.NEVER;
  })
  .describe('Any JSON, up to 256 KiB as text.');

const MetacontentFields = z.object({ key: printableName(255).describe('Key, unique for its owner.'), value });

export const MetacontentCreate = MetacontentFields;
export const MetacontentUpdate = MetacontentFields.partial();

export interface Metacontent extends OwnedRecord, Readonly<z.output<typeof MetacontentFields>> {}

const ParameterFields = z.object({
  key: printableName(255).describe('Key, unique for its owner.'),
  value: boundedBytes(64 * 1024).describe('Value, up to 64 KiB.'),
  description: freeText(4096).nullable().describe('What the parameter is for.'),
});

export const ParameterUpdate = ParameterFields.partial();
export const ParameterCreate = ParameterFields.partial({ description: true });

export type ParameterValues = Readonly<z.output<typeof ParameterFields>>;

export interface Parameter extends OwnedRecord, ParameterValues {}

/** A parameter as terminals of a logical number receive it. */
export interface EffectiveParameter extends ParameterValues {
  readonly source: 'LOGICAL_NUMBER' | 'GROUP';
  /** The group's parameter with the same key, if the logical number has its own. */
  readonly overridden: Parameter | null;
}
