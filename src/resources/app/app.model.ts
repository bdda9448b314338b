import { z } from 'zod';

import type { Audit } from '../../platform/audit.js';
import { freeText, printableName } from '../../platform/text.js';

export const KINDS = ['standard', 'module'] as const;
export const COMMUNICATION_FORMATS = ['http', 'iso8583', 'iso20022'] as const;
export const LANGUAGES = ['posxml', 'ruby'] as const;
export type Kind = (typeof KINDS)[number];
export type CommunicationFormat = (typeof COMMUNICATION_FORMATS)[number];
export type Language = (typeof LANGUAGES)[number];

export const MAX_APP_NAME = 255;

const name = printableName(MAX_APP_NAME).describe(
  'Name, unique in the company; it ends in the suffix of its language, which is added where missing.',
);
const description = freeText(4_000).nullable().describe('Brief description.');
const kind = z.enum(KINDS).describe('Versions of a module can be part of other versions.');
const communicationFormat = z.enum(COMMUNICATION_FORMATS).describe('How it speaks to its host.');
const language = z.enum(LANGUAGES).describe('Where absent: by the suffix of the name, else posxml.');

export const AppCreate = z.object({
  name,
  description: description.optional(),
  kind: kind.default('standard'),
  communicationFormat: communicationFormat.default('http'),
  language: language.optional(),
});

export const AppUpdate = z.object({
  name: name.optional(),
  description: description.optional(),
  kind: kind.optional(),
  communicationFormat: communicationFormat.optional(),
  language: language.optional(),
});

export interface App extends Audit {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly communicationFormat: CommunicationFormat;
  readonly kind: Kind;
  readonly language: Language;
}
