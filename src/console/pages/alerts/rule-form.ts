import { useMay, useSession } from '../../app/session';
import type { AlertChoicesQuery, AlertRuleRecordFragment as Rule } from '../../gql/graphql';
import { emptyOf, textOfJson, type FormField, type Values } from '../../record/form-field';
import { readAmount, decimalsOf, useFormat, useLabel, useLocale } from '../../text';
import { zonesWith } from '../../text/zone';
import { useText } from './words';

const COUNTED = [
  'refused',
  'deliveriesFailed',
  'commandsFailed',
  'unknownTerminals',
  'rolloutStopped',
  'rolloutUnmoved',
] as const;
const KINDS = [
  'silent',
  'lowApproval',
  'noPayments',
  'largePayments',
  'highSales',
  'lowBattery',
  'weakSignal',
  ...COUNTED,
] as const;
type Kind = (typeof KINDS)[number];

const OF_PAYMENTS = ['lowApproval', 'largePayments', 'highSales'] as const;
const OF_DEVICES = ['silent', 'noPayments', 'lowBattery', 'weakSignal'] as const;
const MAY_BE_TOGETHER = ['lowApproval', 'highSales'] as const;
/** Kinds by the fields that only some have. */
const HAVING: Readonly<Record<string, readonly Kind[]>> = {
  below: ['lowApproval', 'lowBattery', 'weakSignal'],
  above: ['largePayments', 'highSales'],
  minPayments: ['lowApproval'],
  silentFor: ['silent'],
  lasting: ['noPayments'],
  within: [...COUNTED, ...OF_PAYMENTS],
  measures: MAY_BE_TOGETHER,
  opensAt: ['largePayments', ...OF_DEVICES],
  payments: OF_PAYMENTS,
  filter: OF_DEVICES,
  fromHour: ['silent', 'noPayments'],
};

const isOf = (kinds: readonly Kind[] | undefined, kind: unknown): boolean =>
  kinds?.some((each) => each === kind) === true;
const having = (name: string) => ({
  name,
  isShown: (values: Values): boolean => isOf(HAVING[name], values.kind),
});
const hasHours = (values: Values): boolean =>
  isOf(HAVING.fromHour, values.kind) && values.fromHour !== '' && values.fromHour !== null;

/** Whether a rule looks at a number of terminals, at a share of them, or at all payments together. */
const modeOf = ({ kind, measures, opensAt }: Values): unknown =>
  isOf(COUNTED, kind) ? 'TERMINALS' : isOf(MAY_BE_TOGETHER, kind) ? measures : opensAt;

export const kindOf = ({ on }: Rule): Kind => KINDS.find((kind) => on[kind] !== null) ?? 'silent';

/** The condition of a rule by the names of its fields. */
export const conditionIn = (rule: Rule): Values => rule.on[kindOf(rule)] ?? {};

/** Says in short when the alerts of a rule open: 20% · 1h of silence, or < 60% · ≥ 20 · 1h of payments. */
export function useConditionOf(): (rule: Rule) => string {
  const { amount } = useFormat();
  return (rule) => {
    const { below, above, minPayments, count, percent, within, silentFor, lasting } = conditionIn(rule);
    const parts = [
      below && `< ${below as number}%`,
      above && `≥ ${amount(above as number)}`,
      minPayments && `≥ ${minPayments as number}`,
      count,
      percent && `${percent as number}%`,
      within ?? silentFor ?? lasting,
    ];
    return parts.filter(Boolean).join(' · ');
  };
}

/** Amounts with at most the decimals of the currency: 1,234.56 or 1.234,56. */
const amountOf = (decimals: number): RegExp =>
  new RegExp(`^\\d{1,3}(?:[.,]?\\d{3})*${decimals > 0 ? `(?:[.,]\\d{1,${decimals}})?` : ''}$`);

const TIME = /^\d{1,4}[smhd]$/;
const PERCENT = /^(?:[1-9]\d?|100)$/;
const NUMBER = /^[1-9]\d{0,5}$/;
const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const;

const hoursFrom = (first: number) =>
  Array.from({ length: 24 }, (_, hour) => ({ value: `${first + hour}`, label: `${first + hour}:00` }));

const first = (label: string) => ({ value: '', label });
const optionsFor = (filters: readonly { readonly name: string; readonly filter: unknown }[] | undefined) =>
  (filters ?? []).map(({ name, filter }) => ({ value: textOfJson(filter), label: name }));

