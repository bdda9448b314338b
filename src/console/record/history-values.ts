import { texts, useFormat, useLabel, useLocale, useTexts } from '../text';
import { stoppedIn } from '../text/stopped';
import { pageWords } from '../ui/words';
import { useHistoryLabel } from './history-words';

/** Kinds of jobs and of alerts, and actions of commands, by the names that the API has for them. */
export const kindNames = texts({
  commandSend: ['Sending of a command', 'Envio de um comando'],
  commandsFailed: ['Failed commands', 'Comandos com falha'],
  deliveriesFailed: ['Failed deliveries', 'Entregas com falha'],
  deviceBulkChange: ['Change of devices', 'Alteração de dispositivos'],
  exportStart: ['Export', 'Exportação'],
  fleetApply: ['Plan applied', 'Plano aplicado'],
  fleetImport: ['Import of devices', 'Importação de dispositivos'],
  rolloutDraw: ['Draw of a rollout', 'Sorteio de uma implantação'],
  rolloutGrant: ['Wave of a rollout', 'Onda de uma implantação'],
  rolloutUndo: ['Undo of a rollout', 'Reversão de uma implantação'],
  highSales: ['High sales', 'Vendas altas'],
  largePayments: ['Large payments', 'Pagamentos altos'],
  lowApproval: ['Few approved payments', 'Poucos pagamentos aprovados'],
  lowBattery: ['Low batteries', 'Baterias fracas'],
  noPayments: ['No payments', 'Sem pagamentos'],
  refused: ['Refused terminals', 'Terminais recusados'],
  rolloutStopped: ['Stopped rollouts', 'Implantações paradas'],
  rolloutUnmoved: ['Waves that do not move', 'Ondas que não avançam'],
  silent: ['Silent terminals', 'Terminais em silêncio'],
  unknownTerminals: ['Unknown serial numbers', 'Números de série desconhecidos'],
  weakSignal: ['Weak signals', 'Sinais fracos'],
  logicalNumberBulkChange: ['Change of logical numbers', 'Alteração de números lógicos'],
  APP_UPDATE: ['Update apps', 'Atualizar aplicativos'],
  CANCEL_SYSTEM_UPDATE: ['Cancel system update', 'Cancelar atualização do sistema'],
  REBOOT: ['Restart', 'Reiniciar'],
  RESET_DEVICE_CONFIG: ['Reset configuration', 'Apagar configuração'],
  SEND_LOG: ['Send log', 'Enviar log'],
  SETUP_DEVICE_CONFIG: ['Set up again', 'Configurar de novo'],
  SYSTEM_UPDATE: ['Update system', 'Atualizar sistema'],
  TIMEZONE_UPDATE: ['Set time zone', 'Acertar fuso horário'],
});

/** Values of fields that have one of a few. */
export const valueWords = pageWords({
  ADMIN: ['Administrator', 'Administrador'],
  ADVANCE: ['In advance', 'À vista'],
  API: ['API', 'API'],
  APPROVED: ['Approved', 'Aprovado'],
  ASSET: ['Asset', 'Recurso'],
  CANCELLATION: ['Cancellation', 'Cancelamento'],
  CANCELLED: ['Cancelled', 'Cancelada'],
  CASH: ['Cash', 'Dinheiro'],
  CHIP: ['Chip', 'Chip'],
  EMV: ['Chip', 'Chip'],
  COMMAND_LINE: ['Command line', 'Linha de comando'],
  COMPANY: ['Activation', 'Ativação'],
  CONTACTLESS: ['Contactless', 'Por aproximação'],
  CREDIT: ['Credit', 'Crédito'],
  DEBIT: ['Debit', 'Débito'],
  DENIED: ['Denied', 'Negado'],
  DERIVED: ['Of a sign-in', 'De uma entrada'],
  DONE: ['Done', 'Concluída'],
  FAIL: ['Failed', 'Falhou'],
  FINISHED: ['Finished', 'Concluída'],
  GET_ASSET: ['Download', 'Download'],
  GROUP: ['Group', 'Grupo'],
  HTTP: ['HTTP', 'HTTP'],
  INGEST: ['Record payments', 'Registrar pagamentos'],
  INTERFACE: ['Console', 'Console'],
  ISO20022: ['ISO 20022', 'ISO 20022'],
  ISO8583: ['ISO 8583', 'ISO 8583'],
  ISSUER: ['By the issuer', 'Pelo emissor'],
  MAGNETIC_STRIPE: ['Magnetic stripe', 'Tarja magnética'],
  MANUAL: ['Typed', 'Digitado'],
  MERCHANT: ['By the merchant', 'Pelo lojista'],
  MODULE: ['Module', 'Módulo'],
  NAMED: ['With a name', 'Com nome'],
  OPERATOR: ['Operator', 'Operador'],
  PAUSED: ['Paused', 'Pausada'],
  PERSON: ['Person', 'Pessoa'],
  PIX: ['PIX', 'PIX'],
  PLANNED: ['Planned', 'Planejada'],
  POSXML: ['PosXML', 'PosXML'],
  PREPAID: ['Prepaid', 'Pré-pago'],
  PROCESSING: ['Action', 'Ação'],
  QRCODE: ['QR code', 'QR code'],
  READ: ['Read', 'Ler'],
  REFUND: ['Refund', 'Estorno'],
  RUBY: ['Ruby', 'Ruby'],
  RUNNING: ['Running', 'Em andamento'],
  SALE: ['Sale', 'Venda'],
  SERVER: ['Server', 'Servidor'],
  SHOW: ['Message', 'Mensagem'],
  SPECIFIC_LOGICAL_NUMBERS: ['Logical numbers', 'Números lógicos'],
  STANDARD: ['Standard', 'Padrão'],
  STOPPED_BY_FAILURES: ['Stopped', 'Parou'],
  SUCCESS: ['Successful', 'Concluída'],
  SWITCH: ['Transaction', 'Transação'],
  TERMINAL: ['Terminal', 'Terminal'],
  TERMINALS: ['Speak for terminals', 'Falar pelos terminais'],
  TOKEN: ['Token', 'Token'],
  TORRENT: ['Torrent', 'Torrent'],
  UNDONE: ['Undone', 'Desfeita'],
  VIEWER: ['Viewer', 'Leitor'],
  VOUCHER: ['Voucher', 'Vale'],
  WAITING: ['Waiting', 'Aguardando'],
  WRITE: ['Write', 'Alterar'],
  changedBytes: ['Other bytes', 'Outros bytes'],
  countOf: [
    (count: string, what: string) => `${count} ${what}: `,
    (count: string, what: string) => `${count} ${what}: `,
  ],
  deletedRecord: ['deleted, or hidden from you', 'excluído, ou oculto para você'],
});

