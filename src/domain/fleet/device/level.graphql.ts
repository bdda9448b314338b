import * as g from '../../../graphql/index.js';
import { type AlertForm, ONE_OF_BOTH, threshold } from '../../base/alert/alert.graphql.js';
import { filterOfDevices } from './silence.graphql.js';

const formOf = (what: string, field: string): AlertForm => ({
  description: `Enabled devices whose terminal reported ${what} below a percent, see \`Device.${field}\`. One that was not seen for a day, or reported none, does not count.`,
  fields: {
    filter: filterOfDevices,
    below: g.int(`Percent below which ${what} is low: 1 to 100.`),
    ...threshold('these devices', ONE_OF_BOTH),
  },
  filtered: 'Device',
});

export const lowBatteryForm = formOf('a battery', 'batteryLevel');
export const weakSignalForm = formOf('a signal', 'signal');
