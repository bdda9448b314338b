import { z } from 'zod';

import { identifyingName } from '../../../platform/card-data/card-data.js';
import type { Audit } from '../../../platform/changes.js';
import { freeText } from '../../../platform/encoding/text.js';

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

export interface App extends Audit, Readonly<z.output<typeof AppFields>> {
  readonly id: number;
}
