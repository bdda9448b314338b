/** E-mails of alerts: each line in English and in Portuguese, since people have no language on the server. */
import type { Mail } from '../../../platform/mail.js';
import { clockTime } from '../../../platform/time-zones.js';
import type { Alert, Figure } from './alert.model.js';

/** Beginnings of the subjects. */
const SUBJECTS: Readonly<Record<string, string>> = {
  opened: 'Alert / Alerta',
  repeated: 'Alert, still open / Alerta, ainda aberto',
  closed: 'Alert closed / Alerta encerrado',
};

/** How the values of figures are shown: as percent, or as amounts in the currency of the company. */
export interface Shown {
  readonly isAmount: boolean;
  /** Null while the company has none. */
  readonly currency: string | null;
}

/** `R$1,234.56 / R$ 1.234,56`, or `41.2% / 41,2%`; once where both languages write the same. */
export function valueText(value: number, { isAmount, currency }: Shown): string {
  const texts = ['en', 'pt-BR'].map((language) => {
    if (!isAmount)
      return new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(
        value / 100,
      );
    const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
    const format = new Intl.NumberFormat(
      language,
      currency === null ? digits : { style: 'currency', currency },
    );
    return format.format(value / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
  });
  return [...new Set(texts.map((text) => text.replaceAll('\u00a0', ' ')))].join(' / ');
}

/** `SN-1: 41%, payments / pagamentos: 56, 2027-01-05 11:00 - 2027-01-05 12:00 (America/Sao_Paulo)`. */
function lineOf({ name, value, payments, from, to }: Figure, shown: Shown, timeZone: string): string {
  const [begin, end] = [from, to].map((time) => (time === null ? '' : clockTime(new Date(time), timeZone)));
  const time = value === null ? `last payment / último pagamento: ${begin}` : `${begin} - ${end}`;
  const parts = [
    value === null ? [] : valueText(value, shown),
    payments === null ? [] : `payments / pagamentos: ${payments}`,
    from === null ? [] : time,
  ];
  const found = parts.flat().join(', ');
  return name === null ? found : `${name}: ${found}`;
}

interface MailedAlert {
  readonly action: string;
  readonly alert: Pick<
    Alert,
    'name' | 'affected' | 'total' | 'examples' | 'figures' | 'openedAt' | 'closedAt'
  >;
  readonly shown: Shown;
  readonly publicUrl: string;
}

/** The e-mail of an alert, with times in the zone of the member. */
export function letterOf(
  { action, alert, shown, publicUrl }: MailedAlert,
  timeZone: string,
): Omit<Mail, 'to'> {
  const { name, affected, total, examples, figures, openedAt, closedAt } = alert;
  const lines = [
    name,
    `Affected / Afetados: ${affected}${total === null ? '' : ` / ${total}`}`,
    // Figures name the examples.
    examples.length === 0 || figures.length > 0 ? [] : `Examples / Exemplos: ${examples.join(', ')}`,
    figures.map((figure) => lineOf(figure, shown, timeZone)),
    `Opened / Aberto: ${clockTime(openedAt, timeZone)}`,
    closedAt === null ? [] : `Closed / Encerrado: ${clockTime(closedAt, timeZone)}`,
    `${publicUrl}/console`,
  ];
  return { subject: `${SUBJECTS[action]}: ${name}`, text: `${lines.flat().join('\n')}\n` };
}