/** Fields whose values are names of one of a few. */
const CHOICES =
  /^(captureMethod|fileType|kind|language|paymentMethod|range|role|scopes|state|status|transactionType|type)$/;
/** Fields that have the action of a command. Its content is `REBOOT|`. */
const COMMANDS = /^(action|command)$/;
/** Fields of lengths of time, in milliseconds. */
const DURATIONS = /^(keepOldFor|lasting|repeatAfter|silentFor|within)$/;
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** The name of the record whose number a value is; undefined if it is no reference. */
type NameOf = (value: number) => string | null | undefined;

/** Says values of the ledger in words. */
export function useHistoryValue(): (field: string, value: unknown, nameOf?: NameOf) => string {
  const text = useTexts(valueWords);
  const kinds: Readonly<Record<string, string>> = useTexts(kindNames);
  const format = useFormat();
  const label = useHistoryLabel();
  const choice = useLabel(text);
  const { language } = useLocale();
  const numberOf = (name: string, value: number, nameOf?: NameOf): string => {
    const record = nameOf?.(value);
    if (record !== undefined) return record ?? text.deletedRecord;
    if (name === 'contentId') return text.changedBytes;
    if (name === 'amount') return format.amount(value);
    if (DURATIONS.test(name)) return format.duration(`${value / 60_000}m`);
    return name === 'size' ? format.bytes(value) : format.number(value);
  };
  const say = (field: string, value: unknown, nameOf?: NameOf): string => {
    const name = field.replace(/^.*\./, '');
    if (value === null || value === undefined || value === '') return text.none;
    if (typeof value === 'boolean') return value ? text.yes : text.no;
    if (typeof value === 'number') return numberOf(name, value, nameOf);
    if (Array.isArray(value)) {
      const all = value.map((each) => say(field, each, nameOf)).join(', ');
      if (value.length < 2) return value.length === 0 ? text.none : all;
      return `${text.countOf(format.number(value.length), label(field).toLowerCase())}${all}`;
    }
    if (typeof value === 'object') {
      const parts = Object.entries(value).map(
        ([part, own]) => [label(part), say(part, own, nameOf)] as const,
      );
      const given = parts.filter(([, own]) => own !== text.none);
      return given.map((part) => part.join(' ')).join('; ') || text.none;
    }
    const given = (value as string).replace(/^SHOW_MESSAGE\|/, '');
    if (COMMANDS.test(name) || given.endsWith('|')) return kinds[given.replace(/\|$/, '')] ?? given;
    if (name === 'stoppedBecause') return stoppedIn(language, given);
    if (INSTANT.test(given)) return format.time(given);
    if (CHOICES.test(name)) return kinds[given] ?? choice(given.toUpperCase().replaceAll('-', '_'), given);
    return given;
  };
  return say;
}
