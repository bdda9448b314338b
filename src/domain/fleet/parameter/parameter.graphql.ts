import {
  bulkMutation,
  choice,
  enumeration,
  fields,
  graphqlModule,
  inputOf,
  listOf,
  nullable,
  object,
  objectType,
  text,
  WARNINGS,
} from '../../../graphql/index.js';
import { auditedType } from '../../people/user/audited.graphql.js';
import { LogicalNumberType } from '../logical-number/logical-number.graphql.js';
import { ownedRecordGraphql, ownerIdsOf, OwnerInput, type OwnerKeys } from '../owner/owner.graphql.js';
import {
  type EffectiveParameter,
  type Parameter,
  ParameterCreate,
  ParameterUpdate,
} from './parameter.model.js';
import {
  EFFECTIVE_SEARCH,
  effectiveEntries,
  listEffectiveParameters,
  parameters,
  setParameters,
} from './parameter.service.js';

const ParameterType = auditedType<Parameter, OwnerKeys>(
  'Parameter',
  'A text setting of a logical number or of a group, which devices read by its key.',
  {
    key: text('Key, unique for its owner.'),
    value: text('Value.'),
    description: nullable(text('Purpose of the parameter. Null if there is no description.')),
  },
);

const ownParameters = ownedRecordGraphql({
  Record: ParameterType,
  records: parameters,
  create: { model: ParameterCreate },
  update: { model: ParameterUpdate },
});

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

const effectiveParameters = fields(LogicalNumberType, {
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

const ParameterBulkSetRow = inputOf('ParameterBulkSetRow', ParameterCreate, {
  description: 'A parameter and its new value.',
  descriptions: {
    key: 'Key of the parameter, unique for its owner. 1 to 255 characters.',
    description:
      'Purpose of the parameter. At most 4096 characters. If absent, an existing description stays.',
  },
  fields: { owner: object(OwnerInput, 'Owner of the parameter.') },
});

const parameterBulkSet = bulkMutation({
  name: 'ParameterBulkSet',
  description: 'Sets up to 1000 parameters by owner and key: creates new ones and updates existing ones.',
  argument: 'rows',
  rows: listOf(object(ParameterBulkSetRow, 'Parameters to set. Each owner and key may occur once.')),
  field: 'parameter',
  record: object(ParameterType, 'The parameter after the change. Null if it was not set.'),
  payloadFields: WARNINGS,
  countDescription: 'Number of parameters with the given value now; 0 if an invalid row rejected the batch.',
  prepare: (rows) => rows.map(({ owner, ...input }) => ({ owner: ownerIdsOf(owner as OwnerInput), input })),
  run: setParameters,
});

export const parameterGraphql = graphqlModule(ownParameters, effectiveParameters, parameterBulkSet);
