import * as g from '../../../graphql/index.js';
import { auditedType } from '../../people/user/user.graphql.js';
import { GroupList, GroupType } from '../group/group.graphql.js';
import { LogicalNumberList, LogicalNumberType } from '../logical-number/logical-number.graphql.js';
import * as service from './parameter.service.js';
import * as model from './setting.model.js';
import { getOwnerByIds, type OwnedRecords, metacontents } from './setting.service.js';

const OwnerInput = g.inputType(
  'OwnerInput',
  'The owner of a parameter or metacontent: either a logical number or a group.',
  {
    logicalNumberId: g.id.orNull('Global id of the logical number.'),
    groupId: g.id.orNull('Global id of the group.'),
  },
);

function ownerIdsOf(owner: unknown): model.OwnerIds {
  const { logicalNumberId, groupId } = owner as Readonly<Record<string, string | null | undefined>>;
  // A text that is not an id of the type is handled as an unknown id.
  const numberOf = (typeName: string, id: string | null | undefined) =>
    id == null ? null : (g.numberIn(typeName, id) ?? 0);
  return { logicalNumberId: numberOf('LogicalNumber', logicalNumberId), groupId: numberOf('Group', groupId) };
}

/** Properties that an owned record shows as the relations `logicalNumber` and `group`. */
type OwnerKeys = 'logicalNumberId' | 'groupId';

type Descriptions = Readonly<Record<string, string>>;

/** GraphQL module of parameters or metacontents: queries, mutations, owner, and lists of each owner. */
function ownedRecordGraphql<R extends model.OwnedRecord>(
  Record: g.ClassType<R>,
  records: OwnedRecords<R>,
  descriptions: { readonly create?: Descriptions; readonly update?: Descriptions } = {},
): g.GraphqlModule {
  const { name, all, ofLogicalNumber, ofGroup, models } = records;
  const { create = {}, update = {} } = descriptions;
  const types = g.listTypes(all, Record);
  return g.graphqlModule(
    g.queries(types, { listDescription: `All ${name}s of the company, of logical numbers and of groups.` }),
    g.mutations(types, {
      get: records.getById,
      create: {
        model: models.create,
        descriptions: create,
        run: async (work, { owner, ...input }: g.Input) =>
          records.create(work, await getOwnerByIds(work, ownerIdsOf(owner)), input),
        description: `Creates a ${name} of a logical number or of a group.`,
        fields: { owner: g.object(OwnerInput, `Owner of the ${name}.`) },
      },
      update: { model: models.update, descriptions: update, run: records.update },
      delete: { run: records.delete },
    }),
    g.fields(Record, ownerFields(name)),
    g.fields(LogicalNumberType, {
      [`${name}s`]: g.many(
        types,
        ofLogicalNumber,
        `The ${name}s of the logical number itself, without those of its group.`,
      ),
    }),
    g.fields(GroupType, { [`${name}s`]: g.many(types, ofGroup, `The ${name}s of the group.`) }),
  );
}

function ownerFields(name: string): Readonly<Record<string, g.ResolvedField<model.OwnedRecord>>> {
  return {
    logicalNumber: g.one(
      LogicalNumberList,
      'logicalNumberId',
      `Logical number that owns the ${name}. Null if a group owns it.`,
    ),
    group: g.one(GroupList, 'groupId', `Group that owns the ${name}. Null if a logical number owns it.`),
  };
}

const MetacontentType = auditedType<model.Metacontent, OwnerKeys>(
  'Metacontent',
  'A JSON setting of a logical number or of a group, which devices read by its key.',
  {
    key: g.text('Key, unique for its owner.'),
    value: g.json.orNull('Value: any JSON. Null is a value like any other.'),
  },
);

const VALUE = 'Any JSON value, at most 256 KiB as text.';

export const metacontentGraphql = ownedRecordGraphql(MetacontentType, metacontents, {
  create: { value: `${VALUE} Required; null is a value.` },
  update: { value: `${VALUE} Null is a value; it does not clear.` },
});

const ParameterType = auditedType<model.Parameter, OwnerKeys>(
  'Parameter',
  'A text setting of a logical number or of a group, which devices read by its key.',
  {
    key: g.text('Key, unique for its owner.'),
    value: g.text('Value.'),
    description: g.text.orNull('Purpose of the parameter. Null if there is no description.'),
  },
);

export const ParameterSource = g.enumeration<model.EffectiveParameter['source']>(
  'ParameterSource',
  'Owner of the value that devices get.',
  { LOGICAL_NUMBER: 'The logical number itself.', GROUP: 'The group of the logical number.' },
);

const EffectiveParameterType = g.objectType<model.EffectiveParameter>(
  'EffectiveParameter',
  'A parameter as the devices of a logical number get it.',
  {
    key: g.text('Key, unique for the logical number.'),
    value: g.text('Value that devices get.'),
    description: g.text.orNull('Purpose of the parameter. Null if there is no description.'),
    source: g.choice(ParameterSource, 'Whether the logical number or its group owns the value.'),
    overridden: g.object.orNull(
      ParameterType,
      "The group's parameter that the logical number overrides with the same key. Null if there is none.",
    ),
  },
);

const effectiveParameters = g.fields(LogicalNumberType, {
  effectiveParameters: {
    ...g.unpaged(
      g.object.list(
        EffectiveParameterType,
        "Parameters that devices get: those of the group, overridden by the number's own of the same key. Ordered by key.",
      ),
      service.listEffectiveParameters,
      service.effectiveEntries,
    ),
    searches: () => [service.EFFECTIVE_SEARCH],
  },
});

const ParameterBulkSetRow = g.inputOf('ParameterBulkSetRow', model.ParameterCreate, {
  description: 'A parameter and its new value.',
  descriptions: {
    key: 'Key of the parameter, unique for its owner. 1 to 255 characters.',
    description:
      'Purpose of the parameter. At most 4096 characters. If absent, an existing description stays.',
  },
  fields: { owner: g.object(OwnerInput, 'Owner of the parameter.') },
});

const parameterBulkSet = g.bulkMutation({
  name: 'ParameterBulkSet',
  description: 'Sets up to 1000 parameters by owner and key: creates new ones and updates existing ones.',
  argument: 'rows',
  rows: g.object.list(ParameterBulkSetRow, 'Parameters to set. Each owner and key may occur once.'),
  field: 'parameter',
  record: g.object(ParameterType, 'The parameter after the change. Null if it was not set.'),
  countDescription: 'Number of parameters with the given value now; 0 if an invalid row rejected the batch.',
  prepare: (rows) => rows.map(({ owner, ...input }) => ({ owner: ownerIdsOf(owner), input })),
  run: service.setParameters,
});

export const parameterGraphql = g.graphqlModule(
  ownedRecordGraphql(ParameterType, service.parameters),
  effectiveParameters,
  parameterBulkSet,
);