/** Fields of a rule: each kind has its own. Administrators choose to whom alerts are sent. */
export function useRuleFields(choices: AlertChoicesQuery | undefined): readonly FormField[] {
  const text = useText();
  const label = useLabel(text);
  const admin = useMay('ADMIN');
  const above = amountOf(decimalsOf(useLocale().currency));
  const zones = zonesWith(useSession().viewer.company?.timeZone ?? 'UTC');
  const hooks = choices?.webhooks?.nodes.map(({ id, url }) => ({ value: id, label: url })) ?? [];
  const people = choices?.users?.nodes.map(({ id, name }) => ({ value: id, label: text.mailTo(name) })) ?? [];
  const mayBeEmpty = { isJson: true, isOptional: true };
  const devices = [first(text.allDevices), ...optionsFor(choices?.savedFilters)];
  const payments = [first(text.allPayments), ...optionsFor(choices?.ofPayments)];
  const targets: readonly FormField[] = [
    { name: 'webhookId', options: [first(text.none), ...hooks], isOptional: true },
    { name: 'recipientIds', options: people, isMany: true },
  ];
  const days = DAYS.map((value) => ({ value, label: label(value) }));
  const isAt = (mode: string) => (values: Values) => modeOf(values) === mode;
  return [
    { name: 'name', autoFocus: true },
    { name: 'kind', values: KINDS, help: ({ kind }) => label(`${kind as Kind}Help`) },
    { ...having('below'), initial: 50, isJson: true, pattern: PERCENT },
    { ...having('above'), initial: '1000', pattern: above },
    { ...having('minPayments'), initial: 20, isJson: true, pattern: NUMBER },
    { ...having('within'), initial: '1h', pattern: TIME },
    { ...having('silentFor'), initial: '1h', pattern: TIME },
    { ...having('lasting'), initial: '4h', pattern: TIME },
    { ...having('measures'), isSent: false, values: ['TOGETHER', 'TERMINALS', 'SHARE'] },
    { ...having('opensAt'), isSent: false, values: ['SHARE', 'TERMINALS'] },
    { name: 'count', initial: 1, isJson: true, pattern: NUMBER, isShown: isAt('TERMINALS') },
    { name: 'percent', initial: 20, isJson: true, pattern: PERCENT, isShown: isAt('SHARE') },
    { ...having('filter'), options: devices, ...mayBeEmpty },
    { ...having('payments'), options: payments, ...mayBeEmpty },
    { ...having('fromHour'), options: [first(text.allDay), ...hoursFrom(0)], ...mayBeEmpty },
    { name: 'toHour', initial: 22, options: hoursFrom(1), isJson: true, isShown: hasHours },
    { name: 'timeZone', values: zones, isShown: hasHours },
    {
      name: 'days',
      options: days,
      isMany: true,
      isShown: hasHours,
    },
    { name: 'repeatAfter', pattern: /^(?:\d{1,4}[smhd])?$/, isOptional: true },
    ...(admin ? targets : []),
  ];
}

/** Translates between a rule and the values of its form, in which what only some kinds have stands beside the rest. */
export function useRuleValues() {
  const unit = 10 ** decimalsOf(useLocale().currency);
  return {
    /** The values of the fields of a rule; those of other kinds as in a new one. */
    valuesOf: (fields: readonly FormField[], rule: Rule): Rule & Values => {
      const kind = kindOf(rule);
      const given = Object.entries(conditionIn(rule)).filter(([, value]) => value !== null);
      const { filter, above, ...own }: Values = Object.fromEntries(given);
      const mode = 'count' in own ? 'TERMINALS' : 'percent' in own ? 'SHARE' : 'TOGETHER';
      return {
        ...emptyOf(fields),
        ...rule,
        ...own,
        kind,
        measures: mode,
        opensAt: mode,
        ...(filter !== undefined && { [isOf(OF_PAYMENTS, kind) ? 'payments' : 'filter']: filter }),
        ...(above !== undefined && { above: String((above as number) / unit) }),
      };
    },
    /** The input that has these values: what only some kinds have is their condition. */
    shape: (values: Values): object => {
      const { name, kind, repeatAfter, webhookId, recipientIds, ...own } = values;
      const { payments, above, days, ...on } = own;
      const condition = {
        ...on,
        ...(payments !== undefined && { filter: payments }),
        ...(above !== undefined && { above: readAmount(above as string, unit) }),
        ...(days !== undefined && { days: (days as readonly string[]).length === 0 ? null : days }),
      };
      return { name, repeatAfter, webhookId, recipientIds, on: { [kind as Kind]: condition } };
    },
  };
}
