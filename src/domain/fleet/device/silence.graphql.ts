import * as g from '../../../graphql/index.js';
import type { AlertForm } from '../../base/alert/alert.graphql.js';

export const silentForm: AlertForm = {
  description:
    'Devices whose terminal sends nothing. A disabled device, and one whose terminal was never seen, does not count.',
  fields: {
    filter: g.json.orNull(
      'Only devices for which this holds: the filter as the list `devices` takes it, for example { "groupId": { "eq": "…" } }.',
    ),
    percent: g.int('Share of silent devices at which the alert opens: 1 to 100.'),
    silentFor: g.duration('Time without a request after which a terminal is silent: 5m to 90d.'),
    fromHour: g.int.orNull(
      'Hour of the day, 0 to 23, at which the rule begins, together with `toHour` and `timeZone`: no alert opens outside of these hours, nor before `silentFor` of them has passed. All day if absent.',
    ),
    toHour: g.int.orNull(
      'Hour of the day, 1 to 24, at which it ends; past midnight if not after `fromHour`.',
    ),
    timeZone: g.text.orNull('IANA time zone of the hours, for example America/Sao_Paulo.'),
  },
  filtered: 'Device',
};
