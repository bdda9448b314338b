import * as g from '../../../graphql/index.js';
import {
  type AlertForm,
  addAlertForm,
  days,
  hours,
  ONE_OF_BOTH,
  threshold,
} from '../../base/alert/alert.graphql.js';
import type { Silence } from './silence.model.js';
import { silentSince } from './silence.service.js';

/** The filter of a rule on devices. */
export const filterOfDevices = g.json.orNull(
  'Only devices for which this holds: the filter as the list `devices` takes it, for example { "groupId": { "eq": "…" } }.',
);

const silentForm: AlertForm = {
  description:
    'Devices whose terminal sends nothing. A disabled device, and one whose terminal was never seen, does not count.',
  fields: {
    filter: filterOfDevices,
    ...threshold('silent devices', ONE_OF_BOTH),
    silentFor: g.duration('Time without a request after which a terminal is silent: 5m to 90d.'),
    ...hours('no alert opens outside of these hours, nor before `silentFor` of them has passed.'),
    days: {
      ...days,
      description: 'Days on which the hours begin, each day if null. Other days do not count as silence.',
    },
  },
  filtered: 'Device',
};

/** Adds the condition with the time that its fields mean now. */
export function addSilentForm(): void {
  g.fields(addAlertForm('silent', silentForm), {
    silentSince: g.computed(
      g.instant('Terminals that were not seen since then are silent now, as the rule counts its days.'),
      (on: object, ctx) => ctx.read('read', (work) => Promise.resolve(silentSince(work, on as Silence))),
    ),
  });
}
