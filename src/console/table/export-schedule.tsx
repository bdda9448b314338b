import type { ReactNode } from 'react';

import { graphql, mutations, useQuery } from '../api';
import { useMay } from '../app/session';
import type { ExportStartInput } from '../gql/graphql';
import { creating, DialogButton } from '../record/dialog-button';
import type { Values } from '../record/form-field';
import { tagOf, texts, useLocale, useTexts, type Language, type Option } from '../text';
import { useNoMail } from '../ui/words';

const words = texts({
  day: ['Day', 'Dia'],
  daily: ['Each day', 'Todos os dias'],
  MAIL: ['E-mail', 'E-mail'],
  hour: ['Hour', 'Hora'],
  hourHelp: [(zone: string) => `In ${zone}.`, (zone: string) => `Em ${zone}.`],
  onlyNew: [
    'Only what was recorded since the last export',
    'Somente o que foi registrado desde a última exportação',
  ],
  recipientIds: ['Recipients', 'Destinatários'],
  recipientIdsHelp: [
    'Each gets an e-mail with a link of their own, while they may read these records.',
    'Cada um recebe um e-mail com um link próprio, enquanto puder ler estes registros.',
  ],
  schedule: ['Schedule', 'Agendar'],
  scheduleHelp: [
    'At each of these times, a link to the export is sent, which works for 24 hours without signing in. The page Jobs shows what became of it.',
    'Em cada um destes horários, é enviado um link para a exportação, que funciona por 24 horas sem entrar. A página Tarefas mostra o resultado.',
  ],
  way: ['Send by', 'Enviar por'],
  WEBHOOK: ['Webhook', 'Webhook'],
});

const RECEIVERS = graphql(`
  query ExportReceivers {
    webhooks(first: 100) { nodes { id url } }
    users(first: 100) { nodes { id name email } }
  }
`);
const WAYS = ['MAIL', 'WEBHOOK'] as const;
const NO_VARIABLES = {};

const WEEKDAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const;

/** Days of the week with their names in a language. */
export function weekdaysIn(language: Language): readonly Option[] {
  const format = new Intl.DateTimeFormat(tagOf(language), { weekday: 'long', timeZone: 'UTC' });
  // The fifth of January 2026 is a Monday.
  return WEEKDAYS.map((value, day) => ({ value, label: format.format(Date.UTC(2026, 0, 5 + day)) }));
}

interface ScheduleExportProps {
  readonly input: ExportStartInput;
  readonly name: string;
}

/** Has an export made once a day or a week, for administrators where something can send its link. */
export function ScheduleExport({ input, name }: ScheduleExportProps): ReactNode {
  const text = useTexts(words);
  const { language, timeZone } = useLocale();
  const { data } = useQuery(RECEIVERS, useMay('ADMIN') ? NO_VARIABLES : null);
  const isMailOff = useNoMail() !== undefined;
  const webhooks = data?.webhooks?.nodes ?? [];
  const ways = WAYS.filter((way) => (way === 'MAIL' ? !isMailOff : webhooks.length > 0));
  if (!data || ways.length === 0) return null;
  const isBy = (way: (typeof WAYS)[number]) => (values: Values) => values.way === way;
  const hours = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: `${hour}:00` }));
  const form = creating({
    title: text.schedule,
    help: text.scheduleHelp,
    document: mutations.exportScheduleCreate,
    fields: [
      { name: 'name', initial: name, autoFocus: true },
      {
        name: 'weekday',
        label: text.day,
        isOptional: true,
        options: [{ value: '', label: text.daily }, ...weekdaysIn(language)],
      },
      {
        name: 'hour',
        label: text.hour,
        help: text.hourHelp(timeZone),
        type: 'number',
        initial: '8',
        options: hours,
      },
      {
        name: 'way',
        label: text.way,
        isSent: false,
        options: ways.map((value) => ({ value, label: text[value] })),
        initial: ways[0],
        isShown: () => ways.length > 1,
      },
      {
        name: 'recipientIds',
        label: text.recipientIds,
        help: text.recipientIdsHelp,
        isMany: true,
        options:
          data.users?.nodes.map(({ id, name: own, email }) => ({ value: id, label: `${own} (${email})` })) ??
          [],
        isShown: isBy('MAIL'),
      },
      {
        name: 'webhookId',
        label: text.WEBHOOK,
        initial: webhooks[0]?.id,
        options: webhooks.map(({ id, url }) => ({ value: id, label: url })),
        isShown: isBy('WEBHOOK'),
      },
      { name: 'onlyNew', label: text.onlyNew, kind: 'flag' },
    ],
    input: { timeZone, export: input },
  });
  return <DialogButton {...form} icon="history" label={text.schedule} scope="ADMIN" />;
}
