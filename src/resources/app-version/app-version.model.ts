import { z } from 'zod';

import type { Audit } from '../../platform/audit.js';
import { decodeBase64 } from '../../platform/encoding/base64.js';
import { freeText, printableName } from '../../platform/text.js';
import { recordId, recordIds } from '../../platform/validate.js';

const number = printableName(64).describe('Version number, unique in its application.');
const displayable = z.boolean().describe('Whether the application shows in the services menu.');
const authorizerUrl = freeText(2_048).nullable().describe('IP address or URL of the authorizer.');
const posDisplayLabel = freeText(255).nullable().describe('Name in the menu, where displayable.');
const bytecode = z
  .string()
  .meta({ contentEncoding: 'base64' })
  .transform((text, context) => {
    const bytes = decodeBase64(text);
    if (bytes !== undefined) return bytes;
    context.addIssue({ code: 'custom', message: 'must be base64: standard alphabet, padded' });
    return z.NEVER;
  })
  .nullable()
  .describe('What terminals run, in base64; `size` and `crc` follow from it.');
const groupIds = recordIds.describe('Groups that the version is associated with.');
const moduleIds = recordIds.describe('Versions of applications of kind module.');
const fileIds = recordIds.describe('Files that the version is associated with.');

export const AppVersionCreate = z.object({
  number,
  displayable: displayable.default(false),
  authorizerUrl: authorizerUrl.optional(),
  posDisplayLabel: posDisplayLabel.optional(),
  bytecode: bytecode.optional(),
  groupIds: groupIds.optional(),
  moduleIds: moduleIds.optional(),
  fileIds: fileIds.optional(),
  baseVersionId: recordId
    .describe('Version of the same application whose bytecode and associations are copied where not given.')
    .optional(),
});

export const AppVersionUpdate = z.object({
  number: number.optional(),
  displayable: displayable.optional(),
  authorizerUrl: authorizerUrl.optional(),
  posDisplayLabel: posDisplayLabel.optional(),
  bytecode: bytecode.optional(),
  groupIds: groupIds.optional(),
  moduleIds: moduleIds.optional(),
  fileIds: fileIds.optional(),
});

/** Which application a version is made in, where that is no part of a path. */
export const AppReference = z.object({ appId: recordId });

/** App versions that a group is to have, or to have no more. */
export const AppVersionLinks = z.object({ appVersionIds: recordIds });

export interface AppVersion extends Audit {
  readonly id: number;
  readonly appId: number;
  readonly number: string;
  readonly displayable: boolean;
  readonly authorizerUrl: string | null;
  readonly posDisplayLabel: string | null;
  readonly uuid: string;
  /** The bytecode; null where there is none yet. */
  readonly contentId: number | null;
  readonly size: number;
  readonly crc: string;
}

/** Ids, ascending. */
export interface Associations {
  readonly groupIds: readonly number[];
  readonly moduleIds: readonly number[];
  readonly fileIds: readonly number[];
}

export interface AssociatedVersion extends AppVersion, Associations {}
