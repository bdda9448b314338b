import type { AppVersionGrantTargetInput, RolloutCreateInput } from '../../gql/graphql';
import { findAppVersions, findGroups } from '../../record/find';
import { emptyOf, fieldsOf, inputOf, type FormField, type Values } from '../../record/form-field';
import { nameOf, type Named } from '../../record/link';
import { instantOf, zonesWith } from '../../text/zone';
import type { Reference } from '../../ui/reference-input';
import { TARGET, targetOf } from '../software/target';

const COUNT = { type: 'number', isOptional: true };
const TIME = { type: 'datetime-local', isOptional: true };
const HOUR = { type: 'number', isShown: ({ hasHours }: Values) => hasHours === true };
const isBy = (by: string) => (values: Values) => values.by === by;

const BY = { name: 'by', values: ['percent', 'groupIds', 'logicalNumbers', 'rest'], isSent: false };
const WAVE = fieldsOf([
  BY,
  { name: 'percent', type: 'number', isShown: isBy('percent') },
  { name: 'groupIds', find: findGroups, isMany: true, isShown: isBy('groupIds') },
  { name: 'logicalNumbers', isShown: isBy('logicalNumbers'), pattern: /\S/ },
  { name: 'minProvenPercent', ...COUNT },
  { name: 'minDuration', ...COUNT },
]);

/** Fields of a wave; only the last one can be the rest. */
export const wavePart = (index: number, count: number) => ({
  root: `input.waves.${index}`,
  fields: index === count - 1 ? WAVE : [{ ...BY, values: BY.values.slice(0, 3) }, ...WAVE.slice(1)],
});

/** A wave of a percent of the terminals; without one, of all others. The duration is in hours. */
const waveOf = (percent: string, minProvenPercent: string, minDuration: string): Values => ({
  ...emptyOf(WAVE),
  by: percent === '' ? 'rest' : 'percent',
  percent,
  minProvenPercent,
  minDuration,
});

export const ADDED_WAVE = waveOf('10', '80', '24');

/** Values of the form: those of the parts beside those of each wave. */
export type Planned = Values & { readonly waves: readonly Values[] };

/** Name under which the values of the form are kept. */
export const draftKey = (version: Named | undefined): string => `rollout:${version?.id ?? ''}`;

/** The form of a new rollout, with the zone of the company and a version to begin with; a chosen target is not asked for. */
export function rolloutForm(zone: string, version?: Named, chosen?: AppVersionGrantTargetInput) {
  const parts = {
    main: {
      root: 'input',
      fields: fieldsOf([
        {
          name: 'appVersionIds',
          find: findAppVersions,
          isMany: true,
          ...(version && { initial: [{ id: version.id, name: nameOf(version) }] }),
        },
        { name: 'name', isOptional: true },
      ]),
    },
    target: { root: 'target', fields: chosen ? [] : fieldsOf(TARGET) },
    stopWhen: {
      root: 'input.stopWhen',
      fields: fieldsOf([
        { name: 'failedPercent', ...COUNT, initial: '4' },
        { name: 'failedCount', ...COUNT },
        { name: 'silentPercent', ...COUNT },
        { name: 'approvalDropPercent', ...COUNT },
        { name: 'deadline', ...TIME },
      ]),
    },
    start: { root: 'input', fields: fieldsOf([{ name: 'startAt', ...TIME }]) },
    window: {
      root: 'input.window',
      fields: fieldsOf([
        { name: 'hasHours', kind: 'flag', isSent: false },
        { name: 'from', ...HOUR, initial: '1' },
        { name: 'to', ...HOUR, initial: '6' },
        { name: 'zone', values: zonesWith(zone), isShown: HOUR.isShown },
      ]),
    },
  };
  const empty: Planned = {
    ...emptyOf(Object.values(parts).flatMap(({ fields }): readonly FormField[] => fields)),
    waves: [waveOf('1', '90', '24'), waveOf('24', '80', '24'), waveOf('', '80', '24')],
  };
  return { parts, empty, chosen };
}

/** Arguments of `rolloutCreate`; null while something is missing. Times were entered in this time zone. */
export function argumentsOf(
  { parts, chosen }: ReturnType<typeof rolloutForm>,
  { waves, ...values }: Planned,
  timeZone: string,
) {
  const sent = ({ fields }: { readonly fields: readonly FormField[] }): Values | null =>
    inputOf(fields, values);
  const [main, stopWhen, start] = [parts.main, parts.stopWhen, parts.start].map(sent);
  const asked = sent(parts.target);
  const target = chosen ?? (asked && targetOf(asked));
  const sentWaves = waves.map((wave) => inputOf(WAVE, wave));
  if (!main || !target || !stopWhen || !start || sentWaves.includes(null)) return null;
  const time = (clock: unknown) => clock && instantOf(clock as string, timeZone).toISOString();
  const names = (values.appVersionIds as readonly Reference[]).map(({ name }) => name);
  const input = {
    ...main,
    name: main.name ?? names.join(', ').slice(0, 100),
    waves: sentWaves.map((wave) => ({ ...wave, minDuration: `${Number(wave?.minDuration ?? 0)}h` })),
    stopWhen: { ...stopWhen, deadline: time(stopWhen.deadline) },
    startAt: time(start.startAt),
    window: values.hasHours === true ? sent(parts.window) : null,
  };
  return { input: input as unknown as RolloutCreateInput, target };
}
