import { z } from 'zod';

import { identifyingName } from '../../../platform/card-data/card-data.js';
import { contentOfBase64, SentBytes, type SentContent } from '../../../platform/encoding/content.js';
import { rule } from '../../../platform/rules.js';
import { freeText, printableName, type Audit, recordId, recordIds } from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';

export const KINDS = ['standard', 'module'] as const;
export const COMMUNICATION_FORMATS = ['http', 'iso8583', 'iso20022'] as const;
export const LANGUAGES = ['posxml', 'ruby'] as const;
export type Kind = (typeof KINDS)[number];
export type CommunicationFormat = (typeof COMMUNICATION_FORMATS)[number];
export type Language = (typeof LANGUAGES)[number];

export const MAX_APP_NAME = 255;

/** Fields of an application that clients set. */
const AppFields = z.object({
  name: identifyingName(MAX_APP_NAME).describe(
    'Name, unique in the company. A POSXML name ends in `.posxml`, added where missing; a Ruby name is kept as sent.',
  ),
  description: freeText(4_000).nullable().describe('Brief description.'),
  kind: z.enum(KINDS).describe('Versions of a module can be part of other versions.'),
  communicationFormat: z
    .enum(COMMUNICATION_FORMATS)
    .describe('Protocol between the application and its host.'),
  language: z.enum(LANGUAGES).describe('If absent: by the suffix of the name, else posxml.'),
});

export const AppUpdate = AppFields.partial();
export const AppCreate = z.object({
  ...AppUpdate.shape,
  name: AppFields.shape.name,
  kind: AppFields.shape.kind.default('standard'),
  communicationFormat: AppFields.shape.communicationFormat.default('http'),
});

export type App = RecordOf<'apps', Audit & z.output<typeof AppFields>>;

/** Fields of a version that clients set, besides its bytecode and its associations. */
const AppVersionFields = z.object({
  number: printableName(64).describe('Version number, unique in its application.'),
  displayable: z.boolean().describe('Whether the application shows in the services menu.'),
  authorizerUrl: freeText(2_048).nullable().describe('IP address or URL of the authorizer.'),
  posDisplayLabel: freeText(255).nullable().describe('Name in the menu, where displayable.'),
});
/** Base64 text, or bytes that were received before. */
const bytecode = z
  .custom<string | SentBytes>(
    (sent) => typeof sent === 'string' || sent instanceof SentBytes,
    rule('must be a string'),
  )
  .meta({ type: 'string', contentEncoding: 'base64' })
  .transform((sent, context): SentContent => {
    const content = typeof sent === 'string' ? contentOfBase64(sent) : sent.content;
    if (content !== null) return content;
    context.addIssue({ code: 'custom', ...rule('must be base64: standard alphabet, padded') });
    return z.NEVER;
  })
  .nullable()
  .describe('What terminals run, in base64; `size` and `crc` follow from it.');
const AssociationFields = z.object({
  groupIds: recordIds.describe('Groups that the version is associated with.'),
  moduleIds: recordIds.describe('Versions of applications of kind module.'),
  fileIds: recordIds.describe('Files that the version is associated with.'),
});

export const AppVersionUpdate = z.object({
  ...AppVersionFields.partial().shape,
  bytecode: bytecode.optional(),
  ...AssociationFields.partial().shape,
});

/** Fields of `AppVersionCreate` that are columns of the record. */
export const AppVersionCreateFields = z.object({
  ...AppVersionFields.partial().shape,
  number: AppVersionFields.shape.number,
  displayable: AppVersionFields.shape.displayable.default(false),
});

export const AppVersionCreate = z.object({
  ...AppVersionUpdate.shape,
  ...AppVersionCreateFields.shape,
  baseVersionId: recordId
    .describe('Version of the same application whose bytecode and associations are copied where not given.')
    .optional(),
});

/** The application of a new version, for requests without a path. */
export const AppReference = z.object({ appId: recordId });

/** App versions to attach to a group, or to detach from it. */
export const AppVersionLinks = z.object({ appVersionIds: recordIds });

/** Logical numbers: all of a group, or given ones. */
export const GrantTarget = z.object({
  groupId: recordId.nullable().optional(),
  logicalNumbers: z.array(z.string()).nullable().optional(),
});

export const AppVersionGrant = GrantTarget.extend({ appVersionIds: recordIds });
export type AppVersionGrant = z.output<typeof AppVersionGrant>;

export type AppVersion = RecordOf<'app_versions', Audit & z.output<typeof AppVersionFields>>;

/** Ids in ascending order. */
export type Associations = Readonly<Record<keyof z.output<typeof AssociationFields>, readonly number[]>>;

export interface AssociatedVersion extends AppVersion, Associations {}
