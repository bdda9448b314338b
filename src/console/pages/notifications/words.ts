import { pageTexts } from '../../ui/words';

export const useText = pageTexts({
  numbers: [
    (count: string) => (count === '1' ? '1 logical number' : `${count} logical numbers`),
    (count: string) => (count === '1' ? '1 número lógico' : `${count} números lógicos`),
  ],
  forApp: ['App that gets it', 'Aplicativo que a recebe'],
  cancelSending: ['Cancel notification', 'Cancelar notificação'],
  cancelHelp: ['Terminals without it will not get it any more.', 'Terminais sem ela não vão mais recebê-la.'],
  content: ['Message', 'Mensagem'],
  contentHelp: ['For example "Closed on Sunday"', 'Por exemplo "Fechado no domingo"'],
  createdAt: ['Sent', 'Enviada'],
  queuedAt: ['Sent', 'Enviada'],
  createdBy: ['Sent by', 'Enviada por'],
  deliveryState: ['Has deliveries', 'Tem entregas'],
  expiresAt: ['Delivered until', 'Entregue até'],
  finishedAt: ['Finished', 'Concluída'],
  logicalNumbersHelp: ['One a line, or separated by commas.', 'Um por linha, ou separados por vírgulas.'],
  more: [(count: string) => `${count} more`, (count: string) => `mais ${count}`],
  nobody: [
    'Nobody would get it: the target has no logical numbers.',
    'Ninguém a receberia: o destino não tem números lógicos.',
  ],
  notifications: ['Notifications', 'Notificações'],
  noneHasTerminal: [
    'None of these logical numbers has a terminal. Nobody will get it, unless a terminal is given one of them within 7 days.',
    'Nenhum destes números lógicos tem terminal. Ninguém vai recebê-la, a não ser que um terminal receba um deles em até 7 dias.',
  ],
  progress: ['Progress', 'Progresso'],
  retry: ['Send again to those that failed', 'Enviar de novo às que falharam'],
  send: ['Send notification', 'Enviar notificação'],
  sendNow: ['Send', 'Enviar'],
  sentTo: ['Sent to', 'Enviada a'],
  target: ['Target', 'Destino'],
  withoutTerminal: [
    (names: string, count: number) =>
      count === 1
        ? `${names} has no terminal. Nobody will get it there, unless a terminal is given this number within 7 days.`
        : `${names} have no terminal. Nobody will get it there, unless a terminal is given one of them within 7 days.`,
    (names: string, count: number) =>
      count === 1
        ? `${names} não tem terminal. Ninguém vai recebê-la ali, a não ser que um terminal receba este número em até 7 dias.`
        : `${names} não têm terminal. Ninguém vai recebê-la ali, a não ser que um terminal receba um deles em até 7 dias.`,
  ],
  PROCESSING: ['For an app', 'Para um aplicativo'],
  SHOW: ['Shown to people', 'Mostrada às pessoas'],
  CANCELLED: ['Cancelled', 'Cancelada'],
  DELIVERED: ['Delivered', 'Entregue'],
  EXPIRED: ['Expired', 'Expirada'],
  QUEUED: ['Waiting', 'Aguardando'],
  SENT: ['Handed over', 'Encaminhada'],
});
