import { z } from 'zod';

import type { Json } from '../../../platform/encoding/json.js';
import { rule } from '../../../platform/rules.js';
import { isObject, normalized, printableName } from '../../../platform/validate.js';
import {
  MetacontentCreate,
  ParameterCreate,
  type ParameterValues,
} from '../../fleet/setting/setting.model.js';

/** Groups, logical numbers and devices of one document: with more, it would have too many objects for variables. */
export const MAX_NAMED = 2_000;
/** Differences that one plan makes: other changes of the company wait meanwhile. */
export const MAX_CHANGES = 5_000;

const name = printableName(255);

/** Values by name. Without an error, zod would leave out `__proto__`, and one of two names that differ in Unicode form. */
const byName = <Value extends z.ZodType>(value: Value) =>
  z.preprocess(
    (given, context) => {
      if (isObject(given) && Object.hasOwn(given, '__proto__')) {
        const broken = rule('has unknown fields: {fields}', { fields: '__proto__' });
        context.addIssue({ code: 'custom', ...broken });
      }
      const seen = new Set<string>();
      for (const key of Object.keys(isObject(given) ? given : {}).map(normalized)) {
        if (seen.has(key)) context.addIssue({ code: 'custom', path: [key], ...rule('is given twice') });
        seen.add(key);
      }
      return given;
    },
    z.record(name, value),
  );

/** Numbers of versions by app, for example `{ "sale.posxml": ["1.0", "1.1"] }`. */
const versions = byName(z.array(name).transform((numbers) => [...new Set(numbers)].sort()));

/** A parameter in a document: its value alone, if it has no description. */
export const parameterState = ({ value, description }: Omit<ParameterValues, 'key'>) =>
  description === null ? value : { value, description };

const parameter = z
  .preprocess(
    (given) => (isObject(given) ? given : { value: given }),
    z.strictObject({
      value: ParameterCreate.shape.value,
      description: ParameterCreate.shape.description.default(null),
    }),
  )
  .transform(parameterState);

const software = {
  appVersions: versions,
  parameters: byName(parameter),
  metacontents: byName(MetacontentCreate.shape.value),
};

/** Desired state of records that exist, by their names. Others stay as they are; a section that it names is complete. */
export const FleetDocument = z.strictObject({
  groups: byName(z.strictObject({ ...software, defaultAppVersions: versions }).partial()).default({}),
  logicalNumbers: byName(z.strictObject({ ...software, group: name.nullable() }).partial()).default({}),
  devices: byName(z.strictObject({ logicalNumber: name.nullable(), enabled: z.boolean() }).partial()).default(
    {},
  ),
});

export type FleetDocument = Readonly<z.output<typeof FleetDocument>>;
export type VersionNames = Readonly<z.output<typeof versions>>;

/** Names from the document to a value, for example `['groups', 'north', 'parameters', 'timeout']`. */
export type Path = readonly string[];

export type PlanAction = 'ADD' | 'CHANGE' | 'REMOVE';

/** A difference between the present state and the desired one; null for a value that is not there. */
export interface PlanChange {
  readonly path: Path;
  readonly action: PlanAction;
  readonly before: Json;
  readonly after: Json;
}
