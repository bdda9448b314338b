import {
  choice,
  enumeration,
  fields,
  listOf,
  nullable,
  object,
  objectType,
  text,
} from '../../../graphql/index.js';
import { LogicalNumberType } from '../logical-number/logical-number.graphql.js';
import {
  EFFECTIVE_SEARCH,
  effectiveEntries,
  listEffectiveParameters,
} from './effective-parameter.service.js';
import { ParameterType } from './parameter.graphql.js';
import type { EffectiveParameter } from './parameter.model.js';

const ParameterSource = enumeration<EffectiveParameter['source']>(
  'ParameterSource',
  'Owner of the value that devices get.',
  { LOGICAL_NUMBER: 'The logical number itself.', GROUP: 'The group of the logical number.' },
);

const EffectiveParameterType = objectType<EffectiveParameter>(
  'EffectiveParameter',
  'A parameter as the devices of a logical number get it.',
  {
    key: text('Key, unique for the logical number.'),
    value: text('Value that devices get.'),
    description: nullable(text('Purpose of the parameter. Null if there is no description.')),
    source: choice(ParameterSource, 'Whether the logical number or its group owns the value.'),
    overridden: nullable(
      object(
        ParameterType,
        "The group's parameter that the logical number overrides with the same key. Null if there is none.",
      ),
    ),
  },
);

export const effectiveParameterGraphql = fields(LogicalNumberType, {
  effectiveParameters: {
    field: listOf(
      object(
        EffectiveParameterType,
        "Parameters that devices get: those of the group, overridden by the number's own of the same key. Ordered by key.",
      ),
    ),
    resolve: (number, ctx) => ctx.loadEntries(listEffectiveParameters, number, effectiveEntries),
    searches: () => [EFFECTIVE_SEARCH],
  },
});
