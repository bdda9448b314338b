import * as g from '../../../graphql/index.js';
import { JobType } from '../../base/job/job.graphql.js';
import { applyPlan } from './apply.service.js';
import { exportState } from './fleet-state.service.js';
import { MAX_CHANGES, MAX_NAMED, type PlanAction, type PlanChange } from './plan.model.js';
import { pathOfField, type Plan, plan } from './plan.service.js';

const DOCUMENT = `Desired state of groups, logical numbers and devices that exist, by their names, in the form of \`fleetState\`. Records and sections that it does not have stay as they are; a section that it has is complete: what is not in it is removed. At most ${MAX_NAMED} records.`;

const Action = g.enumeration<PlanAction>('FleetPlanAction', 'What a plan does with a value.', {
  ADD: 'The value is new.',
  CHANGE: 'The value becomes another one.',
  REMOVE: 'The value goes.',
});

const Change = g.objectType<PlanChange>('FleetPlanChange', 'A difference that a plan makes.', {
  path: g.text.list('Names from the document to the value, such as groups, north, parameters, timeout.'),
  action: g.choice(Action, 'What happens to the value.'),
  before: g.nullable(g.json('The present value, in the form of the document. Null for ADD.')),
  after: g.nullable(g.json('The value after the change, in the form of the document. Null for REMOVE.')),
});

const PlanType = g.objectType<Plan>('FleetPlan', 'What a document would change.', {
  id: g.text(
    'Identity of the plan, for `fleetApply`: of the desired state and of the present state that it was compared with.',
  ),
  terminals: g.int(
    'Devices that are changed themselves, and devices of the groups and logical numbers whose values or versions change.',
  ),
  losing: g.int('Devices among them whose logical numbers lose app versions.'),
  changes: g.object.list(
    Change,
    `The differences, also versions that logical numbers lose with their groups. At most ${MAX_CHANGES}.`,
  ),
});

const document = g.json(DOCUMENT);

const PlanPayload = g.payloadType('FleetPlan', {
  plan: g.object.orNull(PlanType, 'The plan. Null after an error.'),
});

/** A state, and a plan, are of this many records, and of all their values: they are always read like a search. */
const READ = {
  counts: MAX_NAMED,
  searches: () => [{ rows: Infinity }],
};
const COST = `Adds ${MAX_NAMED} records to the cost of the operation.`;

const fleetState = g.query('fleetState', {
  field: g.json(
    `The present state of a group with its logical numbers, or of all groups and logical numbers, as a document for \`fleetPlan\`: app versions by app, parameters, metacontents and assignments. At most ${MAX_NAMED} records. ${COST}`,
  ),
  args: {
    groupId: g.id.orNull('Global id of a group. Without it, all of the company.'),
    logicalNumbers: {
      ...g.flag.orNull('Whether the logical numbers are in it.'),
      defaultValue: true,
    },
    devices: {
      ...g.flag.orNull('Whether the devices of the logical numbers are in it, with `enabled`.'),
      defaultValue: true,
    },
  },
  ...READ,
  resolve: (_source, ctx, { groupId, ...wanted }) => {
    const id = groupId == null ? null : (g.numberIn('Group', groupId) ?? 0);
    return ctx.read('read', (work) => exportState(work, id, wanted));
  },
});

const fleetPlan = g.query('fleetPlan', {
  field: g.object(
    PlanPayload,
    `What a document would change, and for how many devices. Changes nothing. ${COST}`,
  ),
  args: { document },
  ...READ,
  resolve: (_source, ctx, args) =>
    g.payload(async () => {
      const planned = await ctx.read('read', (work) => plan(work, args.document));
      return { plan: { ...planned, changes: await ctx.unpaged(planned.changes) } };
    }, pathOfField),
});

const fleetApply = g.ownMutation('FleetApply', {
  description:
    'Makes the changes of a plan, all or none, as one job, which is done with it. STALE, with what was changed meanwhile, if the plan of the document is another one now. Takes app versions from terminals without `force`: the plan says from how many. `undo` is the earlier state of all that the plan has changed: applied, it brings it back.',
  args: { document, planId: g.text('`id` of the plan of this document.') },
  payload: {
    job: g.object.orNull(
      JobType,
      'The job whose changes these are in the ledger. Null if there was nothing to change.',
    ),
    count: g.int.orNull('Number of differences that were made. Null after an error.'),
    undo: g.nullable(g.json('The document of the earlier state. Null after an error.')),
  },
  within: pathOfField,
  run: (work, args) => applyPlan(work, args.document, args.planId),
});

export const fleetPlanGraphql = g.graphqlModule(fleetState, fleetPlan, fleetApply);
